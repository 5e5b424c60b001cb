"""The script that fills a directory with what a cluster shows: `kubectl get` of named resources, and nothing else.

The layout of the directory is that of `dynamoc.cluster.captured`.
"""

from __future__ import annotations

from shlex import quote

from dynamoc.capture.asked import ASKED, FULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.capture.asked import Asked

_HEAD = r"""#!/bin/sh
# Collects what dynamoc wants to know of a cluster. It only reads, with `kubectl get`; of Secrets, names and types.
# Made by `dynamoc capture`. Usage: sh THIS-FILE [DIR]
# Exit codes: 0 done, 1 something could not be read (DIR/capture.txt says what), 2 kubectl does not reach the cluster.
set -u
dir=${1:-@dir@}
context=@context@
namespaces=@namespaces@
unread=0

ask() {
  kubectl ${context:+--context "$context"} "$@"
}

note() {
  printf '%s\n' "$1" >>"$dir/capture.txt"
}

# What a cluster has no API for is not there; what may not be read is told.
get() { # file, arguments of kubectl get
  file=$dir/$1
  shift
  if found=$(ask get "$@" 2>"$dir/error.tmp"); then
    [ -z "$found" ] || printf -- '---\n%s\n' "$found" >>"$file"
    note "read: $*"
    return
  fi
  error=$(cat "$dir/error.tmp")
  case $error in
    *"have a resource type"* | *"could not find the requested resource"*) note "no such API: $*" ;;
    *)
      note "not read: $*: $error"
      printf 'not read: %s\n    %s\n' "$*" "$error" >&2
      unread=$((unread + 1))
      ;;
  esac
}

get_namespaced() { # file, resource, output
  if [ -z "$namespaces" ]; then
    get "$1" "$2" --all-namespaces --output "$3"
    return
  fi
  for namespace in $namespaces; do
    get "$1" "$2" --namespace "$namespace" --output "$3"
  done
}

if ! found=$(ask get --raw /version 2>&1); then
  printf 'kubectl does not reach the cluster: %s\n' "$found" >&2
  exit 2
fi
if [ -e "$dir" ] && [ ! -f "$dir/capture.txt" ] && [ -n "$(ls -A "$dir")" ]; then
  printf '%s is not empty, and was not made by dynamoc capture\n' "$dir" >&2
  exit 2
fi
mkdir -p "$dir/context" "$dir/against"
rm -f "$dir"/context/*.yaml "$dir"/against/*.yaml "$dir/operator-config.yaml"
echo 'Filled by dynamoc capture. Give it to dynamoc with --cluster; --against takes it, too.' >"$dir/capture.txt"

"""

_OPERATOR = r"""
# The operator, and the ConfigMap that it is configured by since 1.0. The chart names both after the release.
operator='app.kubernetes.io/created-by=dynamo-operator,control-plane=controller-manager'
get context/operator.yaml deployments --all-namespaces --selector "$operator" --output yaml
names='{{range .items}}{{.metadata.namespace}} {{.metadata.name}}{{"\n"}}{{end}}'
ask get deployments --all-namespaces --selector "$operator" --output "go-template=$names" 2>/dev/null |
  while read -r namespace name; do
    config=$(ask get configmap "${name%-controller-manager}-config" --namespace "$namespace" \
      --ignore-not-found --output 'jsonpath={.data.config\.yaml}' 2>/dev/null)
    [ -z "$config" ] || printf '%s\n' "$config" >"$dir/operator-config.yaml"
  done
"""

_TAIL = r"""
rm -f "$dir/error.tmp"
if [ "$unread" -gt 0 ]; then
  printf '%s could not be read, see %s\n' "$unread" "$dir/capture.txt" >&2
  exit 1
fi
printf 'filled %s\n' "$dir" >&2
"""


def script(directory: str, context: str | None, namespaces: list[str]) -> str:
    """The text of the script. `namespaces` limits what has one; an empty list asks for all."""
    words = {"@dir@": directory, "@context@": context or "", "@namespaces@": " ".join(namespaces)}
    head = _HEAD
    for mark, word in words.items():
        head = head.replace(mark, quote(word))
    return head + "\n".join(map(_line, ASKED)) + "\n" + _OPERATOR + _TAIL


def _line(asked: Asked) -> str:
    output = "yaml" if asked.template == FULL else f"go-template={asked.template}"
    if asked.namespaced:
        return f"get_namespaced {asked.file} {asked.resource} {quote(output)}"
    return f"get {asked.file} {asked.resource} --output {quote(output)}"

"""Requirements as a script for any POSIX shell, which asks a cluster what of them is missing."""

from __future__ import annotations

from shlex import quote

from dynamoc.requires.model import INPUT, KUBERNETES, RENDER
from dynamoc.requires.pod_needs import LABEL
from dynamoc.requires.words import BRINGERS, need_text, requirement_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.release import Release
    from dynamoc.requires.model import Need, Requirement, Requirements

_NEVER_ASKED = (RENDER, INPUT, KUBERNETES)

_HEAD = r"""#!/bin/sh
# Asks a cluster whether it has what manifests need and don't bring along.
# Made by `dynamoc requires -o script` for release {release} of the operator.
# Usage: sh THIS-FILE [CONTEXT], a context of kubectl. It reads only; of Secrets it prints nothing.
# Exit codes: 0 all is there, 1 something is missing, 2 kubectl cannot tell.
set -u
context=${1:-}
missing=0
unclear=0
word=missing

ask() {
  kubectl ${context:+--context "$context"} "$@"
}

lack() { # what, why
  printf '%s: %s\n' "$word" "$1"
  [ -z "$2" ] || printf '    %s\n' "$2"
  missing=$((missing + 1))
}

refused() { # what, why, the error of kubectl
  case $3 in
    *"have a resource type"* | *"could not find the requested resource"* | *NotFound*) lack "$1" "$2" ;;
    *)
      printf 'unclear: %s\n    %s\n' "$1" "$3"
      unclear=$((unclear + 1))
      ;;
  esac
}

optional() { # a check that is no reason to fail
  before=$missing
  word='missing, but optional'
  "$@"
  word=missing
  missing=$before
}

api() { # group and version, kind, why
  if found=$(ask get --raw "/apis/$1" 2>/dev/null); then
    case $found in
      *"\"kind\":\"$2\""*) ;;
      *) lack "API $1 $2" "$3" ;;
    esac
  else
    refused "API $1 $2" "$3" "$(ask get --raw "/apis/$1" 2>&1)"
  fi
}

object() { # what, why, kind, name, namespace or nothing
  set -- "$1" "$2" get "$3" ${5:+--namespace "$5"} --ignore-not-found --output name -- "$4"
  what=$1
  why=$2
  shift 2
  if found=$(ask "$@" 2>/dev/null); then
    [ -n "$found" ] || lack "$what" "$why"
  else
    refused "$what" "$why" "$(ask "$@" 2>&1)"
  fi
}

key() { # what, why, kind, name, namespace, key; an object that is missing was told already
  set -- "$1" "$2" "$6" get "$3" --namespace "$5" --ignore-not-found --output "go-template=$names" -- "$4"
  what=$1
  why=$2
  key=$3
  shift 3
  found=$(ask "$@" 2>/dev/null) || return 0
  [ -n "$found" ] || return 0
  printf '%s\n' "$found" | grep -Fqx -e "$key" || lack "key $key of $what" "$why"
}
# shellcheck disable=SC2016
names='{{.kind}}{{"\n"}}{{with .data}}{{range $key, $value := .}}{{$key}}{{"\n"}}{{end}}{{end}}'
# shellcheck disable=SC2016
names=$names'{{with .binaryData}}{{range $key, $value := .}}{{$key}}{{"\n"}}{{end}}{{end}}'

# What nodes lack is told and no reason to fail: an autoscaler may add some.
labelled() { # selector, why
  found=$(ask get nodes --selector "$1" --output name 2>/dev/null) || return 0
  [ -n "$found" ] || printf 'note: no node now has the label %s\n    %s\n' "$1" "$2"
}

capacity() { # resource, of one pod, of all
  amounts='{{range .items}}{{with index .status.allocatable "'"$1"'"}}{{.}}{{"\n"}}{{end}}{{end}}'
  found=$(ask get nodes --output "go-template=$amounts" 2>/dev/null) || return 0
  total=0
  most=0
  for amount in $found; do
    case $amount in *[!0-9]*) continue ;; esac
    total=$((total + amount))
    [ "$amount" -le "$most" ] || most=$amount
  done
  [ "$most" -ge "$2" ] || printf 'note: a pod takes %s %s, and the largest node has %s\n' "$2" "$1" "$most"
  [ "$total" -ge "$3" ] || printf 'note: all pods take %s %s, and all nodes have %s\n' "$3" "$1" "$total"
}

if ! found=$(ask get --raw /version 2>&1); then
  printf 'kubectl does not reach the cluster: %s\n' "$found" >&2
  exit 2
fi

"""

_TAIL = """
if [ "$missing" -gt 0 ]; then
  printf '%s missing\\n' "$missing"
  exit 1
fi
if [ "$unclear" -gt 0 ]; then
  exit 2
fi
echo 'nothing is missing'
"""


def script(found: Requirements, release: Release) -> str:
    """The text of the script, which asks for all that stands in neither the input nor the output."""
    lines = "".join(f"{line}\n" for line in _checks(found))
    return _HEAD.replace("{release}", release.name) + lines + _TAIL


def _checks(found: Requirements) -> Iterator[str]:
    for api in found.apis:
        if api.by not in _NEVER_ASKED:
            yield _line("api", f"{api.group}/{api.version}", api.kind, _why(api.needs, api.by))
    for item in found.objects:
        # The name of what only the operator asks for may be one of several.
        if item.by not in _NEVER_ASKED and not (item.asked and item.kind == "DaemonSet"):
            yield from _object(item)
    for address in found.addresses:
        if address.service is not None and address.by not in _NEVER_ASKED:
            namespace, name = address.service
            title = f"Service/{name} ({namespace}), which is {address.variable}"
            yield _line("object", title, _why(address.needs, address.by), "Service", name, namespace)
    for named in found.nodes:
        if named.what == LABEL:
            yield _line("labelled", named.name, _why(named.needs, None))
    for resource, (most, total) in found.resources.items():
        yield _line("capacity", resource, str(most), str(total))


def _object(item: Requirement) -> Iterator[str]:
    title, why = requirement_title(item), _why(item.needs, item.by)
    kind = f"{item.kind}.{item.group}" if item.group else item.kind
    optional = "optional " if item.optional else ""
    yield optional + _line("object", title, why, kind, item.name, item.namespace)
    for key, free in sorted(item.keys.items()):
        prefix = "optional " if free or item.optional else ""
        yield prefix + _line("key", title, why, kind, item.name, item.namespace, key)


def _why(needs: list[Need], by: str | None) -> str:
    need = needs[0]
    place = f" at {need.place}" if need.place else ""
    others = f", and {len(needs) - 1} more" if len(needs) > 1 else ""
    bringer = f"; {BRINGERS[by]} brings it" if by else ""
    return f"{need_text(need)}{place}{others}{bringer}"


def _line(*words: str) -> str:
    return " ".join(quote(word) for word in words)

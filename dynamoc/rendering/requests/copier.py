"""The program of the container that brings the profiler's answer into a ConfigMap: dynamoc's own.

What it reads, what it writes and how it ends is the operator's contract; the text is not.
Source: controller/dynamographdeploymentrequest_controller.go sidecarScriptTemplate of 0.6, 1.0, 1.1, 1.2 and 1.3.
"""

from __future__ import annotations

from typing import Any

from dynamoc.reference.releases import Release
from dynamoc.rendering.requests.answer import (
    MANAGED,
    MANAGED_LABEL,
    NAME_LABEL,
    NAMESPACE_LABEL,
    OUTPUT_DIR,
    output_name,
)

Tree = dict[str, Any]

#: how the program begins: `publish` writes the ConfigMap of what `kubectl create configmap` gets, files and texts
PUBLISH = """\
# Brings what the profiler leaves in @DIR@ into the ConfigMap @MAP@.
set -u
publish() {
    kubectl create configmap @MAP@ --namespace=@NAMESPACE@ --dry-run=client -o yaml "$@" > /tmp/bare.yaml &&
    kubectl label --local -f /tmp/bare.yaml -o yaml @LABELS@ > /tmp/labelled.yaml &&
    @OWN@ &&
    kubectl apply -f /tmp/whole.yaml
}
"""
_WITHOUT_OWNER = "cp /tmp/labelled.yaml /tmp/whole.yaml"
_WITH_OWNER = """\
kubectl patch --local -f /tmp/labelled.yaml --type=merge -o yaml -p '{"metadata": {"ownerReferences": [{
        "apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeploymentRequest", "name": "@NAME@",
        "uid": "@UID@", "controller": true, "blockOwnerDeletion": true}]}}' > /tmp/whole.yaml"""

#: 0.6: the answer itself tells that the profiler is done
_WAIT_FOR_ANSWER = """\
until [ -f @DIR@/@FILE@ ]; do sleep 2; done
set -- --from-file=@FILE@=@DIR@/@FILE@
for data in @DIR@/*/interpolation/raw_data.npz; do
    [ -f "$data" ] || continue
    key=$(basename "$(dirname "$(dirname "$data")")")_raw_data.npz
    base64 "$data" > "/tmp/$key"
    set -- "$@" "--from-file=$key=/tmp/$key"
done
publish "$@"
"""
_SAID = """\
REPORT=@DIR@/profiler_status.yaml
said() {
    [ -f "$REPORT" ] && sed -n "s/^$1:[[:space:]]*//p" "$REPORT" | head -n 1 | tr -d "\\"'"
}
is_over() {
    kubectl get pod "$HOSTNAME" --namespace=@NAMESPACE@ \\
        -o 'jsonpath={.status.containerStatuses[?(@.name=="profiler")].state.terminated}' 2>/dev/null | grep -q .
}
"""
_WAIT = """\
until is_over; do sleep 5; done
"""
_WAIT_AND_RELAY = """\
LAST=
relay() {
    PHASE=$(said phase)
    [ -n "$PHASE" ] && [ "$PHASE" != "$LAST" ] || return 0
    if publish --from-literal=phase="$PHASE" --from-literal=message="$(said message)"; then LAST=$PHASE; fi
}
until is_over; do
    relay
    sleep 10
done
relay
"""
_JUDGE = """\
TRIES=60
until [ -f "$REPORT" ]; do
    TRIES=$((TRIES - 1))
    if [ "$TRIES" -eq 0 ]; then
        echo "the profiler left no $REPORT" >&2
        exit 1
    fi
    sleep 2
done
STATUS=$(said status)
ERROR=$(said error)
if [ "$STATUS" = failed ]; then
    echo "the profiler failed: ${ERROR:-$(said message)}" >&2
    @FAIL@
fi
if [ "$STATUS" != success ]; then
    echo "the profiler ended with the status '$STATUS'" >&2
    exit 1
fi
"""
_END = "exit 1"
_REPORT_FAILURE = """\
publish --from-literal=phase="$(said phase)" --from-literal=message="$(said message)" \\
        --from-literal=profiler_status=failed --from-literal=profiler_error="${ERROR:-$(said message)}" \\
        --from-file=profiler_status.yaml="$REPORT"
    exit"""
_ANSWER = """\
set -- --from-file=@FILE@=@DIR@/@FILE@ --from-file=profiler_status.yaml="$REPORT"
"""
_PLOTS = """\
if [ -f @DIR@/webui_data.json ]; then set -- "$@" --from-file=webui_data.json=@DIR@/webui_data.json; fi
"""
_WITH_PHASE = """\
set -- "$@" --from-literal=phase="$(said phase)" --from-literal=message="$(said message)"
"""
_WITH_STATUS = """\
set -- "$@" --from-literal=profiler_status=success
"""
_LAST = """\
publish "$@"
"""


def copier_program(value: Tree, uid: str, release: Release) -> str:
    """The program for the request `value`, which the API server knows by `uid`."""
    metadata = value["metadata"]
    relays = release.has("requests/relays-phase")
    labels = {NAME_LABEL: metadata["name"], MANAGED_LABEL: MANAGED}
    if relays:
        labels[NAMESPACE_LABEL] = metadata["namespace"]
    text = PUBLISH.replace("@OWN@", _WITH_OWNER if relays else _WITHOUT_OWNER) + _body(release, relays=relays)
    for token, item in (
        ("@LABELS@", " ".join(f"{key}={labels[key]}" for key in sorted(labels))),
        ("@DIR@", OUTPUT_DIR),
        ("@FILE@", release["request/answer"]),
        ("@MAP@", output_name(metadata["name"])),
        ("@NAMESPACE@", metadata["namespace"]),
        ("@NAME@", metadata["name"]),
        ("@UID@", uid),
    ):
        text = text.replace(token, item)
    return text


def _body(release: Release, *, relays: bool) -> str:
    if not release.has("requests/v1beta1"):
        return _WAIT_FOR_ANSWER
    reports = release.has("requests/reports-failure")
    judge = _JUDGE.replace("@FAIL@", _REPORT_FAILURE if reports else _END)
    parts = [_SAID, _WAIT_AND_RELAY if relays else _WAIT, judge, _ANSWER]
    if not release.has("requests/hub-graph"):
        parts.append(_PLOTS)
    if relays:
        parts.append(_WITH_PHASE)
    if reports:
        parts.append(_WITH_STATUS)
    return "".join((*parts, _LAST))

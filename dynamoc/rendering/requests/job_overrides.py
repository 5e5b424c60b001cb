"""The profiling Job: the program that brings its answer into a ConfigMap, and what `overrides.profilingJob` changes.

What the program reads, writes and how it ends is the operator's contract; the text is dynamoc's own.
Source: controller/profiling_job_overrides.go; dynamographdeploymentrequest_controller.go sidecarScriptTemplate.
"""

from __future__ import annotations

from dynamoc.kube.merge import Tree, copy_tree, is_false
from dynamoc.kube.tracing import builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.requests.answer import (
    COPIER,
    INSTALLER,
    MANAGED,
    MANAGED_LABEL,
    NAME_LABEL,
    NAMESPACE_LABEL,
    OUTPUT_DIR,
    PROFILER,
    PROTECTED_LABELS,
    output_name,
)
from dynamoc.rendering.requests.merge import added_by_name, merged_by_name, without_mounts

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
#: 0.6: the answer itself shows that the profiler is done
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

JOB_FIELDS = (
    "backoffLimit",
    "activeDeadlineSeconds",
    "ttlSecondsAfterFinished",
    "completions",
    "parallelism",
    "suspend",
)
#: fields of the pod that replace the operator's where they say anything
POD_FIELDS = (
    "tolerations", "nodeSelector", "affinity", "priorityClassName", "serviceAccountName", "runtimeClassName",
    "dnsPolicy", "dnsConfig", "terminationGracePeriodSeconds", "topologySpreadConstraints",
    "automountServiceAccountToken",
)  # fmt: skip
#: of them, those where empty says something: Go has pointers there
_POINTERS = (
    "affinity",
    "runtimeClassName",
    "dnsConfig",
    "terminationGracePeriodSeconds",
    "automountServiceAccountToken",
)
SECURITY_FIELDS = (
    "runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup", "supplementalGroups", "sysctls", "fsGroupChangePolicy",
    "seccompProfile", "appArmorProfile", "seLinuxOptions", "windowsOptions",
)  # fmt: skip
MERGED_POD_FIELDS = ("imagePullSecrets", "securityContext", "volumes", "initContainers", "containers")
CONTAINER_FIELDS = ("image", "resources", "securityContext", "env", "volumeMounts", "envFrom")
COPIER_FIELDS = ("image", "resources")
_TOKEN_VOLUME = "output-copier-kube-api-access"
_TOKEN_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOOL_VOLUME, _TOOL_DIR = "dgd-override-tool", "/opt/dynamo/bin"
_TOOL = f"{_TOOL_DIR}/dgd-apply-overrides"
_TOOL_VARIABLE = "DYNAMO_DGD_APPLY_OVERRIDES_BIN"


@builder(
    "requests/job_overrides/overrides",
    "controller/profiling_job_overrides.go applyProfilingJobOverrides",
    when="requests/v1beta1",
)
def apply_overrides(job: Tree, overrides: Tree, release: Release) -> None:
    """Puts the fields of a canonical JobSpec that the operator lets through into the Job."""
    spec, wanted = job["spec"], copy_tree(overrides)
    spec.update({name: wanted[name] for name in JOB_FIELDS if wanted.get(name) is not None})
    template = wanted.get("template") or {}
    metadata = template.get("metadata") or {}
    kept = {key: text for key, text in (metadata.get("labels") or {}).items() if key not in PROTECTED_LABELS}
    given = {"labels": kept, "annotations": metadata.get("annotations")}
    pod_metadata = {name: item for name, item in given.items() if item}
    if pod_metadata:
        spec["template"]["metadata"] = pod_metadata
    _apply_pod(spec["template"]["spec"], template.get("spec") or {}, release)


def _apply_pod(pod: Tree, wanted: Tree, release: Release) -> None:
    for name in POD_FIELDS:
        item = wanted.get(name)
        if item or (item is not None and name in _POINTERS):
            pod[name] = item
    pod["imagePullSecrets"] = added_by_name(pod["imagePullSecrets"], wanted.get("imagePullSecrets") or ())
    security = wanted.get("securityContext") or {}
    pod["securityContext"].update({name: security[name] for name in SECURITY_FIELDS if security.get(name) is not None})
    for name in ("volumes", "initContainers"):
        if wanted.get(name):
            pod[name] = merged_by_name(pod.get(name) or (), wanted[name])
    profiler, copier = overridden_containers(wanted.get("containers") or [], release)
    if profiler is not None:
        _apply_container(pod["containers"][0], profiler)
    if copier is not None:
        _replace(pod["containers"][1], copier)


def overridden_containers(containers: list[Tree], release: Release) -> tuple[Tree | None, Tree | None]:
    """Which containers are for the profiler and, since 1.5, for the copier; the operator looks at no others."""
    if not release.has("requests/containers-by-name"):
        return (containers[0] if containers else None), None
    named = {item.get("name", ""): item for item in reversed(containers)}
    others = (item for item in containers if item.get("name") != COPIER)
    return named.get(PROFILER) or next(others, None), named.get(COPIER)


def _apply_container(container: Tree, wanted: Tree) -> None:
    _replace(container, wanted)
    if wanted.get("securityContext") is not None:
        container["securityContext"] = wanted["securityContext"]
    for name in ("env", "volumeMounts"):
        container[name] = merged_by_name(container[name], wanted.get(name) or ())
    if wanted.get("envFrom"):
        container["envFrom"] = wanted["envFrom"]


def _replace(container: Tree, wanted: Tree) -> None:
    if wanted.get("image"):
        container["image"] = wanted["image"]
    resources = wanted.get("resources") or {}
    if any(resources.get(name) for name in ("requests", "limits", "claims")):
        container["resources"] = resources


@builder(
    "requests/job_overrides/copier-token",
    "controller/profiling_job_overrides.go ensureOutputCopierKubeAPIAccess",
    when="requests/token-for-copier",
)
def keep_token_for_copier(pod: Tree) -> None:
    """A token for the copier where the pod as a whole gets none (ensureOutputCopierKubeAPIAccess)."""
    if not is_false(pod.get("automountServiceAccountToken")):
        return
    pod["volumes"] = merged_by_name(pod["volumes"], [_token_volume()])
    for container in pod["containers"]:
        container["volumeMounts"] = without_mounts(container["volumeMounts"], _TOKEN_VOLUME)
        if container["name"] == COPIER:
            container["volumeMounts"].append({"name": _TOKEN_VOLUME, "mountPath": _TOKEN_DIR, "readOnly": True})


def _token_volume() -> Tree:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": _TOKEN_VOLUME, "projected": {"sources": sources}}


@builder(
    "requests/job_overrides/override-tool",
    "controller/profiling_job_overrides.go ensureDGDOverrideTool",
    when="requests/override-tool",
)
def install_override_tool(pod: Tree, image: str) -> None:
    """Hands the profiler the program that applies `overrides.dgd`; it is in the operator's image."""
    mount = {"name": _TOOL_VOLUME, "mountPath": _TOOL_DIR}
    pod["volumes"] = merged_by_name(pod["volumes"], [{"name": _TOOL_VOLUME, "emptyDir": {}}])
    for container in (*pod.get("initContainers", ()), *pod["containers"]):
        if container.get("volumeMounts"):
            container["volumeMounts"] = without_mounts(container["volumeMounts"], _TOOL_VOLUME, _TOOL_DIR)
    installer = {
        "name": INSTALLER,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/dgd-apply-overrides"],
        "args": ["--install-to", _TOOL],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "runAsGroup": 1000,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [mount],
    }
    pod["initContainers"] = merged_by_name(pod.get("initContainers", ()), [installer])
    profiler = pod["containers"][0]
    profiler["volumeMounts"].append({**mount, "readOnly": True})
    profiler["env"] = merged_by_name(profiler["env"], [{"name": _TOOL_VARIABLE, "value": _TOOL}])


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

"""What an API server fills into pod templates (pkg/apis/core/v1/defaults.go and conversion.go of Kubernetes)."""

from __future__ import annotations

from dynamoc.golang.quantity import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_POD = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
}
_MODE = 0o644
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_VOLUMES: dict[str, Tree] = {
    "secret": {"defaultMode": _MODE},
    "configMap": {"defaultMode": _MODE},
    "downwardAPI": {"defaultMode": _MODE},
    "projected": {"defaultMode": _MODE},
    "hostPath": {"type": ""},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "kind": "Shared", "fsType": "ext4", "readOnly": False},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}


def fill(value: Tree, defaults: Tree) -> Tree:
    """Sets the fields that are missing; an empty mapping among the defaults is a new one each time."""
    for key, item in defaults.items():
        if value.get(key) is None:
            value[key] = dict(item) if isinstance(item, dict) else item
    return value


def fill_pod(template: Tree | None) -> None:
    """Fills the spec of a pod template in place."""
    spec = (template or {}).get("spec")
    if not isinstance(spec, dict):
        return
    fill(spec, {**_POD, "securityContext": {}})
    if spec.get("serviceAccountName"):
        # Kept for clients from before it was renamed.
        spec["serviceAccount"] = spec["serviceAccountName"]
    for name in ("initContainers", "containers"):
        for container in spec.get(name) or ():
            _fill_container(container, on_host=bool(spec.get("hostNetwork")))
    for volume in spec.get("volumes") or ():
        _fill_volume(volume)


def _fill_container(container: Tree, *, on_host: bool) -> None:
    fill(container, {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"})
    fill(container, {"imagePullPolicy": pull_policy(str(container.get("image") or "")), "resources": {}})
    fill_quantities(container["resources"])
    for port in container.get("ports") or ():
        fill(port, {"protocol": "TCP"})
        if on_host:
            fill(port, {"hostPort": port.get("containerPort")})
    for variable in container.get("env") or ():
        source = variable.get("valueFrom") or {}
        _fill_reference(source)
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if isinstance(container.get(name), dict):
            fill(container[name], _PROBE)
            _fill_handler(container[name])
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict):
            _fill_handler(handler)


def fill_quantities(resources: Any) -> None:
    """Writes amounts as a server prints them: 500m for 0.5, 1Gi for 1024Mi."""
    for name in ("limits", "requests"):
        amounts = (resources.get(name) if isinstance(resources, dict) else None) or {}
        for key, text in amounts.items():
            try:
                amounts[key] = canonical(text)
            except (TypeError, ValueError):
                continue


def pull_policy(image: str) -> str:
    """Always for the tag `latest`, which an image without tag and digest has; else IfNotPresent."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2] or ("" if digest else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


def _fill_handler(handler: Tree) -> None:
    if isinstance(handler.get("httpGet"), dict):
        fill(handler["httpGet"], {"path": "/", "scheme": "HTTP"})
    if isinstance(handler.get("grpc"), dict):
        fill(handler["grpc"], {"service": ""})


def _fill_reference(source: Tree) -> None:
    if isinstance(source.get("fieldRef"), dict):
        fill(source["fieldRef"], {"apiVersion": "v1"})
    if isinstance(source.get("resourceFieldRef"), dict):
        fill(source["resourceFieldRef"], {"divisor": "0"})


def _fill_volume(volume: Tree) -> None:
    if set(volume) <= {"name"}:
        volume["emptyDir"] = {}
    for kind, defaults in _VOLUMES.items():
        if isinstance(volume.get(kind), dict):
            fill(volume[kind], defaults)
    for item in (volume.get("downwardAPI") or {}).get("items") or ():
        _fill_reference(item)
    for source in (volume.get("projected") or {}).get("sources") or ():
        if isinstance(source.get("serviceAccountToken"), dict):
            fill(source["serviceAccountToken"], {"expirationSeconds": 3600})
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            _fill_reference(item)
    template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
    if isinstance(template, dict):
        fill(template.setdefault("spec", {}), {"volumeMode": "Filesystem"})
        fill_quantities(template["spec"].get("resources"))

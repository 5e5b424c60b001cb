"""What an API server fills into pod templates, and programs in objects: the operator's do the same as dynamoc's own.

Source: pkg/apis/core/v1/defaults.go and conversion.go of Kubernetes.
"""

from __future__ import annotations

import re
from typing import Any

from dynamoc.kube.merge import Tree
from dynamoc.kube.quantity import canonical
from dynamoc.kube.text import hex_digest
from dynamoc.reference import programs
from dynamoc.reference.releases import RELEASES
from dynamoc.rendering.requests.job_overrides import copier_program
from dynamoc.rendering.rules.failover import SHARED_DIR
from dynamoc.rendering.rules.memory import SERVER_MODULE

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


#: sha256 of what the operators up to 1.5 ship, and what stands for it
ORIGINALS = {
    "6e83779cce56a504feba4b2feee9ab2c8dc685056f2fd5f77cf6f45edd31ae48": "waits for the leader",
    "52cbfa4e0114f4a4220883f8f043070f0107e0276316e8b3679fbfc4cf6c5c2a": "waits for the leader's port",
    "59501a42610279c3a545a91dde3c7e9903939dc2cf7de8c572b4f97c9536cf51": "serves weights",
    "21400bafdc0c4c5e5939e9c4c76028f570e6a5ba46be4fc75b624ecd9e611e62": "keeps the job file",
}
#: what the operator fills into the copier of a request
_PLACES = (
    "dgdr-output-",
    "^ +namespace: ",
    r"^ +dgdr\.nvidia\.com/name(?:space)?: ",
    "^    (?:name|uid): ",
    r"\$HOSTNAME -n ",
)
_FILLED = rf"(?m)({'|'.join(_PLACES)})([^\s\"]+)"
_ROLES = {
    "namespace:": "namespace",
    "dgdr.nvidia.com/namespace:": "namespace",
    "$HOSTNAME -n": "namespace",
    "uid:": "uid",
}
#: where the operator of 1.0 fills in the leader
_PLACE = r'(?m)^host, port = "([^"\n]*)", ([0-9]+)$'


def with_own(value: Any) -> Any:
    """A tree with dynamoc's own programs in place of the operator's. What has none is given back as it is."""
    if isinstance(value, str):
        return value if "\n" not in value or (own := _own(value)) == value else own
    if isinstance(value, dict):
        changed = {key: new for key, item in value.items() if (new := with_own(item)) is not item}
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        items = [with_own(item) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _own(text: str) -> str:
    return _own_copier(text) if "dgdr-output-" in text else _own_constant(text)


def _own_copier(text: str) -> str:
    digest = hex_digest(re.sub(_FILLED, r"\1*", text).encode())
    release = next((known for known in RELEASES.values() if known.constants.get("request/copier") == digest), None)
    filled: dict[str, set[str]] = {}
    for place, value in re.findall(_FILLED, text):
        filled.setdefault(_ROLES.get(place.strip(), "name"), set()).add(value)
    if release is None or any(len(values) > 1 for values in filled.values()):
        return text
    value = {role: next(iter(values)) for role, values in filled.items()}
    return copier_program({"metadata": value}, value.get("uid", ""), release)


def _own_constant(text: str) -> str:
    place, bare = None, text
    if 'host, port = "' in text:
        place, bare = re.search(_PLACE, text), re.sub(_PLACE, 'host, port = "HOST", PORT', text)
    what = ORIGINALS.get(hex_digest(bare.encode()))
    return text if what is None else _program(what, *(place.groups() if place else ("", "")))


def _program(what: str, host: str, port: str) -> str:
    """dynamoc's own program that does what an original does."""
    if what == "waits for the leader":
        return programs.WAIT_FOR_LEADER
    if what == "keeps the job file":
        return programs.KEEP_JOB_FILE
    if what == "serves weights":
        return programs.SERVE_WEIGHTS.format(directory=SHARED_DIR, module=SERVER_MODULE)
    return programs.WAIT_FOR_PORT.format(host=host, port=port)

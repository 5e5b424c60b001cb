"""Lists of a pod in an order of their own, so that it does not matter how they came to be."""

from __future__ import annotations

from dynamoc.golang.sort_slice import STABLE, sort_slice
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]
    Key = Callable[[Any], Any]


@rule("sorting/pod-spec", source="internal/controller_common/pod.go CanonicalizePodSpec")
def pod_spec(pod: Pod) -> None:
    """Sorts what the user and the operator put into the pod: containers, environment, mounts, volumes and more by name.

    `main` is therefore not always the first container. Commands and arguments keep their order; entries that are equal
    in their sort keys stay as they are in short lists, and may change places in longer ones.
    """
    spec = pod.spec
    for field in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(field) or ():
            _sort_container(container)
        _sort(spec, field, _name)
    _sort(spec, "imagePullSecrets", _name)
    for volume in spec.get("volumes") or ():
        _sort_volume(volume)
    _sort(spec, "volumes", _name)
    _sort(spec, "tolerations", _by("key", "operator", "value", "effect", tolerationSeconds=0))
    _sort(spec, "topologySpreadConstraints", _by("topologyKey", "whenUnsatisfiable", maxSkew=0))
    aliases = spec.get("hostAliases") or ()
    if len(aliases) > 1:
        # A single alias keeps the order of its names.
        for alias in aliases:
            _sort(alias, "hostnames", str.encode)
    _sort(spec, "hostAliases", _by("ip"))
    dns = spec.get("dnsConfig") or {}
    _sort(dns, "options", _by("name", "value"))
    _sort(dns, "nameservers", str.encode)
    _sort(dns, "searches", str.encode)


def _sort_container(container: Tree) -> None:
    _sort(container, "env", _name)
    _sort(container, "envFrom", _env_source)
    _sort(container, "ports", _by("name", containerPort=0))
    _sort(container, "volumeMounts", _by("name", "mountPath"))
    capabilities = (container.get("securityContext") or {}).get("capabilities") or {}
    _sort(capabilities, "add", str.encode)
    _sort(capabilities, "drop", str.encode)


def _sort_volume(volume: Tree) -> None:
    _sort_files(volume)
    projected = volume.get("projected") or {}
    _sort(projected, "sources", _projection)
    for source in projected.get("sources") or ():
        _sort_files(source)


def _sort_files(source: Tree) -> None:
    """The items of a ConfigMap, Secret or downward API, as a volume or a part of one."""
    for kind in ("configMap", "secret"):
        _sort(source.get(kind) or {}, "items", _by("key", "path"))
    _sort(source.get("downwardAPI") or {}, "items", _by("path"))


def _sort(owner: Tree, field: str, key: Key) -> None:
    items = owner.get(field)
    if items and len(items) > 1:
        owner[field] = sort_slice(items, key) if len(items) > STABLE else sorted(items, key=key)


def _name(item: Tree) -> bytes:
    return str(item.get("name", "")).encode()


def _by(*texts: str, **numbers: int) -> Key:
    """By text fields, bytewise, then by numbers; a field that is missing is empty, or the number given for it."""

    def key(item: Tree) -> tuple[object, ...]:
        return (
            *(str(item.get(field, "")).encode() for field in texts),
            *(item.get(field, missing) for field, missing in numbers.items()),
        )

    return key


def _env_source(item: Tree) -> bytes:
    prefix = item.get("prefix", "")
    for field, short in (("configMapRef", "cm"), ("secretRef", "sec")):
        if item.get(field) is not None:
            return f"{short}:{item[field].get('name', '')}:{prefix}".encode()
    return f"other:{prefix}".encode()


def _projection(item: Tree) -> bytes:
    for field, text in (("configMap", "cm:{name}"), ("secret", "sec:{name}"), ("downwardAPI", "downward:")):
        if item.get(field) is not None:
            return text.replace("{name}", item[field].get("name", "")).encode()
    token = item.get("serviceAccountToken")
    return b"z:other" if token is None else f"sat:{token.get('audience', '')}".encode()

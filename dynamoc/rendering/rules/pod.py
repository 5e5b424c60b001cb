"""The pod around the container `main`.

Lists of a pod in an order of their own, so that it does not matter how they came to be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.kube.go import STABLE, sort_slice
from dynamoc.kube.merge import copy_tree, merge_pod_spec
from dynamoc.rendering.rules.common import add_pull_secrets, epp_volumes, pod_path, tell_lost, tell_lost_volumes
from dynamoc.rendering.rules.draft import Pod, rule

Tree = dict[str, Any]

Key = Callable[[Any], Any]


@rule("pod/defaults", source="internal/dynamo/component_*.go GetBasePodSpec")
def pod_defaults(pod: Pod) -> None:
    """Sets restartPolicy and grace period, and the account and volumes of planner and EPP."""
    release = pod.release
    defaults = release["component-defaults"].get(pod.component.type, "")
    grace = release["grace-seconds/epp"] if defaults == "epp" else release["grace-seconds/default"]
    pod.spec = {"terminationGracePeriodSeconds": grace, "restartPolicy": "Always"}
    if defaults in ("planner", "epp"):
        pod.spec["serviceAccountName"] = release.of("service-account", defaults)
    if defaults == "epp":
        pod.spec["volumes"] = epp_volumes(pod)


@rule("pod/user-pod-spec", source="internal/dynamo/graph.go GenerateBasePodSpec")
def user_pod_spec(pod: Pod) -> None:
    """Merges `extraPodSpec` over the pod's defaults: empty values do not override, lists replace."""
    if pod.component.pod_spec is not None:
        defaults, whole = pod.spec, pod.release.has("merge/whole-pointers")
        pod.spec = merge_pod_spec(defaults, pod.component.pod_spec, replace_pointers=whole)
        _tell_lost(pod, defaults)


def _tell_lost(pod: Pod, defaults: dict[str, Any]) -> None:
    user = pod.component.pod_spec or {}
    tell_lost(pod, user, pod.spec, pod_path(pod))
    tell_lost_volumes(pod, defaults, user, pod_path(pod))


@rule("pod/main-container", source="internal/dynamo/graph.go GenerateBasePodSpec")
def main_container(pod: Pod) -> None:
    """Appends `main` after the user's containers, and its volumes after the user's volumes."""
    pod.spec.setdefault("containers", []).append(pod.main)
    if pod.volumes:
        pod.spec.setdefault("volumes", []).extend(pod.volumes)


@rule("pod/image-pull-secrets", source="internal/dynamo/graph.go GenerateBasePodSpec")
def image_pull_secrets(pod: Pod) -> None:
    """Adds the pull secrets that fit the image of mainContainer, after the user's own."""
    add_pull_secrets(pod, (pod.component.main or {}).get("image", ""))


@rule("pod/user-template", source="internal/dynamo/graph.go GenerateBasePodSpec")
def user_template(pod: Pod) -> None:
    """Merges `podTemplate.spec` without its containers over the pod's defaults: empty values do not override."""
    if pod.component.pod_spec is not None:
        defaults = pod.spec
        pod.spec = merge_pod_spec(defaults, pod.component.pod_spec)
        _tell_lost(pod, defaults)


@rule("pod/main-container-first", source="internal/dynamo/graph.go GenerateBasePodSpec")
def main_container_first(pod: Pod) -> None:
    """Puts `main` before the user's other containers, wherever the user wrote it."""
    pod.spec["containers"] = [pod.main, *copy_tree(pod.component.containers)]


@rule("pod/every-image-pull-secrets", source="internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership")
def every_image_pull_secrets(pod: Pod) -> None:
    """Adds the pull secrets that fit the images of containers and init containers, after the user's own."""
    for container in (*pod.spec["containers"], *(pod.spec.get("initContainers") or ())):
        add_pull_secrets(pod, container.get("image", ""))


@rule("pod/all-image-pull-secrets", source="internal/dynamo/graph.go GenerateBasePodSpec")
def all_image_pull_secrets(pod: Pod) -> None:
    """Adds the pull secrets that fit the images of all containers, except init containers, after the user's own."""
    for container in pod.spec["containers"]:
        add_pull_secrets(pod, container.get("image", ""))


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

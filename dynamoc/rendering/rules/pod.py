"""The pod around the container `main`, with the sidecars that run Dynamo; its lists get a separate order.

Source: internal/dynamo/component_dynamo_sidecar.go, graph.go generateBasePodSpecWithDefaultsAndOwnership.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.go import STABLE, sort_slice
from dynamoc.kube.merge import Tree, copy_tree, merge_container, merge_pod_spec
from dynamoc.kube.names import image_version
from dynamoc.rendering.rules.backend import backend_container, backend_pod
from dynamoc.rendering.rules.container import base_container, common_env, container_defaults, container_of
from dynamoc.rendering.rules.draft import (
    Pod,
    add_pull_secrets,
    epp_volumes,
    pod_path,
    rule,
    tell_lost,
    tell_lost_volumes,
)
from dynamoc.rendering.rules.env import infrastructure, infrastructure_env, merge_env, secret_source
from dynamoc.rendering.rules.vllm import tell_cache_root

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

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


@rule("sidecar/frontend", source="internal/dynamo/graph.go generateFrontendSidecar")
def frontend_sidecar(pod: Pod) -> None:
    """Adds the container `sidecar-frontend` with the defaults of a frontend if `frontendSidecar` is set.

    Its image is the user's; args replace the default, envs merge by name.
    """
    wanted = pod.component.frontend_sidecar
    if wanted is None:
        return
    container = base_container(pod, "frontend")
    container["name"] = pod.release["frontend-sidecar-container"]
    container["image"] = wanted.get("image", "")
    if wanted.get("args"):
        container["args"] = copy_tree(wanted["args"])
    if wanted.get("envFromSecret") is not None:
        container["envFrom"] = [secret_source(wanted["envFromSecret"])]
    if wanted.get("envs"):
        container["env"] = merge_env(container["env"], wanted["envs"])
    container["env"] = merge_env(infrastructure_env(pod.operator.config), container["env"])
    pod.spec["containers"].append(container)
    add_pull_secrets(pod, container["image"])


@rule("sidecar/shared-mounts", source="internal/dynamo/graph.go GenerateBasePodSpec")
def shared_mounts(pod: Pod) -> None:
    """Remembers the mounts of `main` that a frontend sidecar shares: those from before backend and shared memory."""
    pod.shared_mounts = copy_tree(pod.main.get("volumeMounts") or [])


@rule("sidecar/frontend-defaults", source="internal/dynamo/graph.go mergeFrontendSidecarDefaults")
def frontend_defaults(pod: Pod) -> None:
    """Gives the container that `frontendSidecar` names the defaults of a frontend, in its place.

    The user's fields win as in `main`, but probes merge field by field. The mounts of `main` are added by volume.
    """
    name = pod.component.sidecar
    if name is None:
        return
    for index, user in enumerate(pod.spec["containers"]):
        if user.get("name") == name:
            pod.spec["containers"][index] = _with_defaults(pod, user)
            # `main` itself may be named; the pod must know its new self.
            if user is pod.main:
                pod.main = pod.spec["containers"][index]
            return
    raise Refusal(
        "sidecar/no-such-container",
        f'frontendSidecar refers to "{name}", but podTemplate does not have this container; '
        "the operator fails to render the pod.",
        (*pod.component.path, "frontendSidecar"),
        "Use the name of one of podTemplate.spec.containers.",
    )


def _with_defaults(pod: Pod, user: Tree) -> Tree:
    if pod.release.has("sidecar/runtime-of-its-own"):
        base = container_of(pod, "frontend", user["name"], image_version(user.get("image", "")))
    else:
        base = base_container(pod, "frontend")
    base["name"] = user["name"]
    container = merge_container(base, user)
    container["env"] = merge_env(base["env"], user.get("env"))
    container["env"] = merge_env(infrastructure_env(pod.operator.config), container["env"])
    known = {mount.get("name", "") for mount in container.get("volumeMounts") or ()}
    for mount in pod.shared_mounts:
        if mount["name"] not in known:
            known.add(mount["name"])
            container.setdefault("volumeMounts", []).append(copy_tree(mount))
    return container


@rule("runtime_sidecar/defaults", source="internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership")
def container_beside_runtime(pod: Pod) -> None:
    """Starts the container `main` from its component type; an engine beside `runtime` starts from nothing."""
    if pod.component.runtime_sidecar is None:
        container_defaults(pod)
    else:
        pod.main = {"name": pod.release["main-container"], "env": []}


@rule("runtime_sidecar/infrastructure", source="internal/dynamo/component_common.go getCommonContainer")
def infrastructure_of_runtime(pod: Pod) -> None:
    """Adds addresses and keys from the operator's configuration to `main`, unless it is an engine beside `runtime`."""
    if pod.component.runtime_sidecar is None:
        infrastructure(pod)
    else:
        pod.main["env"] = merge_env(None, pod.main.get("env"))


@rule(
    "runtime_sidecar/backend-container", source="internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership"
)
def container_of_backend(pod: Pod) -> None:
    """Lets the backend change `main`; of an engine beside `runtime` only the place of its cache is told."""
    if pod.component.runtime_sidecar is None:
        backend_container(pod)
    elif pod.backend == "vllm":
        tell_cache_root(pod)


@rule("runtime_sidecar/backend-pod", source="internal/dynamo/component_dynamo_sidecar.go mergeDynamoSidecarDefaults")
def pod_of_backend(pod: Pod) -> None:
    """Lets the backend change the pod; or gives the init container `runtime` the defaults of a worker's Dynamo.

    The user's fields win, and a probe of the user's replaces the default whole.
    """
    if pod.component.runtime_sidecar is None:
        backend_pod(pod)
        return
    containers = pod.spec["initContainers"]
    for index, user in enumerate(containers):
        if user is not None and user.get("name") == pod.component.runtime_sidecar["name"]:
            containers[index] = _runtime(pod, user)
            return


def _runtime(pod: Pod, user: Tree) -> Tree:
    release, name = pod.release, user["name"]
    env = [*common_env(pod, pod.component.type, name), *copy_tree(release["env/runtime"])]
    if pod.component.worker_hash:
        env.append({"name": "DYN_NAMESPACE_WORKER_SUFFIX", "value": pod.component.worker_hash})
    base: Tree = {
        "name": name,
        "env": merge_env(infrastructure_env(pod.operator.config), env),
        "ports": copy_tree(release["ports/runtime"]),
        "restartPolicy": "Always",
        **copy_tree(release["probes/runtime"]),
    }
    merged = merge_container(base, user)
    merged["env"] = merge_env(base["env"], user.get("env"))
    for probe in _PROBES:
        if probe in user:
            merged[probe] = copy_tree(user[probe])
    return merged

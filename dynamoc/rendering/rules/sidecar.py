"""The frontend as a sidecar, and Dynamo in an init container beside an engine that knows nothing of it, since 1.6.

Source: internal/dynamo/component_dynamo_sidecar.go, graph.go generateBasePodSpecWithDefaultsAndOwnership.
"""

from __future__ import annotations

from typing import Any

from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import copy_tree, merge_container
from dynamoc.kube.names import image_version
from dynamoc.rendering.rules.backend import backend_container, backend_pod
from dynamoc.rendering.rules.common import add_pull_secrets
from dynamoc.rendering.rules.container import base_container, common_env, container_defaults, container_of
from dynamoc.rendering.rules.draft import Pod, rule
from dynamoc.rendering.rules.env import infrastructure, infrastructure_env, merge_env, secret_source
from dynamoc.rendering.rules.vllm import tell_cache_root

Tree = dict[str, Any]


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


_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


@rule("runtime_sidecar/defaults", source="internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership")
def defaults(pod: Pod) -> None:
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

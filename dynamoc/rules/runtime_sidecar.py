"""Dynamo in an init container called `runtime`, beside an engine that knows nothing of it, since 1.6.

Source: internal/dynamo/component_dynamo_sidecar.go, graph.go generateBasePodSpecWithDefaultsAndOwnership.
"""

from __future__ import annotations

from dynamoc.golang.mergo import merge_container
from dynamoc.rules.backend import backend_container, backend_pod
from dynamoc.rules.backends.vllm_cache import tell_cache_root
from dynamoc.rules.container import common_env, container_defaults
from dynamoc.rules.env import infrastructure, infrastructure_env, merge_env
from dynamoc.rules.registry import rule
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

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

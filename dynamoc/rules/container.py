"""The container `main`: what its component type brings, and what the user says about it."""

from __future__ import annotations

from dynamoc.kube.merge import merge_container
from dynamoc.kube.tree import copy_tree
from dynamoc.rules.discovery import discovery_mode
from dynamoc.rules.env import merge_env
from dynamoc.rules.epp import epp_args, epp_config_mount
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]


def base_container(pod: Pod, component_type: str) -> Tree:
    """The container of a component type before the user says anything. Environment in the operator's order."""
    release = pod.release
    main: Tree = {
        "name": release["main-container"],
        "command": copy_tree(release["command/default"]),
        "env": common_env(pod, component_type),
    }
    if component_type == "frontend":
        main["command"] = copy_tree(release["command/frontend"])
        main["args"] = copy_tree(release["args/frontend"])
        main["ports"] = copy_tree(release["ports/frontend"])
        main.update(copy_tree(release["probes/frontend"]))
        main["env"] += frontend_env(pod)
    elif component_type in ("worker", "prefill", "decode"):
        main["ports"] = copy_tree(release["ports/worker"])
        main.update(copy_tree(release["probes/worker"]))
        main["env"] += copy_tree(release["env/worker"])
        # One Dynamo namespace a generation of workers, so that old and new ones don't mix during a rollout.
        if pod.component.worker_hash:
            main["env"].append({"name": "DYN_NAMESPACE_WORKER_SUFFIX", "value": pod.component.worker_hash})
    elif component_type == "planner":
        main["ports"] = copy_tree(release["ports/planner"])
        main.update(copy_tree(release["probes/planner"]))
        main["env"] += copy_tree(release["env/planner"])
    elif component_type == "epp":
        # The image's own entry point runs; the user's command, if any, is merged over this.
        del main["command"]
        main["args"] = epp_args(pod)
        main["ports"] = copy_tree(release["ports/epp"])
        main.update(copy_tree(release["probes/epp"]))
        main["env"] += copy_tree(release["env/epp"])
        if release.has("epp/namespace-prefix"):
            main["env"].append(namespace_prefix(pod))
        main["volumeMounts"] = [epp_config_mount(release), {"name": "hf-cache", "mountPath": "/home/nonroot/.cache"}]
    return main


def common_env(pod: Pod, component_type: str) -> list[Tree]:
    env: list[Tree] = [
        {"name": "DYN_NAMESPACE", "value": pod.dynamo_namespace},
        {"name": "DYN_COMPONENT", "value": component_type},
        {"name": "DYN_PARENT_DGD_K8S_NAME", "value": pod.owner},
        {"name": "DYN_PARENT_DGD_K8S_NAMESPACE", "value": pod.namespace},
        *copy_tree(pod.release["env/identity"]),
    ]
    # Any other backend than etcd, even a misspelt one, counts as kubernetes here.
    if pod.operator.discovery_backend(pod.component.steering) != "etcd":
        env.append({"name": "DYN_DISCOVERY_BACKEND", "value": "kubernetes"})
    if pod.release.has("discovery/container-mode") and discovery_mode(pod.component.steering) == "container":
        env.append({"name": "CONTAINER_NAME", "value": pod.release["main-container"]})
        env.append({"name": "DYN_KUBE_DISCOVERY_MODE", "value": "container"})
    return env


def frontend_env(pod: Pod) -> list[Tree]:
    return [
        {"name": "DYNAMO_PORT", "value": "8000"},
        {"name": "DYN_HTTP_PORT", "value": "8000"},
        namespace_prefix(pod),
    ]


def namespace_prefix(pod: Pod) -> Tree:
    return {"name": "DYN_NAMESPACE_PREFIX", "value": pod.dynamo_namespace}


@rule("container/defaults", source="internal/dynamo/component_*.go GetBaseContainer")
def container_defaults(pod: Pod) -> None:
    """Starts the container `main` from its component type: command, ports, probes and environment.

    Everything here can be overridden by `extraPodSpec.mainContainer`.
    """
    pod.main = base_container(pod, pod.component.type)


@rule("container/user-main-container", source="internal/dynamo/graph.go GenerateBasePodSpec")
def user_main_container(pod: Pod) -> None:
    """Merges `extraPodSpec.mainContainer` over the defaults.

    Empty values do not override, lists replace, structs merge field by field. Environment merges by name; a startup
    probe replaces the default whole, because there is no field of the component for it.
    """
    user = pod.component.main
    if user is None:
        return
    base_env = pod.main["env"]
    pod.main = merge_container(pod.main, user)
    pod.main["env"] = merge_env(base_env, pod.main.get("env"))
    if "startupProbe" in user:
        pod.main["startupProbe"] = copy_tree(user["startupProbe"])


@rule("container/user-main", source="internal/dynamo/graph.go mergeContainerByName")
def user_main(pod: Pod) -> None:
    """Merges the container `main` of `podTemplate` over the defaults.

    Empty values do not override, lists replace, structs merge field by field. Environment merges by name; a probe
    replaces the default whole.
    """
    user = pod.component.main
    if user is None:
        return
    base_env = pod.main["env"]
    pod.main = merge_container(pod.main, {**user, "name": pod.release["main-container"]})
    pod.main["env"] = merge_env(base_env, user.get("env"))
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe in user:
            pod.main[probe] = copy_tree(user[probe])

"""The container `main` and its probes, service discovery, and the security context of the pod."""

from __future__ import annotations

from dynamoc.kube.merge import Tree, copy_tree, merge_container
from dynamoc.rendering.rules.draft import Pod, epp_args, epp_mounts, is_native, rule, tell_lost
from dynamoc.rendering.rules.env import merge_env

Version = tuple[int, int, int]


def discovery_account(owner: str) -> str:
    """discovery/resource.go GetK8sDiscoveryServiceAccountName."""
    return f"{owner}-k8s-service-discovery"


def discovery_mode(annotations: dict[str, str]) -> str:
    """`pod`, or `container` where several containers of a pod register (controller_common GetKubeDiscoveryMode)."""
    return annotations.get("nvidia.com/dynamo-kube-discovery-mode", "pod")


@rule("discovery/service-account", source="internal/dynamo/graph.go GenerateBasePodSpec")
def service_account(pod: Pod) -> None:
    """Runs the pod under the graph's discovery account, unless its type or the user names another.

    Only with Kubernetes as the discovery backend: the account may watch EndpointSlices and write worker metadata.
    """
    if pod.operator.kubernetes_discovery(pod.component.steering) and not pod.spec.get("serviceAccountName"):
        pod.spec["serviceAccountName"] = discovery_account(pod.owner)


def base_container(pod: Pod, component_type: str) -> Tree:
    """The container of a component type before the user says anything. Environment in the operator's order."""
    return container_of(pod, component_type, pod.release["main-container"], pod.runtime_version)


def container_of(pod: Pod, component_type: str, name: str, version: Version | None) -> Tree:
    """The same for a container that is not `main`, with the version of Dynamo that its image holds."""
    release = pod.release
    main: Tree = {
        "name": release["main-container"],
        "command": copy_tree(release["command/default"]),
        "env": common_env(pod, component_type, name),
    }
    defaults = release["component-defaults"].get(component_type, "")
    if defaults:
        main["ports"] = copy_tree(release.of("ports", defaults))
        main.update(copy_tree(release.of("probes", defaults)))
        main["env"] += copy_tree(release.of("env", defaults))
    if defaults == "frontend":
        main["command"] = copy_tree(release["command/frontend"])
        main["args"] = copy_tree(release["args/frontend"])
        if release.has("frontend/namespace-prefix"):
            main["env"].append(namespace_prefix(pod))
        _guard_prefix(pod, main, version)
        if pod.runtime_has("frontend-startup-probe", version):
            main["startupProbe"] = copy_tree(release["probes/frontend-startup"])
    elif defaults == "worker":
        _follow_runtime(pod, main, version)
        # One Dynamo namespace a generation of workers, so that old and new ones don't mix during a rollout.
        if pod.component.worker_hash and release.has("worker/generations"):
            main["env"].append({"name": "DYN_NAMESPACE_WORKER_SUFFIX", "value": pod.component.worker_hash})
    elif defaults == "epp":
        # The image's own entry point runs; the user's command, if any, is merged over this.
        del main["command"]
        if release.has("epp/namespace-prefix"):
            main["env"].append(namespace_prefix(pod))
        if is_native(pod):
            _guard_prefix(pod, main, version)
            main["env"].append({"name": "HOME", "value": release["epp/native-home"]})
        else:
            main["args"] = epp_args(pod)
        main["volumeMounts"] = epp_mounts(pod)
    return main


def _guard_prefix(pod: Pod, main: Tree, version: Version | None) -> None:
    """Newer runtimes can distinguish a namespace from one whose name only begins the same way."""
    if pod.runtime_has("strict-namespace-prefix", version):
        main["env"].append({"name": "DYN_NAMESPACE_PREFIX_STRICT", "value": "true"})


def _follow_runtime(pod: Pod, main: Tree, version: Version | None) -> None:
    """What newer runtimes can do: canaries for the health check, and liveness that bears a few failures."""
    if pod.runtime_has("canary-health-checks", version):
        for variable in main["env"]:
            if variable["name"] == "DYN_HEALTH_CHECK_ENABLED":
                variable["value"] = "true"
    if pod.runtime_has("lenient-liveness", version):
        main["livenessProbe"]["failureThreshold"] = pod.release["liveness/lenient-failures"]


def common_env(pod: Pod, component_type: str, container: str) -> list[Tree]:
    """The environment of every container that runs Dynamo; `container` is its name, to register by."""
    component = [{"name": "DYN_COMPONENT", "value": component_type}] if pod.release.has("env/component-type") else []
    env: list[Tree] = [
        {"name": "DYN_NAMESPACE", "value": pod.dynamo_namespace},
        *component,
        {"name": "DYN_PARENT_DGD_K8S_NAME", "value": pod.owner},
        {"name": "DYN_PARENT_DGD_K8S_NAMESPACE", "value": pod.namespace},
        *copy_tree(pod.release["env/identity"]),
    ]
    # Any other backend than etcd, even a misspelt one, counts as kubernetes here.
    if pod.operator.discovery_backend(pod.component.steering) != "etcd":
        env.append({"name": "DYN_DISCOVERY_BACKEND", "value": "kubernetes"})
    if pod.release.has("discovery/container-mode") and discovery_mode(pod.component.steering) == "container":
        env.append({"name": "CONTAINER_NAME", "value": container})
        env.append({"name": "DYN_KUBE_DISCOVERY_MODE", "value": "container"})
    return env


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

    Empty values do not override, lists replace, structs merge field by field; in 0.6 whatever is optional, a probe for
    instance, replaces the default whole. Environment merges by name; a startup probe replaces the default whole in any
    release, because there is no field of the component for it.
    """
    user = pod.component.main
    if user is None:
        return
    base_env = pod.main["env"]
    pod.main = merge_container(pod.main, user, replace_pointers=pod.release.has("merge/whole-pointers"))
    pod.main["env"] = merge_env(base_env, pod.main.get("env"))
    if "startupProbe" in user:
        pod.main["startupProbe"] = copy_tree(user["startupProbe"])
    tell_lost(pod, user, pod.main, pod.component.main_path)


@rule("container/user-main-container-alone", source="internal/dynamo/graph.go GenerateBasePodSpec")
def user_main_container_alone(pod: Pod) -> None:
    """Merges `extraPodSpec.mainContainer` over the defaults; its environment, as any list, replaces theirs as a whole.

    Empty values do not override, whatever is optional replaces the default whole.
    """
    user = pod.component.main
    if user is None:
        return
    lost = [variable["name"] for variable in pod.main["env"]] if user.get("env") else []
    lost = [name for name in lost if name not in {variable.get("name") for variable in user.get("env") or ()}]
    pod.main = merge_container(pod.main, user, replace_pointers=pod.release.has("merge/whole-pointers"))
    tell_lost(pod, user, pod.main, pod.component.main_path)
    if lost:
        pod.operator.warn(
            "env/defaults-lost",
            f"The environment of mainContainer replaces the operator's: {', '.join(lost)} are not set.",
            (*pod.component.main_path, "env"),
            "Move the variables to the component's envs.",
        )


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
    tell_lost(pod, user, pod.main, pod.component.main_path)


@rule("container/user-main-and-ports", source="internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership")
def user_main_and_ports(pod: Pod) -> None:
    """Merges the container `main` of `podTemplate` over the defaults; its ports replace them, an empty list too.

    Empty values do not override, lists replace, structs merge field by field. Environment merges by name; a probe
    replaces the default whole.
    """
    user_main(pod)
    ports = (pod.component.main or {}).get("ports")
    if ports is not None:
        pod.main["ports"] = copy_tree(ports)


@rule("probes/service", source="internal/dynamo/graph.go GenerateBasePodSpec")
def service_probes(pod: Pod) -> None:
    """Replaces liveness and readiness probe whole with those of the component, if it has them."""
    if pod.component.liveness_probe is not None:
        pod.main["livenessProbe"] = copy_tree(pod.component.liveness_probe)
    if pod.component.readiness_probe is not None:
        pod.main["readinessProbe"] = copy_tree(pod.component.readiness_probe)


@rule("security/pod-security-context", source="internal/dynamo/graph.go applyDefaultSecurityContext")
def pod_security_context(pod: Pod) -> None:
    """Sets fsGroup 1000, so that processes that aren't root can write to mounted volumes.

    Any `securityContext` of the user, even an empty one, disables this: the user then has full control.
    """
    user = pod.component.pod_spec
    if user is None or "securityContext" not in user:
        pod.spec["securityContext"] = {"fsGroup": pod.release["fs-group"]}

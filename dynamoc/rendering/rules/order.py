"""The rules that shape a pod, in the order of each release, and the run of these rules over a pod."""

from __future__ import annotations

from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import Release, newest
from dynamoc.rendering.rules import (
    backend,
    checkpoint,
    container,
    env,
    failover,
    memory,
    multinode,
    pod,
    resources,
    snapshot,
    volumes,
)
from dynamoc.rendering.rules.draft import RULES, Hosts, Pod, Rule
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot

#: what follows up to 0.6: the pod, with defaults of the component type, then the user's pod spec over it
_EARLY_POD = (
    backend.backend_container,
    pod.pod_defaults,
    pod.user_pod_spec,
    pod.main_container,
    pod.image_pull_secrets,
    backend.backend_pod,
    # last, so that nothing depends on the order in which lists were put together
    pod.pod_spec,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 0.4
_0_4 = (
    # the container `main`: defaults of the component type, then the user; the component's own environment comes last
    container.container_defaults,
    container.user_main_container_alone,
    env.service_env_beside_main_container,
    container.service_probes,
    resources.service_resources,
    env.env_from_secret,
    # behind what the user wrote, so that users cannot override it
    env.infrastructure_last,
    volumes.claim,
    # a part of the memory limit, which must be settled before
    volumes.shared_memory_of_limit,
    *_EARLY_POD,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 0.5
_0_5 = (
    container.container_defaults,
    container.user_main_container,
    # below mainContainer's, unlike in any later release
    env.service_env_below_container,
    container.service_probes,
    resources.service_resources,
    env.env_from_secret,
    env.infrastructure_last,
    volumes.claim,
    volumes.service_shared_memory,
    *_EARLY_POD,
)

#: the container `main` since 0.6: defaults of the component type, then the user, most specific last
_OF_SERVICE = (
    container.container_defaults,
    container.user_main_container,
    env.service_env,
    # whole probes of the service beat those of mainContainer, which were merged field by field
    container.service_probes,
    resources.service_resources,
    env.env_from_secret,
    # below what the user wrote, so that anybody can override it
    env.infrastructure,
    volumes.volume_mounts,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 0.6
_0_6 = (
    *_OF_SERVICE,
    volumes.service_shared_memory,
    *_EARLY_POD,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 1.0
_1_0 = (
    *_OF_SERVICE,
    volumes.service_shared_memory,
    # sees the final command, environment and mounts of the container
    backend.backend_container,
    # the pod: defaults of the component type, then the user's pod spec over it
    pod.pod_defaults,
    pod.user_pod_spec,
    container.pod_security_context,
    container.service_account,
    # `main` comes after the user's own containers, and its volumes after the user's
    pod.main_container,
    pod.image_pull_secrets,
    backend.backend_pod,
    checkpoint.restore,
    pod.frontend_sidecar,
)

#: internal/dynamo/graph.go GenerateBasePodSpec, checkpoint/podspec.go InjectCheckpointIntoPodSpec of operator 1.1
_1_1 = (
    *_OF_SERVICE,
    backend.backend_container,
    pod.pod_defaults,
    pod.user_pod_spec,
    container.pod_security_context,
    container.service_account,
    pod.main_container,
    # in place of the user's own volumes and mounts for it
    volumes.shared_memory,
    pod.image_pull_secrets,
    backend.backend_pod,
    pod.frontend_sidecar,
    # the engines of a failover are copies of the first container, which already uses the sidecar then
    failover.sidecar,
    failover.failover,
    snapshot.restore_main,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 1.2
_1_2 = (
    container.container_defaults,
    container.user_main,
    volumes.complete_mounts,
    # unchecked, so that it may be mounted twice
    volumes.compilation_cache_mount_appended,
    env.infrastructure,
    pod.shared_mounts,
    failover.load_format,
    backend.backend_container,
    pod.pod_defaults,
    pod.user_template,
    container.pod_security_context,
    container.service_account,
    volumes.compilation_cache_volume_by_name,
    volumes.shared_memory,
    pod.main_container_first,
    pod.frontend_defaults,
    backend.backend_pod,
    volumes.claims_of_mounts,
    pod.all_image_pull_secrets,
    memory.intra_pod,
    failover.intra_pod,
    snapshot.restore_shared,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operators 1.3 and 1.4
_1_3 = (
    # the container `main`: defaults of the component type, then podTemplate's container over them
    container.container_defaults,
    container.user_main,
    volumes.compilation_cache_mount,
    volumes.complete_mounts,
    env.infrastructure,
    # before backend and shared memory add mounts that only `main` needs
    pod.shared_mounts,
    # before the backend quotes the command line for a shell
    failover.load_format,
    backend.backend_container,
    snapshot.probe_cadence,
    # the pod: defaults of the component type, then podTemplate's spec over them
    pod.pod_defaults,
    pod.user_template,
    container.pod_security_context,
    container.service_account,
    volumes.compilation_cache_volume,
    volumes.shared_memory,
    pod.main_container_first,
    pod.frontend_defaults,
    backend.backend_pod,
    # sorts all volumes, those of the backend too
    volumes.claims_of_mounts,
    pod.all_image_pull_secrets,
    # the engines of a failover are copies of a `main` that already uses the sidecar
    memory.intra_pod,
    failover.intra_pod,
    snapshot.restore,
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 1.5, which leaves pods that start from a snapshot to others
_1_5 = tuple(step for step in _1_3 if step not in (snapshot.probe_cadence, snapshot.restore))

#: internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership of operator 1.6
_1_6 = (
    pod.container_beside_runtime,
    container.user_main_and_ports,
    volumes.compilation_cache_mount,
    volumes.complete_mounts,
    pod.infrastructure_of_runtime,
    pod.shared_mounts,
    # before the backend names them in flags, and before mpirun lists what it forwards
    multinode.leader_and_rank,
    failover.load_format,
    pod.container_of_backend,
    pod.pod_defaults,
    pod.user_template,
    container.pod_security_context,
    container.service_account,
    volumes.compilation_cache_volume,
    volumes.shared_memory,
    pod.main_container_first,
    pod.pod_of_backend,
    pod.frontend_defaults,
    volumes.claims_of_mounts,
    pod.every_image_pull_secrets,
    memory.intra_pod,
    failover.intra_pod,
)

#: rules that do nothing unless a component has a block `experimental`
_EXPERIMENTAL = frozenset(
    (
        failover.load_format,
        snapshot.probe_cadence,
        memory.intra_pod,
        failover.intra_pod,
        snapshot.restore,
        snapshot.restore_shared,
    )
)
ORDERS = {
    "0.4": _0_4,
    "0.5": _0_5,
    "0.6": _0_6,
    "1.0": _1_0,
    "1.1": _1_1,
    "1.2": _1_2,
    "1.3": _1_3,
    "1.5": _1_5,
    "1.6": _1_6,
}


def rules_of(release: Release, *, experimental: bool = True) -> tuple[Rule, ...]:
    """The rules of a release in their order, with or without those for components with `experimental`."""
    ordered = _ORDERED.get((release.name, experimental))
    if ordered is None:
        order = newest(ORDERS, release.name)
        steps = [step for step in order if experimental or step not in _EXPERIMENTAL]
        ordered = _ORDERED[release.name, experimental] = tuple(RULES[step] for step in steps)
    return ordered


_ORDERED: dict[tuple[str, bool], tuple[Rule, ...]] = {}


def build_graph_pod(
    graph: Graph,
    component: Component,
    operator: Operator,
    role: str,
    backend: str,
    *,
    nodes: int | None = None,
    hosts: Hosts | None = None,
    checkpoint: CheckpointInfo | None = None,
    snapshot: Snapshot | None = None,
) -> Tree:
    """The PodSpec of a component that Grove runs in its graph, or that a Job runs to take its snapshot."""
    return build_pod(
        Pod(
            operator,
            component,
            owner=graph.name,
            namespace=graph.namespace,
            service=component.name,
            role=role,
            nodes=component.nodes if nodes is None else nodes,
            backend=backend,
            hosts=hosts or multinode.grove_hosts(operator.release),
            checkpoint=checkpoint,
            snapshot=snapshot,
        )
    )


def build_pod(draft: Pod) -> Tree:
    """Runs the rules of the release over the pod and returns its PodSpec. Raises `Refusal` where the operator fails."""
    for step in rules_of(draft.release, experimental=draft.component.experimental is not None):
        step.apply(draft)
    return draft.spec

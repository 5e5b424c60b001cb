"""Graph and Component, a superset of what the API versions can say, and what `experimental` of v1beta1 asks for.

All trees in here are canonical: they went through `kube/go_types.py`, so a field that is missing is Go's zero
value, and quantities are printed as Go prints them. Trees are the graph's own; rules may change a component's fields
where the operator changes them in memory. Source: api/v1beta1/dynamocomponentdeployment_types.go of release 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import runtime_version
from dynamoc.kube.quantity import parse_int
from dynamoc.reference.releases import Release

RUNTIME = "runtime"
WORKER_TYPES = ("worker", "prefill", "decode")


@dataclass(eq=False, slots=True)
class Component:
    """One component of a graph: a service of v1alpha1, an entry of `components` in v1beta1, or a DCD.

    name            as the user wrote it
    path            where it is in the user's document
    type, sub_type  component type, "" where none is given
    replicas        None where neither the user nor a default set it
    nodes           nodes of one replica; 1 where the component is not multinode
    labels, annotations          of the component itself
    pod_labels, pod_annotations  of its pods (extraPodMetadata, podTemplate.metadata)
    env             environment of the component, list of EnvVar
    env_from_secret name of a Secret, or None
    main            what the user says about the container `main`, a Container tree or None
    pod_spec        what the user says about the pod, a PodSpec tree without `main`, or None
    liveness_probe, readiness_probe   Probe trees that replace the default whole, or None
    resources       v1alpha1 resources (cpu, memory, gpu, gpuType, custom, claims), or None
    volume_mounts   v1alpha1 volumeMounts
    shared_memory   {"disabled": bool, "size": quantity} or None
    frontend_sidecar, model_ref, ingress, epp_config, checkpoint   trees or None
    scaling_adapter whether an adapter owns the replicas
    global_dynamo_namespace, dynamo_namespace   see `dynamo_namespace` in `dynamoc.kube.names`
    spec            the whole canonical spec, as the worker hash and the DCD need it

    steering        annotations that change what is rendered: the component's own, or, in v1beta1, those of its pods
    worker_hash     generation of workers that the component belongs to, "" where it carries none
    main_path       where the container `main` is in the user's document

    Only v1beta1 has these:
    containers      containers beside `main`, in the user's order
    sidecar         name of the container that gets the defaults of a frontend, or None
    compilation_cache, topology_constraint, experimental   trees or None
    min_available   replicas that must be there for a gang to be scheduled, or None
    keeps_launch    whether the pod template is of a role, whose command the operator does not spread over nodes
    """

    name: str
    path: Path
    spec: Tree
    type: str = ""
    sub_type: str = ""
    replicas: int | None = None
    nodes: int = 1
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    pod_labels: dict[str, str] = field(default_factory=dict)
    pod_annotations: dict[str, str] = field(default_factory=dict)
    env: list[Tree] = field(default_factory=list)
    env_from_secret: str | None = None
    main: Tree | None = None
    pod_spec: Tree | None = None
    liveness_probe: Tree | None = None
    readiness_probe: Tree | None = None
    resources: Tree | None = None
    volume_mounts: list[Tree] = field(default_factory=list)
    shared_memory: Tree | None = None
    frontend_sidecar: Tree | None = None
    model_ref: Tree | None = None
    ingress: Tree | None = None
    epp_config: Tree | None = None
    checkpoint: Tree | None = None
    scaling_adapter: bool = False
    global_dynamo_namespace: bool = False
    dynamo_namespace: str | None = None
    steering: dict[str, str] = field(default_factory=dict)
    worker_hash: str = ""
    main_path: Path = ()
    containers: list[Tree] = field(default_factory=list)
    sidecar: str | None = None
    compilation_cache: Tree | None = None
    topology_constraint: Tree | None = None
    experimental: Tree | None = None
    min_available: int | None = None
    keeps_launch: bool = False

    @property
    def is_worker(self) -> bool:
        """Workers get a backend and the worker hash (graph.go IsWorkerComponent)."""
        return self.type in WORKER_TYPES

    @property
    def is_multinode(self) -> bool:
        return self.nodes > 1

    @property
    def runtime_sidecar(self) -> Tree | None:
        """The init container `runtime`, which since 1.6 is Dynamo, while `main` is the engine alone."""
        containers = (self.pod_spec or {}).get("initContainers") or ()
        return next((container for container in containers if container.get("name") == RUNTIME), None)

    def runtime_version(self, release: Release) -> tuple[int, int, int] | None:
        """The version of Dynamo in the pods: the override, else the tag of its image; None where unknown."""
        dynamo = (self.runtime_sidecar if release.has("runtime/in-sidecar") else None) or self.main or {}
        return runtime_version(dynamo.get("image", ""), self.spec.get("runtimeVersionOverride", ""))


@dataclass(eq=False, slots=True)
class Graph:
    """A DynamoGraphDeployment. Components of v1alpha1 are sorted by name, bytewise; those of v1beta1 are a list.

    annotations       of the metadata; they steer the operator
    alpha             its v1alpha1 view, as far as rendering asks for it
    spec_annotations, spec_labels   since 1.1: for everything that is made from the graph
    """

    value: Tree
    alpha: Tree
    name: str
    namespace: str
    components: list[Component]
    annotations: dict[str, str] = field(default_factory=dict)
    backend_framework: str = ""
    spec_annotations: dict[str, str] = field(default_factory=dict)
    spec_labels: dict[str, str] = field(default_factory=dict)
    env: list[Tree] = field(default_factory=list)
    pvcs: list[Tree] = field(default_factory=list)
    restart: Tree | None = None

    @property
    def is_multinode(self) -> bool:
        return any(component.is_multinode for component in self.components)

    def of_type(self, component_type: str) -> list[Component]:
        return [component for component in self.components if component.type == component_type]


def gpu_count(resources: Tree | None) -> int:
    """limits.gpu of v1alpha1, else requests.gpu, as strconv.Atoi reads it; 0 where it doesn't (parseGPUCount)."""
    for part in ("limits", "requests"):
        text = ((resources or {}).get(part) or {}).get("gpu")
        if text:
            try:
                return parse_int(text)
            except ValueError:
                return 0
    return 0


INTRA_POD, INTER_POD = "IntraPod", "InterPod"
WAIT_FOR_CHECKPOINT, IMMEDIATE = "WaitForCheckpoint", "Immediate"


def gpu_memory_service(spec: Tree) -> Tree | None:
    return _block(spec, "gpuMemoryService")


def is_inter_pod_gms(spec: Tree) -> bool:
    """A separate GMS pod for each rank, instead of a sidecar in the engine's pod."""
    return (gpu_memory_service(spec) or {}).get("mode") == INTER_POD


def is_intra_pod_gms(spec: Tree) -> bool:
    """Anything but the mode InterPod, no mode included."""
    return gpu_memory_service(spec) is not None and not is_inter_pod_gms(spec)


def is_intra_pod_failover(spec: Tree) -> bool:
    """Two engines in one pod. The block's presence turns it on; the mode is IntraPod where none is given."""
    failover = _block(spec, "failover")
    return failover is not None and failover.get("mode", "") in ("", INTRA_POD)


def is_inter_pod_failover(spec: Tree) -> bool:
    """Shadow engines in separate pods."""
    return (_block(spec, "failover") or {}).get("mode") == INTER_POD


def engine_pods(spec: Tree) -> int:
    """Engine pods of each rank of the inter-pod layout: the primary, and at least one shadow with failover."""
    if not is_inter_pod_failover(spec):
        return 1
    return 1 + max(1, int(spec["experimental"]["failover"].get("numShadows", 0)))


def uses_scaling_group(spec: Tree) -> bool:
    """Whether Grove gets a PodCliqueScalingGroup for the component, instead of a lone PodClique."""
    return node_count(spec) > 1 or is_inter_pod_gms(spec) or forces_scaling_group(spec)


def forces_scaling_group(spec: Tree) -> bool:
    return bool((_block(spec, "grove") or {}).get("forceScalingGroup"))


def node_count(spec: Tree) -> int:
    multinode = spec.get("multinode")
    count: int = 1 if multinode is None else multinode.get("nodeCount", 0)
    return count


def enabled_checkpoint(spec: Tree, release: Release) -> Tree | None:
    """The `checkpoint` block where it is on; in 1.2, which has no switch, where it is there."""
    checkpoint = _block(spec, "checkpoint")
    if checkpoint is None or not release.has("snapshots/switched"):
        return checkpoint
    return checkpoint if checkpoint.get("enabled") else None


def _block(spec: Tree, name: str) -> Tree | None:
    block: Tree | None = (spec.get("experimental") or {}).get(name)
    return block

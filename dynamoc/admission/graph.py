"""Graph and Component, a superset of what the API versions can say, and what `experimental` of v1beta1 asks for.

All trees in here are canonical: they went through `kube/go_types.py`, so a field that is missing is Go's zero
value, and quantities are printed as Go prints them. Trees are the graph's own; rules may change them where the
operator changes them in memory. Source: api/v1beta1/dynamocomponentdeployment_types.go of release 1.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import WORKER_HASH_LABEL, runtime_version
from dynamoc.kube.quantity import parse_int
from dynamoc.reference.releases import Release

MAIN, RUNTIME = "main", "runtime"
WORKER_TYPES = ("worker", "prefill", "decode")


class Said:
    """What a component's spec says: a path of fields in v1alpha1 and one in v1beta1, "" where a version has none.

    It is read each time, because rules change the spec. What is assigned to a component hides what its spec says.
    """

    def __init__(self, alpha: str, beta: str, otherwise: Callable[[], Any]) -> None:
        self._paths = alpha.split("."), beta.split(".")
        self._otherwise = otherwise

    def __get__(self, component: Component, _: type[Component]) -> Any:
        found: Any = component.spec
        for step in self._paths[component.is_hub]:
            found = found.get(step)
            if found is None:
                return self._otherwise()
        return found


def said(alpha: str, beta: str, otherwise: Callable[[], Any] = lambda: None) -> Any:
    """An attribute of a component that its spec says; `otherwise` makes what stands for a field that is not set."""
    return Said(alpha, beta, otherwise)


class Component:
    """One component of a graph: a service of v1alpha1, an entry of `components` in v1beta1, or a DCD.

    A view of its canonical spec. Beside it stands what the operator changes in memory without writing it there.

    name            as the user wrote it
    path            where it is in the user's document
    spec            the whole canonical spec, as the worker hash and the DCD need it
    alpha           the v1alpha1 view of it, as far as rendering asks for it: of v1alpha1 the spec itself
    is_hub          whether the spec is of v1beta1
    main_path       where the container `main` is in the user's document
    keeps_launch    whether the pod template is of a role, whose command the operator does not spread over nodes
    labels, annotations          of the component itself
    dynamo_namespace, global_dynamo_namespace   see `dynamo_namespace` in `dynamoc.kube.names`

    type, sub_type  component type, "" where none is given
    replicas        None where neither the user nor a default set it
    nodes           nodes of one replica; 1 where the component is not multinode
    pod_labels, pod_annotations  of its pods
    env             environment of the component, list of EnvVar
    env_from_secret name of a Secret, or None
    main            what the user says about the container `main`, a Container tree or None
    pod_spec        what the user says about the pod, a PodSpec tree without `main`, or None
    containers      containers beside `main`, in the user's order
    liveness_probe, readiness_probe   Probe trees that replace the default whole, or None
    resources       v1alpha1 resources (cpu, memory, gpu, gpuType, custom, claims), or None
    shared_memory   {"disabled": bool, "size": quantity} or None
    sidecar         name of the container that gets the defaults of a frontend, or None
    min_available   replicas that must be there for a gang to be scheduled, or None
    scaling_adapter whether an adapter owns the replicas
    steering        annotations that change what is rendered: the component's own, or, in v1beta1, those of its pods
    worker_hash     generation of workers that the component belongs to, "" where it carries none
    """

    #                                          v1alpha1                        v1beta1
    type: str = said("componentType", "type", str)
    replicas: int | None = said("replicas", "replicas")
    pod_labels: dict[str, str] = said("extraPodMetadata.labels", "podTemplate.metadata.labels", dict)
    pod_annotations: dict[str, str] = said("extraPodMetadata.annotations", "podTemplate.metadata.annotations", dict)
    env: list[Tree] = said("envs", "", list)
    env_from_secret: str | None = said("envFromSecret", "")
    liveness_probe: Tree | None = said("livenessProbe", "")
    readiness_probe: Tree | None = said("readinessProbe", "")
    resources: Tree | None = said("resources", "")
    volume_mounts: list[Tree] = said("volumeMounts", "", list)
    frontend_sidecar: Tree | None = said("frontendSidecar", "")
    sidecar: str | None = said("", "frontendSidecar")
    model_ref: Tree | None = said("modelRef", "modelRef")
    epp_config: Tree | None = said("eppConfig", "eppConfig")
    checkpoint: Tree | None = said("checkpoint", "experimental.checkpoint")
    experimental: Tree | None = said("", "experimental")
    topology_constraint: Tree | None = said("topologyConstraint", "topologyConstraint")
    compilation_cache: Tree | None = said("", "compilationCache")
    min_available: int | None = said("", "minAvailable")
    global_dynamo_namespace: bool = said("globalDynamoNamespace", "globalDynamoNamespace", bool)

    def __init__(self, name: str, path: Path, spec: Tree, alpha: Tree | None = None, main_path: Path = ()) -> None:
        """`alpha` is the v1alpha1 view of a spec of v1beta1, None for one of v1alpha1."""
        self.name, self.path, self.spec, self.main_path = name, path, spec, main_path
        self.is_hub = alpha is not None
        self.alpha = spec if alpha is None else alpha
        self.labels: dict[str, str] = dict(self.alpha.get("labels") or {})
        self.annotations: dict[str, str] = dict(self.alpha.get("annotations") or {})
        self.dynamo_namespace: str | None = self.alpha.get("dynamoNamespace")
        self.keeps_launch = False
        self._worker_hash = ""

    @property
    def sub_type(self) -> str:
        found: str = self.alpha.get("subComponentType", "")
        return found

    @property
    def ingress(self) -> Tree | None:
        return self.alpha.get("ingress")

    @property
    def nodes(self) -> int:
        return node_count(self.spec)

    @property
    def scaling_adapter(self) -> bool:
        # In v1beta1, the block itself is the switch.
        adapter = self.spec.get("scalingAdapter")
        return adapter is not None and (self.is_hub or bool(adapter.get("enabled")))

    @property
    def shared_memory(self) -> Tree | None:
        if not self.is_hub:
            return self.spec.get("sharedMemory")
        size = self.spec.get("sharedMemorySize")
        # A size of zero, however it is written, turns shared memory off.
        return None if size is None else {"disabled": True} if size == "0" else {"size": size}

    @property
    def steering(self) -> dict[str, str]:
        return self.pod_annotations if self.is_hub else self.annotations

    @property
    def worker_hash(self) -> str:
        return self._worker_hash or (self.pod_labels if self.is_hub else self.labels).get(WORKER_HASH_LABEL, "")

    @worker_hash.setter
    def worker_hash(self, digest: str) -> None:
        self._worker_hash = digest

    @property
    def main(self) -> Tree | None:
        if not self.is_hub:
            return (self.spec.get("extraPodSpec") or {}).get("mainContainer")
        return next((container for container in self._containers if container.get("name") == MAIN), None)

    @property
    def containers(self) -> list[Tree]:
        return [container for container in self._containers if container.get("name") != MAIN]

    @property
    def _containers(self) -> list[Tree]:
        if not self.is_hub:
            return []
        return ((self.spec.get("podTemplate") or {}).get("spec") or {}).get("containers") or []

    @property
    def pod_spec(self) -> Tree | None:
        if self.is_hub:
            template = self.spec.get("podTemplate")
            return None if template is None else _without(template.get("spec"), "containers")
        # extraPodSpec inlines a PodSpec *pointer*: it is nil where none of its fields is set.
        return _without(self.spec.get("extraPodSpec"), "mainContainer") or None

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

    def with_spec(self, spec: Tree) -> Component:
        """The component with another canonical spec of v1beta1; what v1alpha1 said of it stays."""
        other = Component(self.name, self.path, spec, self.alpha, self.main_path)
        other.labels, other.annotations, other.dynamo_namespace = self.labels, self.annotations, self.dynamo_namespace
        return other


def _without(tree: Tree | None, field: str) -> Tree:
    return {key: value for key, value in (tree or {}).items() if key != field}


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

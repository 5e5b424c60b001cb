"""`nvidia.com/v1alpha1` of release 1.4, as differences to release 1.0."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Count, Int32, Int64, NonEmpty, Part, Rule, StringMap, default, go, list_map, list_set
from dynamoc.api.v1alpha1 import checkpoint, common, component, graph, model, request
from dynamoc.api.v1beta1.common import PlacementStatus
from dynamoc.api.v1beta1.component import (
    MIN_AVAILABLE_FITS,
    MIN_AVAILABLE_STAYS,
    RuntimeVersion,
    TopologyConstraint,
    WeighedPickerConfig,
)
from dynamoc.api.v1beta1.experimental import (
    CLIENT_PODS_ARE_RESERVED,
    JOB_OR_REFERENCE,
    CheckpointJob,
    ClientPod,
    ContainerName,
    GraphExperimental,
    TopologyDomain,
)
from dynamoc.api.v1beta1.graph import RESTART_COMES_LATER, CheckpointInfo

Mode = Literal["intraPod", "interPod"]


class ReplicaStatus(common.ReplicaStatus):
    """What runs for one component."""

    runtime_namespace: str | None = None
    """Namespace in which the component registers itself."""
    scheduled_replicas: Count | None = None
    """Replicas that have a node."""


class SharedMemory(component.SharedMemory):
    """The memory-backed volume at /dev/shm."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "(has(self.disabled) && self.disabled)"
            " || (has(self.size) && quantity(self.size).isGreaterThan(quantity('0')))",
            "size is required when disabled is false",
        ),
    )

    disabled: Annotated[bool | None, go("omitempty")] = None


class GpuMemoryService(Part):
    """GPU memory that several processes share."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || self.mode == 'intraPod'",
            "extraClientContainers is only supported with mode=intraPod",
        ),
        Rule(
            "!has(self.extraClientPods) || size(self.extraClientPods) == 0 || self.mode == 'interPod'",
            "extraClientPods is only supported with mode=interPod",
        ),
        CLIENT_PODS_ARE_RESERVED,
    )

    enabled: bool
    mode: Annotated[Mode | None, default("intraPod"), go("omitempty")] = None
    """Whether the service runs in the workers' pods or in one of its own."""
    device_class_name: Annotated[str | None, default("gpu.nvidia.com"), go("omitempty")] = None
    """DeviceClass that the GPUs are claimed from."""
    extra_client_containers: Annotated[list[ContainerName] | None, list_set] = None
    """More containers of the pod that use the memory."""
    extra_client_pods: Annotated[list[ClientPod] | None, list_map("name")] = None


class Failover(Part):
    """Shadow workers that take over."""

    enabled: bool
    mode: Annotated[Mode | None, default("intraPod"), go("omitempty")] = None
    num_shadows: Annotated[Int32 | None, Field(ge=1), default(1), go("omitempty")] = None


class ServiceCheckpoint(component.ServiceCheckpoint):
    """Starting workers from a checkpoint."""

    rules: ClassVar[tuple[Rule, ...]] = (JOB_OR_REFERENCE,)

    mode: Annotated[Literal["Auto", "Manual"] | None, go("omitempty")] = None
    startup_policy: Annotated[
        Literal["Immediate", "WaitForCheckpoint"] | None, default("Immediate"), go("omitempty")
    ] = None
    """Whether workers wait for a checkpoint that is still being made."""
    deletion_policy: Annotated[Literal["Delete", "Retain"] | None, default("Delete"), go("omitempty")] = None
    """Whether the checkpoint goes with the graph."""
    target_container_name: Annotated[ContainerName | None, default("main"), go("omitempty")] = None
    """The container to checkpoint."""
    job: CheckpointJob | None = None


class EppConfig(component.EppConfig):
    """Where the endpoint picker has its configuration from."""

    config: WeighedPickerConfig | None = None


class SharedSpec(component.SharedSpec):
    """A component, in a graph or on its own."""

    rules: ClassVar[tuple[Rule, ...]] = (MIN_AVAILABLE_FITS, MIN_AVAILABLE_STAYS)

    min_available: Annotated[Int32 | None, Field(ge=1)] = None
    """Replicas without which Grove gives the component up."""
    shared_memory: SharedMemory | None = None
    gpu_memory_service: GpuMemoryService | None = None
    failover: Failover | None = None
    checkpoint: ServiceCheckpoint | None = None
    epp_config: EppConfig | None = None
    topology_constraint: TopologyConstraint | None = None
    runtime_version_override: Annotated[RuntimeVersion | None, go("omitempty")] = None
    """Version of Dynamo in the image, where its tag does not tell."""


class ComponentDeploymentSpec(SharedSpec, component.ComponentDeploymentSpec):
    """A component on its own."""


class ComponentDeploymentStatus(component.ComponentDeploymentStatus):
    """What became of a component."""

    service: ReplicaStatus | None = None


class DynamoComponentDeployment(component.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None
    status: ComponentDeploymentStatus | None = None


class GraphTopologyConstraint(Part):
    """Keeps the pods of a graph together."""

    topology_profile: NonEmpty
    """A topology that Grove knows."""
    pack_domain: Annotated[TopologyDomain | None, go("omitempty")] = None


class GraphDeploymentSpec(graph.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    rules: ClassVar[tuple[Rule, ...]] = (RESTART_COMES_LATER,)

    annotations: StringMap | None = None
    """Annotations of every component."""
    labels: StringMap | None = None
    """Labels of every component."""
    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None  # type: ignore[assignment]
    """Components by name."""
    priority_class_name: str | None = None
    topology_constraint: GraphTopologyConstraint | None = None
    experimental: GraphExperimental | None = None


class GraphDeploymentStatus(graph.GraphDeploymentStatus):
    """What became of a graph."""

    services: dict[str, ReplicaStatus] | None = None  # type: ignore[assignment]
    checkpoints: dict[str, CheckpointInfo] | None = None  # type: ignore[assignment]
    placement: PlacementStatus | None = None


class DynamoGraphDeployment(graph.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None


class CheckpointJobSpec(checkpoint.CheckpointJob):
    """The job that makes a checkpoint."""

    active_deadline_seconds: Annotated[Int64 | None, Field(ge=1), default(3600)] = None
    """Seconds after which the job is given up."""
    backoff_limit: Annotated[Int32 | None, Field(ge=0)] = None
    """Retries of the job."""
    ttl_seconds_after_finished: Annotated[Int32 | None, Field(ge=0)] = None
    """Seconds after which the finished job is removed."""
    shared_memory: SharedMemory | None = None
    target_container_name: Annotated[ContainerName | None, default("main"), go("omitempty")] = None
    """The container to checkpoint."""


class CheckpointSpec(checkpoint.CheckpointSpec):
    """A checkpoint that should exist."""

    job: CheckpointJobSpec
    gpu_memory_service: GpuMemoryService | None = None


class CheckpointStatus(checkpoint.CheckpointStatus):
    """What became of a checkpoint."""

    checkpoint_id: Annotated[str | None, Field(alias="checkpointID")] = None
    pod_snapshot_name: str | None = None


class DynamoCheckpoint(checkpoint.DynamoCheckpoint):
    """A checkpoint of a running worker, from which others start faster."""

    spec: CheckpointSpec | None = None
    status: CheckpointStatus | None = None


class ModelEndpoint(model.ModelEndpoint):
    """A worker that serves the model."""

    lora_fallback_covered: bool | None = None


class ModelStatus(model.ModelStatus):
    """Which workers serve a model."""

    endpoints: list[ModelEndpoint] | None = None  # type: ignore[assignment]
    lora_fallback_covered_endpoints: int | None = None


class DynamoModel(model.DynamoModel):
    """A model, to load it into running workers."""

    status: ModelStatus | None = None


class RequestSpec(request.RequestSpec):
    """A model, and how to find a graph that serves it well."""

    runtime_version_override: Annotated[RuntimeVersion | None, go("omitempty")] = None


class DynamoGraphDeploymentRequest(request.DynamoGraphDeploymentRequest):
    """Asks for a graph that serves a model within given latencies."""

    spec: RequestSpec | None = None

"""The kinds of release 1.1, as differences to release 1.0; what came with it is described as in later releases."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from dynamoc.api import operator_configuration as base
from dynamoc.api.base import Gone, Int32, Int64, Keys, Rule, StringMap, default, go
from dynamoc.api.kubernetes import OPAQUE_METADATA
from dynamoc.api.release import Release
from dynamoc.api.release_1_4 import v1alpha1 as later
from dynamoc.api.v1alpha1 import checkpoint, component, graph
from dynamoc.api.v1alpha1.model import DynamoModel, DynamoWorkerMetadata
from dynamoc.api.v1alpha1.request import DynamoGraphDeploymentRequest as AlphaRequest
from dynamoc.api.v1alpha1.scaling import DynamoGraphDeploymentScalingAdapter
from dynamoc.api.v1beta1 import request
from dynamoc.api.v1beta1.component import TopologyConstraint

GPU_SKUS = (
    *("gb200_sxm", "b200_sxm", "h200_sxm", "h100_sxm", "h100_pcie", "a100_sxm", "a100_pcie"),
    *("l40s", "l40", "l4", "v100_sxm", "v100_pcie", "t4", "mi200", "mi300"),
)


class SharedMemory(component.SharedMemory):
    """The memory-backed volume at /dev/shm."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!(has(self.disabled) && self.disabled && has(self.size))",
            "sharedMemory.size must not be set when sharedMemory.disabled is true",
        ),
    )


class GpuMemoryService(later.GpuMemoryService):
    """GPU memory that several processes share."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    extra_client_containers: Gone = None
    extra_client_pods: Gone = None


class Failover(later.Failover):
    """Shadow workers that take over."""

    num_shadows: Annotated[Int32 | None, Field(ge=1, le=1), default(1), go("omitempty")] = None


class SharedSpec(component.SharedSpec):
    """A component, in a graph or on its own."""

    shared_memory: SharedMemory | None = None
    gpu_memory_service: GpuMemoryService | None = None
    failover: Failover | None = None
    epp_config: later.EppConfig | None = None
    topology_constraint: TopologyConstraint | None = None


class ComponentDeploymentSpec(SharedSpec, component.ComponentDeploymentSpec):
    """A component on its own."""


class DynamoComponentDeployment(component.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


class GraphDeploymentSpec(graph.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    annotations: StringMap | None = None
    """Annotations of every component."""
    labels: StringMap | None = None
    """Labels of every component."""
    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None  # type: ignore[assignment]
    """Components by name."""
    topology_constraint: later.GraphTopologyConstraint | None = None


class DynamoGraphDeployment(graph.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None


class CheckpointJobSpec(checkpoint.CheckpointJob):
    """The job that makes a checkpoint."""

    active_deadline_seconds: Annotated[Int64 | None, Field(ge=1), default(3600)] = None
    """Seconds after which the job is given up."""
    backoff_limit: Annotated[Int32 | None, Field(ge=0)] = None
    """Retries of the job."""
    ttl_seconds_after_finished: Annotated[Int32 | None, Field(ge=0)] = None
    """Seconds after which the finished job is removed."""
    shared_memory: SharedMemory | None = None


class CheckpointSpec(checkpoint.CheckpointSpec):
    """A checkpoint that should exist."""

    job: CheckpointJobSpec
    gpu_memory_service: GpuMemoryService | None = None


class DynamoCheckpoint(checkpoint.DynamoCheckpoint):
    """A checkpoint of a running worker, from which others start faster."""

    spec: CheckpointSpec | None = None


class Hardware(request.Hardware):
    """The GPUs to plan for, where they should not be discovered."""

    gpu_sku: Annotated[str | None, Keys(enum=list(GPU_SKUS)), go("omitempty")] = None
    interconnect: str | None = None
    rdma: bool | None = None


class RequestSpec(request.RequestSpec):
    """A model, and how to find a graph that serves it well."""

    hardware: Hardware | None = None


class DynamoGraphDeploymentRequest(request.DynamoGraphDeploymentRequest):
    """Asks for a graph that serves a model within given latencies."""

    spec: RequestSpec | None = None


class CheckpointClaim(base.CheckpointClaim):
    """A claim that holds checkpoints."""

    pvc_name: str | None = None
    base_path: str | None = None


class CheckpointStorage(base.CheckpointStorage):
    """Where checkpoints were kept; read and ignored."""

    type: str | None = None  # type: ignore[assignment]
    pvc: CheckpointClaim | None = None


class Checkpoint(base.Checkpoint):
    """Whether workers are checkpointed."""

    ready_for_checkpoint_file_path: Gone = None
    storage: CheckpointStorage | None = None


class OperatorConfiguration(base.OperatorConfiguration):
    """What the operator is told at its start."""

    checkpoint: Checkpoint | None = None


RELEASE = Release(
    name="1.1",
    kubernetes="1.34",
    embedded_metadata=OPAQUE_METADATA,
    kinds=(
        {"v1alpha1": DynamoCheckpoint},
        {"v1alpha1": DynamoComponentDeployment},
        {"v1alpha1": DynamoGraphDeployment},
        {"v1alpha1": AlphaRequest, "v1beta1": DynamoGraphDeploymentRequest},
        {"v1alpha1": DynamoGraphDeploymentScalingAdapter},
        {"v1alpha1": DynamoModel},
        {"v1alpha1": DynamoWorkerMetadata},
    ),
    configuration=OperatorConfiguration,
)

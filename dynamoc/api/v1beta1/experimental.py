"""Parts of a component that may still change: shared GPU memory, failover, checkpoints, topology."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Int32, NonEmpty, Part, Preserved, Rule, cel, default, go, list_map, list_set
from dynamoc.api.v1alpha1.checkpoint import CheckpointIdentity as AlphaIdentity

LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
ContainerName = Annotated[str, Field(min_length=1, max_length=63, pattern=LABEL)]
TopologyDomain = Annotated[str, Field(pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")]
"""A level of the topology, such as `rack`."""
LabelKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=317,
        pattern=r"^(([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?"
        r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$",
    ),
    cel(
        Rule(
            "!self.contains('/') || self.split('/')[0].size() <= 253",
            "labelKey prefix must be 253 characters or less",
        )
    ),
]
Mode = Literal["IntraPod", "InterPod"]

CLIENT_PODS_ARE_RESERVED = Rule(
    "!has(self.extraClientPods) || size(self.extraClientPods) == 0",
    "extraClientPods is reserved for inter-pod GMS and is not implemented yet",
)
JOB_OR_REFERENCE = Rule(
    "!has(self.job) || !has(self.checkpointRef) || size(self.checkpointRef) == 0",
    "checkpoint.job cannot be set when checkpointRef is specified",
)


class ClientPod(Part):
    """A pod of its own that uses the shared GPU memory."""

    name: ContainerName
    pod_template: Preserved


class GpuMemoryService(Part):
    """GPU memory that several processes share."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || self.mode == 'IntraPod'",
            "extraClientContainers is only supported with mode=IntraPod",
        ),
        Rule(
            "!has(self.extraClientPods) || size(self.extraClientPods) == 0 || self.mode == 'InterPod'",
            "extraClientPods is only supported with mode=InterPod",
        ),
        CLIENT_PODS_ARE_RESERVED,
    )

    mode: Annotated[Mode | None, default("IntraPod"), go("omitempty")] = None
    """Whether the service runs in the workers' pods or in one of its own."""
    device_class_name: Annotated[str | None, default("gpu.nvidia.com"), go("omitempty")] = None
    """DeviceClass that the GPUs are claimed from."""
    extra_client_containers: Annotated[list[ContainerName] | None, list_set] = None
    """More containers of the pod that use the memory."""
    extra_client_pods: Annotated[list[ClientPod] | None, list_map("name")] = None


class Failover(Part):
    """Shadow workers that take over."""

    mode: Annotated[Mode | None, default("IntraPod"), go("omitempty")] = None
    num_shadows: Annotated[Int32 | None, Field(ge=1, le=1), default(1), go("omitempty")] = None


class CheckpointIdentity(AlphaIdentity):
    """What two workers must have in common to share a checkpoint."""

    model: NonEmpty
    """The model that the worker serves."""


class CheckpointJob(Part):
    """Changes to the job that makes the checkpoint."""

    gms_client_containers: Annotated[list[ContainerName] | None, list_set] = None
    """Containers of the job that use shared GPU memory."""
    pod_template: Preserved | None = None
    """Laid over the job's pod."""


class Checkpoint(Part):
    """Starting workers from a checkpoint."""

    rules: ClassVar[tuple[Rule, ...]] = (JOB_OR_REFERENCE,)

    enabled: bool
    mode: Annotated[Literal["Auto", "Manual"] | None, go("omitempty")] = None
    startup_policy: Annotated[
        Literal["Immediate", "WaitForCheckpoint"] | None, default("Immediate"), go("omitempty")
    ] = None
    """Whether workers wait for a checkpoint that is still being made."""
    deletion_policy: Annotated[Literal["Delete", "Retain"] | None, default("Delete"), go("omitempty")] = None
    """Whether the checkpoint goes with the graph."""
    checkpoint_ref: str | None = None
    """Name of a DynamoCheckpoint to use."""
    identity: CheckpointIdentity | None = None
    """What the checkpoint is of, to find or make one."""
    target_container_name: Annotated[ContainerName | None, default("main"), go("omitempty")] = None
    """The container to checkpoint."""
    job: CheckpointJob | None = None


class ComponentGrove(Part):
    """How Grove runs the component."""

    force_scaling_group: bool | None = None
    """Make a scaling group even for a single node."""


class ComponentExperimental(Part):
    """Fields of a component that may still change."""

    gpu_memory_service: GpuMemoryService | None = None
    failover: Failover | None = None
    grove: ComponentGrove | None = None
    checkpoint: Checkpoint | None = None


class KvTransferPolicy(Part):
    """How near to each other prefill and decode workers should run."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "(has(self.labelKey) && !has(self.clusterTopologyName))"
            " || (!has(self.labelKey) && has(self.clusterTopologyName))",
            "exactly one of labelKey or clusterTopologyName is required",
        ),
        Rule(
            "!has(self.enforcement) || self.enforcement != 'preferred' || has(self.preferredWeight)",
            "preferredWeight is required when enforcement is preferred",
        ),
        Rule(
            "!has(self.preferredWeight) || (has(self.enforcement) && self.enforcement == 'preferred')",
            "preferredWeight may only be set when enforcement is preferred",
        ),
    )

    cluster_topology_name: Annotated[NonEmpty | None, go("omitempty")] = None
    """A topology that Grove knows."""
    label_key: Annotated[LabelKey | None, go("omitempty")] = None
    """Or a label of the nodes."""
    domain: TopologyDomain
    enforcement: Annotated[Literal["required", "preferred"] | None, default("required"), go("omitempty")] = None
    preferred_weight: Annotated[float | None, Field(ge=0, le=1)] = None


class GraphExperimental(Part):
    """Fields of a graph that may still change."""

    kv_transfer_policy: KvTransferPolicy | None = None

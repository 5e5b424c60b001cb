"""Parts that both versions of `nvidia.com` have."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from dynamoc.reference.models.base import AnyValue, NonEmpty, Part, Preserved, StringMap

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
]
RuntimeVersion = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$")]
Framework = Literal["sglang", "vllm", "trtllm"]
DeploymentState = Literal["initializing", "pending", "successful", "failed"]

EnvVar = dict[str, Any]
ConfigMapKeySelector = dict[str, Any]


class PluginSpec(Part):
    """A plugin of the endpoint picker."""

    name: str | None = None
    type: str
    parameters: AnyValue | None = None


class ProfilePlugin(Part):
    """Use of a plugin in a scheduling profile."""

    plugin_ref: str
    weight: int | None = None


class SchedulingProfile(Part):
    """Plugins that together choose an endpoint."""

    name: str
    plugins: list[ProfilePlugin]


class SaturationDetector(Part):
    """When the endpoint picker takes an endpoint for full."""

    queue_depth_threshold: int | None = None
    kv_cache_util_threshold: float | None = None
    metrics_staleness_threshold: str | None = None


class EndpointPickerConfig(Part):
    """Configuration of the gateway's endpoint picker; fields of newer pickers pass through."""

    model_config = ConfigDict(extra="allow")

    api_version: str | None = None
    kind: str | None = None
    feature_gates: list[str] | None = None
    plugins: list[PluginSpec]
    scheduling_profiles: list[SchedulingProfile]
    saturation_detector: SaturationDetector | None = None


class CheckpointJob(Part):
    """Changes to the job that makes the checkpoint."""

    gms_client_containers: list[ContainerName] | None = None
    """Containers of the job that use shared GPU memory."""
    pod_template: Preserved | None = None
    """Laid over the job's pod."""


class ClientPod(Part):
    """A pod of its own that uses the shared GPU memory."""

    name: ContainerName
    pod_template: Preserved


class TopologyConstraint(Part):
    """Keeps the pods of a replica together."""

    pack_domain: TopologyDomain


class ProviderOverride(Part):
    """A fragment of an object of Grove's, laid over what the operator makes."""

    api_version: NonEmpty
    """`grove.io/v1alpha1`."""
    target: str | None = None
    """The kind that the fragment belongs to; follows from where it stands."""
    value: Preserved
    """The fragment: a `topologyConstraint`."""


class ComponentRole(Part):
    """One kind of pods of a component: the leader of a multinode replica, or its workers."""

    name: Annotated[str, Field(min_length=1, max_length=63, pattern=LABEL)]
    replicas: Annotated[int | None, Field(ge=1)] = None
    """Pods in one replica: 1 for the leader, one less than there are nodes for workers."""
    provider_override: ProviderOverride | None = None
    pod_template: dict[str, Any] | None = None
    """The pods of this role; no component takes one in release 1.5."""


class RestartStrategy(Part):
    """In which order components restart."""

    type: Literal["Sequential", "Parallel"] | None = None
    order: list[str] | None = None
    """Names of components, first to last."""


class Restart(Part):
    """Asks for a restart of the graph."""

    id: NonEmpty
    """Any text; a new one asks for a new restart."""
    strategy: RestartStrategy | None = None


class KvTransferPolicy(Part):
    """How near to each other prefill and decode workers should run."""

    cluster_topology_name: NonEmpty | None = None
    """A topology that Grove knows."""
    label_key: LabelKey | None = None
    """Or a label of the nodes."""
    domain: TopologyDomain
    enforcement: Literal["required", "preferred"] | None = None
    preferred_weight: Annotated[float | None, Field(ge=0, le=1)] = None


class GraphExperimental(Part):
    """Fields of a graph that may still change."""

    kv_transfer_policy: KvTransferPolicy | None = None


class CheckpointIdentity(Part):
    """What two workers must have in common to share a checkpoint."""

    model: str
    """The model that the worker serves."""
    backend_framework: Literal["vllm", "sglang", "trtllm"]
    """The framework that serves it."""
    dynamo_version: str | None = None
    """Version of Dynamo in the image."""
    tensor_parallel_size: Annotated[int | None, Field(ge=1)] = None
    """Ranks of tensor parallelism."""
    pipeline_parallel_size: Annotated[int | None, Field(ge=1)] = None
    """Ranks of pipeline parallelism."""
    dtype: str | None = None
    """Data type of the weights."""
    max_model_len: Annotated[int | None, Field(ge=1)] = None
    """Longest sequence the worker accepts."""
    extra_parameters: StringMap | None = None
    """Anything else that tells checkpoints apart."""


class EppConfig(Part):
    """Where the endpoint picker has its configuration from."""

    config_map_ref: ConfigMapKeySelector | None = None
    config: EndpointPickerConfig | None = None

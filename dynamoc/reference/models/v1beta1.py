"""`nvidia.com/v1beta1` of the newest release."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from dynamoc.reference.models import shared
from dynamoc.reference.models.base import Count, Embedded, NonEmpty, Part, Preserved, Quantity, Resource, StringMap
from dynamoc.reference.models.shared import (
    CheckpointJob,
    ClientPod,
    ComponentRole,
    ContainerName,
    EnvVar,
    EppConfig,
    Framework,
    GraphExperimental,
    ProviderOverride,
    Restart,
    RuntimeVersion,
    TopologyConstraint,
    TopologyDomain,
)

API_VERSION = "nvidia.com/v1beta1"
PodTemplateSpec = dict[str, Any]
JobSpec = dict[str, Any]

ComponentType = Literal["frontend", "worker", "prefill", "decode", "planner", "epp", "lpx"]
ComponentName = Annotated[str, Field(min_length=1, max_length=63, pattern="^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$")]
Mode = Literal["IntraPod", "InterPod"]
GpuSku = Literal[
    "gb200_sxm", "gb10", "b200_sxm", "h200_sxm", "h100_sxm", "h100_pcie", "a100_sxm", "a100_pcie", "a30", "l40s",
    "l40", "l4", "v100_sxm", "v100_pcie", "t4", "mi200", "mi300",
]  # fmt: skip


class Multinode(Part):
    """A replica that spans several nodes."""

    node_count: Annotated[int | None, Field(ge=2)] = None
    """Nodes of one replica."""


class CompilationCache(Part):
    """A claim in which the framework keeps its compiled kernels."""

    pvc_name: NonEmpty
    mount_path: str | None = None


class ModelReference(Part):
    """The model that a component serves, for DynamoModel objects to find it."""

    name: NonEmpty
    revision: str | None = None


class ScalingAdapter(Part):
    """Leaves replicas to a DynamoGraphDeploymentScalingAdapter; it has no fields, to be there is enough."""


class GpuMemoryService(Part):
    """GPU memory that several processes share."""

    mode: Mode | None = None
    """Whether the service runs in the workers' pods or in one of its own."""
    device_class_name: str | None = None
    """DeviceClass that the GPUs are claimed from."""
    extra_client_containers: list[ContainerName] | None = None
    """More containers of the pod that use the memory."""
    extra_client_pods: list[ClientPod] | None = None


class Failover(Part):
    """Shadow workers that take over."""

    mode: Mode | None = None
    num_shadows: Annotated[int | None, Field(ge=1, le=1)] = None


class ComponentGrove(Part):
    """How Grove runs the component."""

    force_scaling_group: bool | None = None
    """Make a scaling group even for a single node."""


class CheckpointIdentity(shared.CheckpointIdentity):
    """What two workers must have in common to share a checkpoint."""

    model: NonEmpty
    """The model that the worker serves."""


class Checkpoint(Part):
    """Starting workers from a checkpoint."""

    enabled: bool
    mode: Literal["Auto", "Manual"] | None = None
    startup_policy: Literal["Immediate", "WaitForCheckpoint"] | None = None
    """Whether workers wait for a checkpoint that is still being made."""
    deletion_policy: Literal["Delete", "Retain"] | None = None
    """Whether the checkpoint goes with the graph."""
    checkpoint_ref: str | None = None
    """Name of a DynamoCheckpoint to use."""
    identity: CheckpointIdentity | None = None
    """What the checkpoint is of, to find or make one."""
    target_container_name: ContainerName | None = None
    """The container to checkpoint."""
    job: CheckpointJob | None = None


class ComponentExperimental(Part):
    """Fields of a component that may still change."""

    gpu_memory_service: GpuMemoryService | None = None
    failover: Failover | None = None
    grove: ComponentGrove | None = None
    checkpoint: Checkpoint | None = None


class LpxScheduling(Part):
    """How long an attempt to place a component may take."""

    attempt_deadline_seconds: Annotated[int | None, Field(ge=1, le=9223372036)] = None


class Partitions(Part):
    """Which partitions of a node are used."""

    mode: Literal["All", "IDs"]
    ids: Annotated[list[Annotated[int, Field(ge=0, le=4294967295)]] | None, Field(min_length=1)] = None


class LpxExperimental(Part):
    """Fields that may still change."""

    local_partitions: Partitions | None = None


class Lpx(Part):
    """A compiled model for language processing units."""

    build_id: str
    scheduling: LpxScheduling | None = None
    experimental: LpxExperimental | None = None


class _Component(Part):
    name: ComponentName | None = None
    type: ComponentType | None = None
    """Role in the graph."""
    replicas: Count | None = None
    """Replicas to run; 1 by default."""
    min_available: Annotated[int | None, Field(ge=1)] = None
    """Replicas without which Grove gives the component up."""
    multinode: Multinode | None = None
    pod_template: PodTemplateSpec | None = None
    """The pods; the container `main` is the component's own."""
    shared_memory_size: Quantity | None = None
    """Size of the volume at /dev/shm; 0 for none."""
    compilation_cache: CompilationCache | None = None
    model_ref: ModelReference | None = None
    scaling_adapter: ScalingAdapter | None = None
    epp_config: EppConfig | None = None
    global_dynamo_namespace: bool | None = None
    """Put the component into the namespace that all graphs share."""
    frontend_sidecar: str | None = None
    """Name of the container that is a frontend beside the worker."""
    topology_constraint: TopologyConstraint | None = None
    runtime_version_override: RuntimeVersion | None = None
    """Version of Dynamo in the image, where its tag does not tell."""
    experimental: ComponentExperimental | None = None
    roles: Annotated[list[ComponentRole] | None, Field(max_length=2)] = None
    """The leader and the workers of a multinode component, both or neither; each may have its own pod template."""
    lpx: Lpx | None = None
    """What a component of type `lpx` runs; dynamoc does not render such components."""


class ComponentSpec(_Component):
    """A component of a graph."""

    name: ComponentName
    provider_override: ProviderOverride | None = None
    """Laid over the component's clique or scaling group of Grove."""


class ComponentDeploymentSpec(_Component):
    """A component on its own."""

    backend_framework: Framework | None = None


class DynamoComponentDeployment(Resource):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    api_version: str = API_VERSION
    kind: str = "DynamoComponentDeployment"
    spec: ComponentDeploymentSpec | None = None


class GraphTopologyConstraint(Part):
    """Keeps the pods of a graph together."""

    cluster_topology_name: NonEmpty
    """A topology that Grove knows."""
    pack_domain: TopologyDomain | None = None


class GraphDeploymentSpec(Part):
    """The components of a graph and what they share."""

    annotations: StringMap | None = None
    """Annotations of every component."""
    labels: StringMap | None = None
    """Labels of every component."""
    components: Annotated[list[ComponentSpec] | None, Field(max_length=25)] = None
    env: list[EnvVar] | None = None
    """Environment of every component; a component's own wins."""
    backend_framework: Framework | None = None
    """Framework of all workers; the operator detects it where it can."""
    priority_class_name: str | None = None
    topology_constraint: GraphTopologyConstraint | None = None
    restart: Restart | None = None
    experimental: GraphExperimental | None = None
    provider_override: ProviderOverride | None = None
    """Laid over the PodCliqueSet of Grove."""


class DynamoGraphDeployment(Resource):
    """A graph of components that together serve a model."""

    api_version: str = API_VERSION
    kind: str = "DynamoGraphDeployment"
    spec: GraphDeploymentSpec | None = None


class ModelCache(Part):
    """A claim that holds the model's weights."""

    pvc_name: str | None = None
    pvc_model_path: str | None = None
    pvc_mount_path: str | None = None


class Hardware(Part):
    """The GPUs to plan for, where they should not be discovered."""

    gpu_sku: GpuSku | None = None
    vram_mb: float | None = None
    total_gpus: int | None = None
    num_gpus_per_node: int | None = None
    interconnect: str | None = None
    rdma: bool | None = None


class Workload(Part):
    """The requests to plan for."""

    isl: int | None = None
    """Tokens of an input."""
    osl: int | None = None
    """Tokens of an output."""
    concurrency: float | None = None
    request_rate: float | None = None


class Sla(Part):
    """Latencies to stay within, in milliseconds."""

    ttft: float | None = None
    """Until the first token."""
    itl: float | None = None
    """Between two tokens."""
    e2e_latency: Annotated[float | None, Field(alias="e2eLatency")] = None
    """Until the last token."""
    optimization_type: Literal["latency", "throughput"] | None = None


class Overrides(Part):
    """What to change in the objects that the operator makes."""

    profiling_job: JobSpec | None = None
    dgd: Embedded | None = None


class Mocker(Part):
    """Workers without a model."""

    enabled: bool | None = None


class Features(Part):
    """Parts of the graph that are not there by default."""

    planner: Preserved | None = None
    mocker: Mocker | None = None


class RequestSpec(Part):
    """A model, and how to find a graph that serves it well."""

    model: NonEmpty
    backend: Literal["auto", "sglang", "trtllm", "vllm"] | None = None
    image: str | None = None
    model_cache: ModelCache | None = None
    hardware: Hardware | None = None
    workload: Workload | None = None
    sla: Sla | None = None
    overrides: Overrides | None = None
    features: Features | None = None
    search_strategy: Literal["rapid", "thorough"] | None = None
    auto_apply: bool | None = None
    """Apply the resulting graph."""
    runtime_version_override: RuntimeVersion | None = None


class DynamoGraphDeploymentRequest(Resource):
    """Asks for a graph that serves a model within given latencies."""

    api_version: str = API_VERSION
    kind: str = "DynamoGraphDeploymentRequest"
    spec: RequestSpec | None = None


class ComponentRef(Part):
    """A component of a graph."""

    name: NonEmpty
    """Name of the DynamoGraphDeployment."""
    component_name: NonEmpty
    """Name of the component in it."""


class ScalingAdapterSpec(Part):
    """How many replicas a component should have."""

    replicas: Count
    dgd_ref: ComponentRef


class DynamoGraphDeploymentScalingAdapter(Resource):
    """The scale of one component, for autoscalers to set."""

    api_version: str = API_VERSION
    kind: str = "DynamoGraphDeploymentScalingAdapter"
    spec: ScalingAdapterSpec | None = None

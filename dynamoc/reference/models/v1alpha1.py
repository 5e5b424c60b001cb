"""The classes to build graphs with in Python: `nvidia.com/v1alpha1` of the newest release."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from dynamoc.reference.models.base import Count, NonEmpty, Part, Preserved, Quantity, Resource, StringMap
from dynamoc.reference.models.shared import (
    CheckpointIdentity,
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

API_VERSION = "nvidia.com/v1alpha1"
HorizontalPodAutoscalerBehavior = dict[str, Any]
MainContainer = dict[str, Any]
MetricSpec = dict[str, Any]
Probe = dict[str, Any]
ResourceRequirements = dict[str, Any]
Toleration = dict[str, Any]

Mode = Literal["intraPod", "interPod"]


class ResourceItem(Part):
    """Amounts of resources, as texts."""

    cpu: str | None = None
    memory: str | None = None
    gpu: str | None = None
    """How many GPUs."""
    gpu_type: str | None = None
    """Name of the GPU resource, where it is not `nvidia.com/gpu`."""
    custom: StringMap | None = None
    """Any other resources by their full name."""


class ResourceClaim(Part):
    """A claim of the pod that the container uses."""

    name: str
    request: str | None = None


class Resources(Part):
    """What a replica of a component asks for."""

    requests: ResourceItem | None = None
    limits: ResourceItem | None = None
    claims: list[ResourceClaim] | None = None


class Autoscaling(Part):
    """Left from early releases: accepted, without effect."""

    enabled: bool | None = None
    min_replicas: int | None = None
    max_replicas: int | None = None
    behavior: HorizontalPodAutoscalerBehavior | None = None
    metrics: list[MetricSpec] | None = None


class VolumeMount(Part):
    """Where a volume of the graph is mounted."""

    name: str
    """Name of the volume in `spec.pvcs` of the graph."""
    mount_point: str | None = None
    """Path in the container."""
    use_as_compilation_cache: bool | None = None
    """Whether the framework keeps its compiled kernels there."""


class IngressTls(Part):
    """TLS of an ingress."""

    secret_name: str | None = None


class Ingress(Part):
    """How a frontend is reached from outside the cluster."""

    enabled: bool | None = None
    host: str | None = None
    host_prefix: str | None = None
    """First part of the host name, instead of the component's name."""
    host_suffix: str | None = None
    """Rest of the host name, instead of the operator's."""
    ingress_controller_class_name: str | None = None
    use_virtual_service: bool | None = None
    """Make an Istio VirtualService instead of an Ingress."""
    virtual_service_gateway: str | None = None
    annotations: StringMap | None = None
    labels: StringMap | None = None
    tls: IngressTls | None = None


class ModelReference(Part):
    """The model that a component serves, for DynamoModel objects to find it."""

    name: str
    revision: str | None = None


class SharedMemory(Part):
    """The memory-backed volume at /dev/shm."""

    disabled: bool | None = None
    size: Quantity | None = None


class ExtraPodMetadata(Part):
    """Labels and annotations of the pods alone."""

    annotations: StringMap | None = None
    labels: StringMap | None = None


class ExtraPodSpec(Part):
    """A pod spec laid over the one that the operator makes; the main container stands apart."""

    model_config = ConfigDict(extra="allow")

    main_container: MainContainer | None = None
    """Laid over the component's own container."""


class Multinode(Part):
    """A replica that spans several nodes."""

    node_count: Annotated[int, Field(ge=2)]
    """Nodes of one replica."""


class ScalingAdapter(Part):
    """Whether replicas are left to a DynamoGraphDeploymentScalingAdapter."""

    enabled: bool | None = None


class ServiceCheckpoint(Part):
    """Starting workers from a checkpoint."""

    enabled: bool | None = None
    mode: Literal["Auto", "Manual"] | None = None
    checkpoint_ref: str | None = None
    """Name of a DynamoCheckpoint to use."""
    identity: CheckpointIdentity | None = None
    """What the checkpoint is of, to find or make one."""
    startup_policy: Literal["Immediate", "WaitForCheckpoint"] | None = None
    """Whether workers wait for a checkpoint that is still being made."""
    deletion_policy: Literal["Delete", "Retain"] | None = None
    """Whether the checkpoint goes with the graph."""
    target_container_name: ContainerName | None = None
    """The container to checkpoint."""
    job: CheckpointJob | None = None


class FrontendSidecar(Part):
    """A frontend beside each worker, as the gateway's endpoint picker needs it."""

    image: str
    args: list[str] | None = None
    env_from_secret: str | None = None
    envs: list[EnvVar] | None = None


class GpuMemoryService(Part):
    """GPU memory that several processes share."""

    enabled: bool
    mode: Mode | None = None
    """Whether the service runs in the workers' pods or in one of its own."""
    device_class_name: str | None = None
    """DeviceClass that the GPUs are claimed from."""
    extra_client_containers: list[ContainerName] | None = None
    """More containers of the pod that use the memory."""
    extra_client_pods: list[ClientPod] | None = None


class Failover(Part):
    """Shadow workers that take over."""

    enabled: bool
    mode: Mode | None = None
    num_shadows: Annotated[int | None, Field(ge=1)] = None


class _Component(Part):
    annotations: StringMap | None = None
    labels: StringMap | None = None
    service_name: str | None = None
    """Name of the component; in a graph, its key takes precedence."""
    component_type: str | None = None
    """Role in the graph: `frontend`, `worker`, `planner` and so on."""
    sub_component_type: str | None = None
    """Finer role of a worker: `prefill` or `decode`."""
    dynamo_namespace: str | None = None
    """Left from early releases; the operator derives the namespace from the graph."""
    global_dynamo_namespace: bool | None = None
    """Put the component into the namespace that all graphs share."""
    resources: Resources | None = None
    autoscaling: Autoscaling | None = None
    envs: list[EnvVar] | None = None
    """Environment of the main container; wins over that of the graph."""
    env_from_secret: str | None = None
    """Name of a Secret whose entries become environment variables."""
    volume_mounts: list[VolumeMount] | None = None
    ingress: Ingress | None = None
    model_ref: ModelReference | None = None
    shared_memory: SharedMemory | None = None
    extra_pod_metadata: ExtraPodMetadata | None = None
    extra_pod_spec: ExtraPodSpec | None = None
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    replicas: Count | None = None
    """Replicas to run; 1 by default."""
    multinode: Multinode | None = None
    scaling_adapter: ScalingAdapter | None = None
    epp_config: EppConfig | None = None
    checkpoint: ServiceCheckpoint | None = None
    frontend_sidecar: FrontendSidecar | None = None
    min_available: Annotated[int | None, Field(ge=1)] = None
    """Replicas without which Grove gives the component up."""
    gpu_memory_service: GpuMemoryService | None = None
    failover: Failover | None = None
    topology_constraint: TopologyConstraint | None = None
    runtime_version_override: RuntimeVersion | None = None
    """Version of Dynamo in the image, where its tag does not tell."""
    roles: Annotated[list[ComponentRole] | None, Field(max_length=2)] = None
    """The leader and the workers of a multinode component, both or neither."""


class SharedSpec(_Component):
    """A component, in a graph or on its own."""

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


class PersistentVolume(Part):
    """A PersistentVolumeClaim that components may mount, made on demand."""

    name: str
    create: bool | None = None
    """Make the claim; otherwise it must exist."""
    storage_class: str | None = None
    size: Quantity | None = None
    volume_access_mode: str | None = None


class GraphTopologyConstraint(Part):
    """Keeps the pods of a graph together."""

    topology_profile: NonEmpty
    """A topology that Grove knows."""
    pack_domain: TopologyDomain | None = None


class GraphDeploymentSpec(Part):
    """The components of a graph and what they share."""

    pvcs: Annotated[list[PersistentVolume] | None, Field(max_length=100)] = None
    """Volumes for the components to mount."""
    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None
    """Components by name."""
    envs: list[EnvVar] | None = None
    """Environment of every component; a component's own wins."""
    backend_framework: Framework | None = None
    """Framework of all workers; the operator detects it where it can."""
    restart: Restart | None = None
    annotations: StringMap | None = None
    """Annotations of every component."""
    labels: StringMap | None = None
    """Labels of every component."""
    priority_class_name: str | None = None
    topology_constraint: GraphTopologyConstraint | None = None
    experimental: GraphExperimental | None = None
    provider_override: ProviderOverride | None = None
    """Laid over the PodCliqueSet of Grove."""


class DynamoGraphDeployment(Resource):
    """A graph of components that together serve a model."""

    api_version: str = API_VERSION
    kind: str = "DynamoGraphDeployment"
    spec: GraphDeploymentSpec | None = None


class ConfigMapKey(Part):
    """An entry of a ConfigMap with a graph to start from."""

    name: str
    key: str | None = None


class ProfilingConfig(Part):
    """How the model is profiled."""

    config: Preserved | None = None
    config_map_ref: ConfigMapKey | None = None
    profiler_image: str
    output_pvc: Annotated[str | None, Field(alias="outputPVC")] = None
    resources: ResourceRequirements | None = None
    tolerations: list[Toleration] | None = None
    node_selector: StringMap | None = None


class DeploymentOverrides(Part):
    """What to change in the graph that results."""

    name: str | None = None
    namespace: str | None = None
    labels: StringMap | None = None
    annotations: StringMap | None = None
    workers_image: str | None = None


class RequestSpec(Part):
    """A model, and how to find a graph that serves it well."""

    model: str
    backend: Literal["auto", "vllm", "sglang", "trtllm"]
    use_mocker: bool | None = None
    enable_gpu_discovery: bool | None = None
    profiling_config: ProfilingConfig
    auto_apply: bool | None = None
    """Apply the resulting graph."""
    deployment_overrides: DeploymentOverrides | None = None
    runtime_version_override: RuntimeVersion | None = None


class DynamoGraphDeploymentRequest(Resource):
    """Asks for a graph that serves a model within given latencies."""

    api_version: str = API_VERSION
    kind: str = "DynamoGraphDeploymentRequest"
    spec: RequestSpec | None = None


class ServiceRef(Part):
    """A component of a graph."""

    name: NonEmpty
    """Name of the DynamoGraphDeployment."""
    service_name: NonEmpty
    """Name of the component in it."""


class ScalingAdapterSpec(Part):
    """How many replicas a component should have."""

    replicas: Count
    dgd_ref: ServiceRef


class DynamoGraphDeploymentScalingAdapter(Resource):
    """The scale of one component, for autoscalers to set."""

    api_version: str = API_VERSION
    kind: str = "DynamoGraphDeploymentScalingAdapter"
    spec: ScalingAdapterSpec | None = None


class ModelSource(Part):
    """Where the weights come from."""

    uri: str


class ModelSpec(Part):
    """A model served by the workers of a graph."""

    model_name: str
    base_model_name: str
    """The model that the workers were started with."""
    model_type: Literal["base", "lora", "adapter"] | None = None
    source: ModelSource | None = None


class DynamoModel(Resource):
    """A model, to load it into running workers."""

    api_version: str = API_VERSION
    kind: str = "DynamoModel"
    spec: ModelSpec | None = None

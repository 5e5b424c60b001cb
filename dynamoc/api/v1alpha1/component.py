"""A component of a graph, and DynamoComponentDeployment, which holds a single one."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from dynamoc.api.base import (
    KUBE,
    MORE,
    AnyValue,
    Count,
    Int32,
    Int64,
    Part,
    Quantity,
    Resource,
    Rule,
    Schema,
    StringMap,
    default,
    go,
    kube,
)
from dynamoc.api.v1alpha1.checkpoint import CheckpointIdentity
from dynamoc.api.v1alpha1.common import Condition, EnvVar, Framework, Probe, ReplicaStatus

HorizontalPodAutoscalerBehavior = Annotated[dict[str, Any], kube("autoscaling.v2.HorizontalPodAutoscalerBehavior")]
MetricSpec = Annotated[dict[str, Any], kube("autoscaling.v2.MetricSpec")]
ConfigMapKeySelector = Annotated[dict[str, Any], kube("core.v1.ConfigMapKeySelector")]
MainContainer = Annotated[dict[str, Any], kube("core.v1.Container", optional=("name",))]


class Autoscaling(Part):
    """Left from early releases: accepted, without effect."""

    enabled: bool | None = None
    min_replicas: int | None = None
    max_replicas: int | None = None
    behavior: HorizontalPodAutoscalerBehavior | None = None
    metrics: list[MetricSpec] | None = None


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


class VolumeMount(Part):
    """Where a volume of the graph is mounted."""

    name: Annotated[str, go("omitempty")]
    """Name of the volume in `spec.pvcs` of the graph."""
    mount_point: str | None = None
    """Path in the container."""
    use_as_compilation_cache: Annotated[bool | None, default(False)] = None
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


class SharedMemory(Part):
    """The memory-backed volume at /dev/shm."""

    disabled: bool | None = None
    size: Annotated[Quantity | None, go("always")] = None


class ExtraPodMetadata(Part):
    """Labels and annotations of the pods alone."""

    annotations: StringMap | None = None
    labels: StringMap | None = None


class ExtraPodSpec(Part):
    """A pod spec laid over the one that the operator makes; the main container stands apart."""

    model_config = ConfigDict(extra="allow")
    keys: ClassVar[Schema] = {KUBE: "core.v1.PodSpec", MORE: {"": {"required": ["containers"]}}}

    main_container: MainContainer | None = None
    """Laid over the component's own container."""


class FrontendSidecar(Part):
    """A frontend beside each worker, as the gateway's endpoint picker needs it."""

    image: str
    args: list[str] | None = None
    env_from_secret: str | None = None
    envs: list[EnvVar] | None = None


class ModelReference(Part):
    """The model that a component serves, for DynamoModel objects to find it."""

    name: str
    revision: str | None = None


class Multinode(Part):
    """A replica that spans several nodes."""

    node_count: Annotated[Int32, Field(ge=2), default(2)]
    """Nodes of one replica."""


class ScalingAdapter(Part):
    """Whether replicas are left to a DynamoGraphDeploymentScalingAdapter."""

    enabled: Annotated[bool | None, default(False)] = None


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
    keys: ClassVar[Schema] = {"x-kubernetes-preserve-unknown-fields": True}

    api_version: str | None = None
    kind: str | None = None
    feature_gates: list[str] | None = None
    plugins: list[PluginSpec]
    scheduling_profiles: list[SchedulingProfile]
    saturation_detector: SaturationDetector | None = None


class EppConfig(Part):
    """Where the endpoint picker has its configuration from."""

    config_map_ref: ConfigMapKeySelector | None = None
    config: EndpointPickerConfig | None = None


class ServiceCheckpoint(Part):
    """Starting workers from a checkpoint."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!self.enabled || (has(self.checkpointRef) && size(self.checkpointRef) > 0)"
            " || (has(self.identity) && has(self.identity.model) && has(self.identity.backendFramework))",
            "When enabled, either checkpointRef or both identity.model and identity.backendFramework must be specified",
        ),
    )

    enabled: Annotated[bool | None, default(False)] = None
    mode: Annotated[Literal["Auto", "Manual"] | None, default("Auto"), go("omitempty")] = None
    """`Auto` makes the checkpoint if there is none."""
    checkpoint_ref: str | None = None
    """Name of a DynamoCheckpoint to use."""
    identity: CheckpointIdentity | None = None
    """What the checkpoint is of, to find or make one."""


class SharedSpec(Part):
    """A component, in a graph or on its own."""

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


class ComponentDeploymentSpec(SharedSpec):
    """A component on its own."""

    backend_framework: Annotated[Framework | None, go("omitempty")] = None


class ComponentDeploymentStatus(Part):
    """What became of a component."""

    conditions: list[Condition]
    pod_selector: StringMap | None = None
    observed_generation: Int64 | None = None
    service: ReplicaStatus | None = None


class DynamoComponentDeployment(Resource):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    crd: ClassVar[Schema] = {
        "short": "dcd",
        "columns": [
            "DynamoComponent=.spec.dynamoComponent",
            "Available=.status.conditions[?(@.type=='Available')].status",
            "Backend=.spec.backendFramework",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: ComponentDeploymentSpec | None = None
    status: ComponentDeploymentStatus | None = None

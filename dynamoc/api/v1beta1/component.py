"""A component of a graph, and DynamoComponentDeployment, which holds a single one."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import (
    Count,
    Int32,
    Int64,
    NonEmpty,
    Part,
    Quantity,
    Resource,
    Rule,
    Schema,
    default,
    go,
    kube,
    list_map,
)
from dynamoc.api.v1alpha1.common import Condition, Framework
from dynamoc.api.v1alpha1.component import ConfigMapKeySelector, EndpointPickerConfig, ProfilePlugin, SchedulingProfile
from dynamoc.api.v1beta1.common import ReplicaStatus
from dynamoc.api.v1beta1.experimental import ComponentExperimental, TopologyDomain

EXECUTOR_ANNOTATION = "nvidia.com/vllm-distributed-executor-backend"
EXECUTOR = Rule(
    f'!("{EXECUTOR_ANNOTATION}" in self) || self["{EXECUTOR_ANNOTATION}"].lowerAscii() in ["mp", "ray"]',
    "podTemplate backend annotation must be mp or ray, case-insensitively",
)
SIDECAR_IMAGE = Rule(
    'self.name == "main" || (has(self.image) && self.image != "")', "sidecar containers must specify a non-empty image"
)
INIT_IMAGE = Rule('has(self.image) && self.image != ""', "init containers must specify a non-empty image")
PodTemplateSpec = Annotated[
    dict[str, Any],
    kube(
        "core.v1.PodTemplateSpec",
        more={
            "metadata.annotations": {"x-kubernetes-validations": [EXECUTOR.schema()]},
            "metadata.annotations.{}": {"maxLength": 256 * 1024},
            "spec.containers.[]": {"x-kubernetes-validations": [SIDECAR_IMAGE.schema()]},
            "spec.initContainers.[]": {"x-kubernetes-validations": [INIT_IMAGE.schema()]},
        },
    ),
]
ComponentType = Literal["frontend", "worker", "prefill", "decode", "planner", "epp"]
ComponentName = Annotated[str, Field(min_length=1, max_length=63, pattern="^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$")]
RuntimeVersion = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$")]

MIN_AVAILABLE_FITS = Rule(
    "!has(self.minAvailable) || (has(self.replicas) && self.replicas == 0)"
    " || self.minAvailable <= (has(self.replicas) ? self.replicas : 1)",
    "minAvailable must be less than or equal to replicas unless replicas is 0",
)
MIN_AVAILABLE_STAYS = Rule(
    "!has(oldSelf.minAvailable) || (has(self.minAvailable) && self.minAvailable == oldSelf.minAvailable)",
    "minAvailable is immutable after creation",
)


class WeighedPlugin(ProfilePlugin):
    """Use of a plugin in a scheduling profile."""

    weight: Annotated[int | None, go("null")] = None


class WeighedProfile(SchedulingProfile):
    """Plugins that together choose an endpoint."""

    plugins: list[WeighedPlugin]  # type: ignore[assignment]


class WeighedPickerConfig(EndpointPickerConfig):
    """Configuration of the gateway's endpoint picker; fields of newer pickers pass through."""

    scheduling_profiles: list[WeighedProfile]  # type: ignore[assignment]


class EppConfig(Part):
    """Where the endpoint picker has its configuration from."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("has(self.configMapRef) != has(self.config)", "exactly one of configMapRef or config must be specified"),
    )

    config_map_ref: ConfigMapKeySelector | None = None
    config: WeighedPickerConfig | None = None


class CompilationCache(Part):
    """A claim in which the framework keeps its compiled kernels."""

    pvc_name: NonEmpty
    mount_path: str | None = None


class ModelReference(Part):
    """The model that a component serves, for DynamoModel objects to find it."""

    name: NonEmpty
    revision: str | None = None


class Multinode(Part):
    """A replica that spans several nodes."""

    node_count: Annotated[Int32 | None, Field(ge=2), default(2)] = None
    """Nodes of one replica."""


class ScalingAdapter(Part):
    """Leaves replicas to a DynamoGraphDeploymentScalingAdapter; it has no fields, to be there is enough."""


class TopologyConstraint(Part):
    """Keeps the pods of a replica together."""

    pack_domain: TopologyDomain


class ComponentSpec(Part):
    """A component of a graph."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!has(self.eppConfig) || (has(self.type) && self.type == 'epp')",
            "eppConfig may only be set when type is epp",
        ),
        MIN_AVAILABLE_FITS,
        MIN_AVAILABLE_STAYS,
    )

    name: ComponentName
    type: Annotated[ComponentType | None, go("omitempty")] = None
    """Role in the graph."""
    replicas: Count | None = None
    """Replicas to run; 1 by default."""
    min_available: Annotated[Int32 | None, Field(ge=1)] = None
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
    runtime_version_override: Annotated[RuntimeVersion | None, go("omitempty")] = None
    """Version of Dynamo in the image, where its tag does not tell."""
    experimental: ComponentExperimental | None = None


class ComponentDeploymentSpec(ComponentSpec):
    """A component on its own."""

    name: ComponentName | None = None  # type: ignore[assignment]
    backend_framework: Annotated[Framework | None, go("omitempty")] = None


class ComponentDeploymentStatus(Part):
    """What became of a component."""

    conditions: Annotated[list[Condition] | None, list_map("type")] = None
    observed_generation: Int64 | None = None
    component: ReplicaStatus | None = None


class DynamoComponentDeployment(Resource):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    typed: ClassVar[bool] = True
    crd: ClassVar[Schema] = {
        "short": "dcd",
        "columns": [
            "Type=.spec.type",
            "Available=.status.conditions[?(@.type=='Available')].status",
            "Backend=.spec.backendFramework",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: ComponentDeploymentSpec | None = None
    status: ComponentDeploymentStatus | None = None

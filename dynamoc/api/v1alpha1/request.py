"""DynamoGraphDeploymentRequest in its first version."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Embedded, Int64, Part, Preserved, Resource, Schema, StringMap, default, go
from dynamoc.api.v1alpha1.common import Condition, DeploymentState, ResourceRequirements, Toleration

RequestState = Literal["Initializing", "Pending", "Profiling", "Deploying", "Ready", "DeploymentDeleted", "Failed"]


class ConfigMapKey(Part):
    """An entry of a ConfigMap with a graph to start from."""

    name: str
    key: Annotated[str | None, default("disagg.yaml"), go("omitempty")] = None


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
    use_mocker: Annotated[bool | None, default(False)] = None
    enable_gpu_discovery: Annotated[bool | None, default(True)] = None
    profiling_config: ProfilingConfig
    auto_apply: Annotated[bool | None, default(False)] = None
    """Apply the resulting graph."""
    deployment_overrides: DeploymentOverrides | None = None


class RequestedDeployment(Part):
    """The graph that was applied."""

    name: str | None = None
    namespace: str | None = None
    state: Annotated[DeploymentState, default("initializing")]
    created: bool | None = None


class RequestStatus(Part):
    """What became of a request."""

    state: Annotated[RequestState, default("Initializing")]
    backend: str | None = None
    observed_generation: Int64 | None = None
    conditions: list[Condition] | None = None
    profiling_results: str | None = None
    generated_deployment: Embedded | None = None
    deployment: RequestedDeployment | None = None


class DynamoGraphDeploymentRequest(Resource):
    """Asks for a graph that serves a model within given latencies."""

    typed: ClassVar[bool] = True
    crd: ClassVar[Schema] = {
        "short": "dgdr",
        "columns": [
            "Model=.spec.model",
            "Backend=.status.backend",
            "State=.status.state",
            "DGD-State=.status.deployment.state",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: RequestSpec | None = None
    status: RequestStatus | None = None

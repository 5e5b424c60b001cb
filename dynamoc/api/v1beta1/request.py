"""DynamoGraphDeploymentRequest."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import (
    Embedded,
    Int32,
    Int64,
    Keys,
    NonEmpty,
    Part,
    Preserved,
    Resource,
    Schema,
    default,
    go,
    kube,
    list_map,
)
from dynamoc.api.v1alpha1.common import Condition

OPEN = {"x-kubernetes-preserve-unknown-fields": True}
GPU_SKUS = ("gb200_sxm", "h200_sxm", "h100_sxm", "b200_sxm", "a100_sxm", "l40s")
JobSpec = Annotated[dict[str, Any], kube("batch.v1.JobSpec", more={"template.metadata": OPEN})]
Backend = Annotated[Literal["auto", "sglang", "trtllm", "vllm"] | None, default("auto"), go("omitempty")]
SearchStrategy = Annotated[Literal["rapid", "thorough"] | None, default("rapid"), go("omitempty")]
Phase = Literal["Pending", "Profiling", "Ready", "Deploying", "Deployed", "Failed"]
ProfilingPhase = Literal[
    "Initializing",
    "SweepingPrefill",
    "SweepingDecode",
    "SelectingConfig",
    "BuildingCurves",
    "GeneratingDGD",
    "Done",
]


class ModelCache(Part):
    """A claim that holds the model's weights."""

    pvc_name: str | None = None
    pvc_model_path: str | None = None
    pvc_mount_path: Annotated[str | None, default("/opt/model-cache"), go("omitempty")] = None


class Hardware(Part):
    """The GPUs to plan for, where they should not be discovered."""

    gpu_sku: Annotated[str | None, Keys(enum=list(GPU_SKUS))] = None
    vram_mb: float | None = None
    total_gpus: Int32 | None = None
    num_gpus_per_node: Int32 | None = None


class Workload(Part):
    """The requests to plan for."""

    isl: Annotated[Int32 | None, default(4000)] = None
    """Tokens of an input."""
    osl: Annotated[Int32 | None, default(1000)] = None
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
    backend: Backend = None
    image: str | None = None
    model_cache: ModelCache | None = None
    hardware: Hardware | None = None
    workload: Workload | None = None
    sla: Sla | None = None
    overrides: Overrides | None = None
    features: Features | None = None
    search_strategy: SearchStrategy = None
    auto_apply: Annotated[bool | None, default(True)] = None
    """Apply the resulting graph."""


class ParetoPoint(Part):
    """A graph that no other beats in all respects."""

    config: Preserved


class ProfilingResults(Part):
    """What profiling found."""

    pareto: list[ParetoPoint] | None = None
    selected_config: Preserved | None = None


class DeploymentInfo(Part):
    """Replicas of the graph that was applied."""

    replicas: Int32 | None = None
    available_replicas: Int32 | None = None


class RequestStatus(Part):
    """What became of a request."""

    phase: Phase | None = None
    profiling_phase: ProfilingPhase | None = None
    dgd_name: str | None = None
    profiling_job_name: str | None = None
    conditions: Annotated[list[Condition] | None, list_map("type")] = None
    profiling_results: ProfilingResults | None = None
    deployment_info: DeploymentInfo | None = None
    observed_generation: Int64 | None = None


class DynamoGraphDeploymentRequest(Resource):
    """Asks for a graph that serves a model within given latencies."""

    typed: ClassVar[bool] = True
    crd: ClassVar[Schema] = {
        "short": "dgdr",
        "columns": [
            "Model=.spec.model",
            "Backend=.spec.backend",
            "Phase=.status.phase",
            "Profiling=.status.profilingPhase",
            "DGD=.status.dgdName",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: RequestSpec | None = None
    status: RequestStatus | None = None

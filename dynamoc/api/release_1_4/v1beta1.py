"""Requests of release 1.4, as differences to release 1.0; other kinds of v1beta1 start with this release."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from dynamoc.api.base import Keys, go, kube
from dynamoc.api.v1beta1 import request
from dynamoc.api.v1beta1.component import RuntimeVersion

GPU_SKUS = (
    *("gb200_sxm", "gb10", "b200_sxm", "h200_sxm", "h100_sxm", "h100_pcie", "a100_sxm", "a100_pcie"),
    *("a30", "l40s", "l40", "l4", "v100_sxm", "v100_pcie", "t4", "mi200", "mi300"),
)
# Kubernetes 1.36 still demands `status`; the operator's CRD does not.
JobSpec = Annotated[
    dict[str, Any],
    kube("batch.v1.JobSpec", more={"podFailurePolicy.rules.[].onPodConditions.[]": {"required": ["status"]}}),
]


class Hardware(request.Hardware):
    """The GPUs to plan for, where they should not be discovered."""

    gpu_sku: Annotated[str | None, Keys(enum=list(GPU_SKUS)), go("omitempty")] = None
    interconnect: str | None = None
    rdma: bool | None = None


class Sla(request.Sla):
    """Latencies to stay within, in milliseconds."""

    optimization_type: Annotated[Literal["latency", "throughput"] | None, go("omitempty")] = None


class Overrides(request.Overrides):
    """What to change in the objects that the operator makes."""

    profiling_job: JobSpec | None = None


class RequestSpec(request.RequestSpec):
    """A model, and how to find a graph that serves it well."""

    hardware: Hardware | None = None
    sla: Sla | None = None
    overrides: Overrides | None = None
    runtime_version_override: Annotated[RuntimeVersion | None, go("omitempty")] = None


class DynamoGraphDeploymentRequest(request.DynamoGraphDeploymentRequest):
    """Asks for a graph that serves a model within given latencies."""

    spec: RequestSpec | None = None

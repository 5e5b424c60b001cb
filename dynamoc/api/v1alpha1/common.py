"""Parts that several kinds share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from dynamoc.api.base import Count, Int64, Part, Time, kube

Framework = Literal["sglang", "vllm", "trtllm"]

Affinity = Annotated[dict[str, Any], kube("core.v1.Affinity")]
EnvVar = Annotated[dict[str, Any], kube("core.v1.EnvVar")]
Probe = Annotated[dict[str, Any], kube("core.v1.Probe")]
ResourceRequirements = Annotated[dict[str, Any], kube("core.v1.ResourceRequirements")]
Toleration = Annotated[dict[str, Any], kube("core.v1.Toleration")]

DeploymentState = Literal["initializing", "pending", "successful", "failed"]


class Condition(Part):
    """An aspect of an object's state, as Kubernetes writes them."""

    type: Annotated[
        str,
        Field(
            max_length=316,
            pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
            r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
        ),
    ]
    status: Literal["True", "False", "Unknown"]
    reason: Annotated[str, Field(min_length=1, max_length=1024, pattern=r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")]
    message: Annotated[str, Field(max_length=32768)]
    last_transition_time: Time
    observed_generation: Annotated[Int64 | None, Field(ge=0)] = None


class ReplicaStatus(Part):
    """What runs for one component."""

    component_kind: Literal["PodClique", "PodCliqueScalingGroup", "Deployment", "LeaderWorkerSet"]
    """Kind of the object that runs the replicas."""
    component_name: str
    """Its name."""
    component_names: list[str] | None = None
    """Names of all such objects, where there are several."""
    replicas: Count
    """Replicas that exist."""
    updated_replicas: Count
    """Those of them with the current specification."""
    ready_replicas: Count | None = None
    """Those of them that are ready."""
    available_replicas: Count | None = None
    """Those of them that are available."""

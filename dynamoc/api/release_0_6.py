"""The kinds of release 0.6, as differences to release 1.0.

That release had no mutating webhook, so nothing passes through Go types before it is validated.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from dynamoc.api.base import Gone, Int32
from dynamoc.api.kubernetes import OPAQUE_METADATA
from dynamoc.api.release import Release
from dynamoc.api.v1alpha1 import component, graph, request


class ResourceItem(component.ResourceItem):
    """Amounts of resources, as texts."""

    gpu_type: Gone = None


class Resources(component.Resources):
    """What a replica of a component asks for."""

    requests: ResourceItem | None = None
    limits: ResourceItem | None = None


class SharedSpec(component.SharedSpec):
    """A component, in a graph or on its own."""

    resources: Resources | None = None
    replicas: Int32 | None = None
    """Replicas to run."""
    checkpoint: Gone = None
    epp_config: Gone = None
    frontend_sidecar: Gone = None
    global_dynamo_namespace: Gone = None
    model_ref: Gone = None
    scaling_adapter: Gone = None


class ComponentDeploymentSpec(SharedSpec, component.ComponentDeploymentSpec):
    """A component on its own."""


class ComponentDeploymentStatus(component.ComponentDeploymentStatus):
    """What became of a component."""

    observed_generation: Gone = None
    service: Gone = None


class DynamoComponentDeployment(component.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None
    status: ComponentDeploymentStatus | None = None


class GraphDeploymentSpec(graph.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    pvcs: list[graph.PersistentVolume] | None = None
    """Volumes for the components to mount."""
    services: dict[str, SharedSpec] | None = None  # type: ignore[assignment]
    """Components by name."""
    restart: Gone = None


class GraphDeploymentStatus(graph.GraphDeploymentStatus):
    """What became of a graph."""

    observed_generation: Gone = None
    state: str | None = None  # type: ignore[assignment]
    services: Gone = None
    restart: Gone = None
    checkpoints: Gone = None
    rolling_update: Gone = None


class DynamoGraphDeployment(graph.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    typed: ClassVar[bool] = False

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None


class ProfilingConfig(request.ProfilingConfig):
    """How the model is profiled."""

    output_pvc: Gone = None
    resources: Gone = None
    tolerations: Gone = None
    node_selector: Gone = None


class RequestSpec(request.RequestSpec):
    """A model, and how to find a graph that serves it well."""

    backend: Literal["vllm", "sglang", "trtllm"]
    use_mocker: Gone = None
    enable_gpu_discovery: Gone = None
    profiling_config: ProfilingConfig


class RequestedDeployment(request.RequestedDeployment):
    """The graph that was applied."""

    state: str | None = None  # type: ignore[assignment]


class RequestStatus(request.RequestStatus):
    """What became of a request."""

    state: str | None = None  # type: ignore[assignment]
    deployment: RequestedDeployment | None = None


class DynamoGraphDeploymentRequest(request.DynamoGraphDeploymentRequest):
    """Asks for a graph that serves a model within given latencies."""

    typed: ClassVar[bool] = False

    spec: RequestSpec | None = None
    status: RequestStatus | None = None


RELEASE = Release(
    name="0.6",
    kubernetes="1.33",
    embedded_metadata=OPAQUE_METADATA,
    kinds=(
        {"v1alpha1": DynamoComponentDeployment},
        {"v1alpha1": DynamoGraphDeployment},
        {"v1alpha1": DynamoGraphDeploymentRequest},
    ),
)

"""`nvidia.com/v1beta1` of release 1.2, where all kinds but requests are new, as differences to release 1.3."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from dynamoc.api.base import Gone, Rule, cel, kube, list_map
from dynamoc.api.release_1_2.experimental import ComponentExperimental, GraphExperimental
from dynamoc.api.release_1_3 import v1beta1 as later
from dynamoc.api.release_1_4 import v1beta1 as latest
from dynamoc.api.v1alpha1 import graph as alpha_graph
from dynamoc.api.v1beta1 import common, component, graph

PodTemplateSpec = Annotated[dict[str, Any], kube("core.v1.PodTemplateSpec")]
JobSpec = Annotated[dict[str, Any], kube("batch.v1.JobSpec")]


class ReplicaStatus(common.ReplicaStatus):
    """What runs for one component."""

    runtime_namespace: Gone = None
    scheduled_replicas: Gone = None


class ComponentSpec(later.ComponentSpec):
    """A component of a graph."""

    rules: ClassVar[tuple[Rule, ...]] = later.ComponentSpec.rules[:1]

    min_available: Gone = None
    pod_template: PodTemplateSpec | None = None
    """The pods; the container `main` is the component's own."""
    experimental: ComponentExperimental | None = None


class ComponentDeploymentSpec(ComponentSpec, later.ComponentDeploymentSpec):
    """A component on its own."""

    name: component.ComponentName | None = None


class ComponentDeploymentStatus(component.ComponentDeploymentStatus):
    """What became of a component."""

    component: ReplicaStatus | None = None


class DynamoComponentDeployment(later.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None
    status: ComponentDeploymentStatus | None = None


Components = Annotated[
    list[ComponentSpec] | None,
    Field(max_length=25),
    list_map("name"),
    cel(*graph.COMPONENT_RULES),
]


class GraphDeploymentSpec(later.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    components: Components = None  # type: ignore[assignment]
    priority_class_name: Gone = None
    experimental: GraphExperimental | None = None


class GraphDeploymentStatus(later.GraphDeploymentStatus):
    """What became of a graph."""

    components: dict[str, ReplicaStatus] | None = None  # type: ignore[assignment]
    checkpoints: dict[str, alpha_graph.CheckpointInfo] | None = None  # type: ignore[assignment]


class DynamoGraphDeployment(later.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None


class Overrides(latest.Overrides):
    """What to change in the objects that the operator makes."""

    profiling_job: JobSpec | None = None


class RequestSpec(later.RequestSpec):
    """A model, and how to find a graph that serves it well."""

    overrides: Overrides | None = None


class DynamoGraphDeploymentRequest(later.DynamoGraphDeploymentRequest):
    """Asks for a graph that serves a model within given latencies."""

    spec: RequestSpec | None = None

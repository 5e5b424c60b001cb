"""`nvidia.com/v1beta1` of release 1.3, as differences to release 1.4."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynamoc.api.base import Gone, cel, list_map
from dynamoc.api.release_1_4 import v1beta1 as later
from dynamoc.api.v1beta1 import component, experimental, graph


class ComponentExperimental(experimental.ComponentExperimental):
    """Fields of a component that may still change."""

    grove: Gone = None


class ComponentSpec(component.ComponentSpec):
    """A component of a graph."""

    runtime_version_override: Gone = None
    experimental: ComponentExperimental | None = None


class ComponentDeploymentSpec(ComponentSpec, component.ComponentDeploymentSpec):
    """A component on its own."""

    name: component.ComponentName | None = None


class DynamoComponentDeployment(component.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


Components = Annotated[
    list[ComponentSpec] | None,
    Field(max_length=25),
    list_map("name"),
    cel(*graph.COMPONENT_RULES),
]


class GraphDeploymentSpec(graph.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    components: Components = None  # type: ignore[assignment]


class GraphDeploymentStatus(graph.GraphDeploymentStatus):
    """What became of a graph."""

    placement: Gone = None


class DynamoGraphDeployment(graph.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None


class RequestSpec(later.RequestSpec):
    """A model, and how to find a graph that serves it well."""

    runtime_version_override: Gone = None


class DynamoGraphDeploymentRequest(later.DynamoGraphDeploymentRequest):
    """Asks for a graph that serves a model within given latencies."""

    spec: RequestSpec | None = None

"""`nvidia.com/v1beta1` of release 1.5, as differences to release 1.4.

Source: api/v1beta1/dynamocomponentdeployment_types.go, common.go, dynamographdeployment_types.go.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from dynamoc.api.base import Gone, Rule, cel, list_map
from dynamoc.api.release_1_5.roles import ComponentRole, ProviderOverride
from dynamoc.api.v1beta1 import component, graph

TYPE_STAYS = Rule(
    "!has(oldSelf.type) || (has(self.type) && self.type == oldSelf.type)", "type is immutable after it is set"
)


class ComponentSpec(component.ComponentSpec):
    """A component of a graph."""

    rules: ClassVar[tuple[Rule, ...]] = (*component.ComponentSpec.rules, TYPE_STAYS)

    provider_override: ProviderOverride | None = None
    """Laid over the component's clique or scaling group of Grove."""
    roles: Annotated[list[ComponentRole] | None, list_map("name")] = None
    """The leader and the workers of a multinode component, both or neither."""


class ComponentDeploymentSpec(ComponentSpec, component.ComponentDeploymentSpec):
    """A component on its own."""

    rules: ClassVar[tuple[Rule, ...]] = ComponentSpec.rules

    name: component.ComponentName | None = None
    provider_override: Gone = None


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
    provider_override: ProviderOverride | None = None
    """Laid over the PodCliqueSet of Grove."""


class DynamoGraphDeployment(graph.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None

"""`nvidia.com/v1alpha1` of release 1.5, as differences to release 1.4.

Source: api/v1alpha1/dynamocomponentdeployment_types.go, common.go, dynamographdeployment_types.go.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from dynamoc.api.base import Gone, Rule, list_map
from dynamoc.api.release_1_4 import v1alpha1 as before
from dynamoc.api.release_1_5.roles import ComponentRole, ProviderOverride

TYPE_STAYS = Rule(
    "!has(oldSelf.componentType) || (has(self.componentType) && self.componentType == oldSelf.componentType)",
    "componentType is immutable after it is set",
)


class SharedSpec(before.SharedSpec):
    """A component, in a graph or on its own."""

    rules: ClassVar[tuple[Rule, ...]] = (*before.SharedSpec.rules, TYPE_STAYS)

    provider_override: ProviderOverride | None = None
    """Laid over the component's clique or scaling group of Grove."""
    roles: Annotated[list[ComponentRole] | None, list_map("name")] = None
    """The leader and the workers of a multinode component, both or neither."""


class ComponentDeploymentSpec(SharedSpec, before.ComponentDeploymentSpec):
    """A component on its own."""

    rules: ClassVar[tuple[Rule, ...]] = SharedSpec.rules

    provider_override: Gone = None


class DynamoComponentDeployment(before.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


class GraphDeploymentSpec(before.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None  # type: ignore[assignment]
    """Components by name."""
    provider_override: ProviderOverride | None = None
    """Laid over the PodCliqueSet of Grove."""


class DynamoGraphDeployment(before.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None

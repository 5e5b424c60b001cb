"""`nvidia.com/v1alpha1` of release 1.6, as differences to release 1.5."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from dynamoc.api.base import Gone, Rule, list_map
from dynamoc.api.release_1_5 import v1alpha1 as before
from dynamoc.api.release_1_5.roles import ComponentRole
from dynamoc.api.v1beta1.component import MIN_AVAILABLE_STAYS


class SharedSpec(before.SharedSpec):
    """A component, in a graph or on its own."""

    rules: ClassVar[tuple[Rule, ...]] = tuple(rule for rule in before.SharedSpec.rules if rule != MIN_AVAILABLE_STAYS)

    roles: Annotated[list[ComponentRole] | None, Field(max_length=2), list_map("name")] = None
    """The leader and the workers of a multinode component, both or neither."""


class ComponentDeploymentSpec(SharedSpec, before.ComponentDeploymentSpec):
    """A component on its own."""

    rules: ClassVar[tuple[Rule, ...]] = (*SharedSpec.rules, MIN_AVAILABLE_STAYS)

    provider_override: Gone = None


class DynamoComponentDeployment(before.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


class GraphDeploymentSpec(before.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None  # type: ignore[assignment]
    """Components by name."""


class DynamoGraphDeployment(before.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None

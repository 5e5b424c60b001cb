"""`nvidia.com/v1beta1` of release 1.6, as differences to release 1.5.

Source: api/v1beta1/dynamocomponentdeployment_types.go, common.go, lpx_types.go.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Gone, Rule, cel, go, list_map
from dynamoc.api.release_1_5 import v1beta1 as before
from dynamoc.api.release_1_5.roles import ComponentRole
from dynamoc.api.release_1_6.lpx import LPX_IS_OF_TYPE, Lpx
from dynamoc.api.v1beta1 import component, graph

ComponentType = Literal["frontend", "worker", "prefill", "decode", "planner", "epp", "lpx"]
ONE_KIND_OF_TEMPLATES = Rule(
    "!has(self.podTemplate) || !has(self.roles) || self.roles.all(role, !has(role.podTemplate))",
    "use either component podTemplate or complete role podTemplates",
)
_KEPT_BY_WEBHOOK = (component.MIN_AVAILABLE_STAYS, component.MIN_AVAILABLE_FITS)
MIN_AVAILABLE_FITS = Rule(
    "!has(self.minAvailable) || (has(self.type) && self.type == 'lpx' && !has(self.replicas))"
    " || (has(self.replicas) && self.replicas == 0)"
    " || self.minAvailable <= (has(self.replicas) ? self.replicas : 1)",
    component.MIN_AVAILABLE_FITS.message,
)


class ComponentSpec(before.ComponentSpec):
    """A component of a graph."""

    rules: ClassVar[tuple[Rule, ...]] = (
        *(rule for rule in before.ComponentSpec.rules if rule not in _KEPT_BY_WEBHOOK),
        MIN_AVAILABLE_FITS,
        LPX_IS_OF_TYPE,
        ONE_KIND_OF_TEMPLATES,
    )

    type: Annotated[ComponentType | None, go("omitempty")] = None  # type: ignore[assignment]
    """Role in the graph."""
    roles: Annotated[list[ComponentRole] | None, Field(max_length=2), list_map("name")] = None
    """The leader and the workers of a multinode component, both or neither; each may have its own pod template."""
    lpx: Lpx | None = None
    """What a component of type `lpx` runs; dynamoc does not render such components."""


class ComponentDeploymentSpec(ComponentSpec, before.ComponentDeploymentSpec):
    """A component on its own."""

    rules: ClassVar[tuple[Rule, ...]] = (*ComponentSpec.rules, component.MIN_AVAILABLE_STAYS)

    name: component.ComponentName | None = None
    provider_override: Gone = None


class DynamoComponentDeployment(before.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


Components = Annotated[
    list[ComponentSpec] | None,
    Field(max_length=25),
    list_map("name"),
    cel(*graph.COMPONENT_RULES),
]


class GraphDeploymentSpec(before.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    components: Components = None  # type: ignore[assignment]


class DynamoGraphDeployment(before.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None

"""DynamoGraphDeployment."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from dynamoc.api.base import Gone, NonEmpty, Part, Resource, Rule, Schema, StringMap, cel, go, list_map
from dynamoc.api.v1alpha1.common import Condition, EnvVar, Framework
from dynamoc.api.v1alpha1.graph import CheckpointInfo as AlphaCheckpointInfo
from dynamoc.api.v1alpha1.graph import GraphDeploymentStatus as AlphaStatus
from dynamoc.api.v1alpha1.graph import Restart
from dynamoc.api.v1alpha1.graph import RollingUpdateStatus as AlphaRollingUpdateStatus
from dynamoc.api.v1beta1.common import PlacementStatus, ReplicaStatus
from dynamoc.api.v1beta1.component import ComponentSpec
from dynamoc.api.v1beta1.experimental import GraphExperimental, TopologyDomain

RESTART_COMES_LATER = Rule(
    "oldSelf.hasValue() || !has(self.restart)",
    "spec.restart must be unset on create; set spec.restart.id after creation to request a restart",
    optional_old=True,
)
COMPONENT_RULES = (
    Rule("self.filter(c, has(c.type) && c.type == 'epp').size() <= 1", "at most one component may have type epp"),
    Rule(
        "self.all(c1, !has(c1.name)"
        " || self.filter(c2, has(c2.name) && c2.name.lowerAscii() == c1.name.lowerAscii()).size() == 1)",
        "component names must be unique case-insensitively",
    ),
)
Components = Annotated[
    list[ComponentSpec] | None,
    Field(max_length=25),
    list_map("name"),
    cel(*COMPONENT_RULES),
]


class GraphTopologyConstraint(Part):
    """Keeps the pods of a graph together."""

    cluster_topology_name: NonEmpty
    """A topology that Grove knows."""
    pack_domain: Annotated[TopologyDomain | None, go("omitempty")] = None


class GraphDeploymentSpec(Part):
    """The components of a graph and what they share."""

    rules: ClassVar[tuple[Rule, ...]] = (RESTART_COMES_LATER,)

    annotations: StringMap | None = None
    """Annotations of every component."""
    labels: StringMap | None = None
    """Labels of every component."""
    components: Components = None
    env: list[EnvVar] | None = None
    """Environment of every component; a component's own wins."""
    backend_framework: Annotated[Framework | None, go("omitempty")] = None
    """Framework of all workers; the operator detects it where it can."""
    priority_class_name: str | None = None
    topology_constraint: GraphTopologyConstraint | None = None
    restart: Restart | None = None
    experimental: GraphExperimental | None = None


class CheckpointInfo(AlphaCheckpointInfo):
    """The checkpoint of one component."""

    checkpoint_id: Annotated[str | None, Field(alias="checkpointID")] = None


class RollingUpdateStatus(AlphaRollingUpdateStatus):
    """How far a rolling update is."""

    updated_services: Gone = None
    updated_components: list[str] | None = None


class GraphDeploymentStatus(AlphaStatus):
    """What became of a graph."""

    services: Gone = None
    conditions: Annotated[list[Condition] | None, list_map("type")] = None
    components: dict[str, ReplicaStatus] | None = None
    checkpoints: dict[str, CheckpointInfo] | None = None  # type: ignore[assignment]
    rolling_update: RollingUpdateStatus | None = None
    placement: PlacementStatus | None = None


class DynamoGraphDeployment(Resource):
    """A graph of components that together serve a model."""

    typed: ClassVar[bool] = True
    crd: ClassVar[Schema] = {
        "short": "dgd",
        "columns": [
            'Ready=.status.conditions[?(@.type=="Ready")].status',
            "Backend=.spec.backendFramework",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None

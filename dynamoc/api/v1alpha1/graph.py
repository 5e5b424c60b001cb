"""DynamoGraphDeployment."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Int64, NonEmpty, Part, Quantity, Resource, Rule, Schema, Time, default, go
from dynamoc.api.v1alpha1.common import Condition, DeploymentState, EnvVar, Framework, ReplicaStatus
from dynamoc.api.v1alpha1.component import SharedSpec


class PersistentVolume(Part):
    """A PersistentVolumeClaim that components may mount, made on demand."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!has(self.create) || self.create == false"
            " || (has(self.size) && has(self.storageClass) && has(self.volumeAccessMode))",
            "When create is true, size, storageClass, and volumeAccessMode are required",
        ),
    )

    name: Annotated[str, go("pointer")]
    create: bool | None = None
    """Make the claim; otherwise it must exist."""
    storage_class: Annotated[str | None, go("omitempty")] = None
    size: Annotated[Quantity | None, go("always")] = None
    volume_access_mode: Annotated[str | None, go("omitempty")] = None


class RestartStrategy(Part):
    """In which order components restart."""

    type: Annotated[Literal["Sequential", "Parallel"] | None, default("Sequential"), go("omitempty")] = None
    order: list[str] | None = None
    """Names of components, first to last."""


class Restart(Part):
    """Asks for a restart of the graph."""

    id: NonEmpty
    """Any text; a new one asks for a new restart."""
    strategy: RestartStrategy | None = None


class GraphDeploymentSpec(Part):
    """The components of a graph and what they share."""

    pvcs: Annotated[list[PersistentVolume] | None, Field(max_length=100)] = None
    """Volumes for the components to mount."""
    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None
    """Components by name."""
    envs: list[EnvVar] | None = None
    """Environment of every component; a component's own wins."""
    backend_framework: Annotated[Framework | None, go("omitempty")] = None
    """Framework of all workers; the operator detects it where it can."""
    restart: Restart | None = None


class RestartStatus(Part):
    """How far a restart is."""

    observed_id: Annotated[str | None, Field(alias="observedID")] = None
    phase: str | None = None
    in_progress: list[str] | None = None


class RollingUpdateStatus(Part):
    """How far a rolling update is."""

    phase: Literal["Pending", "InProgress", "Completed", "Failed", ""] | None = None
    start_time: Time | None = None
    end_time: Time | None = None
    updated_services: list[str] | None = None


class CheckpointInfo(Part):
    """The checkpoint of one component."""

    checkpoint_name: str | None = None
    identity_hash: str | None = None
    ready: bool | None = None


class GraphDeploymentStatus(Part):
    """What became of a graph."""

    observed_generation: Int64 | None = None
    state: Annotated[DeploymentState, default("initializing")]
    conditions: list[Condition] | None = None
    services: dict[str, ReplicaStatus] | None = None
    restart: RestartStatus | None = None
    checkpoints: dict[str, CheckpointInfo] | None = None
    rolling_update: RollingUpdateStatus | None = None


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

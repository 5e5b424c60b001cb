"""`nvidia.com/v1alpha1` of release 1.2, as differences to release 1.3."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Gone, Rule, default, go
from dynamoc.api.release_1_2.experimental import JOB_IN_AUTO_MODE, GraphExperimental
from dynamoc.api.release_1_3 import v1alpha1 as later
from dynamoc.api.release_1_4 import v1alpha1 as latest
from dynamoc.api.v1alpha1 import checkpoint, component, graph, model
from dynamoc.api.v1beta1.experimental import JOB_OR_REFERENCE


class ReplicaStatus(latest.ReplicaStatus):
    """What runs for one component."""

    runtime_namespace: Gone = None
    scheduled_replicas: Gone = None


class ServiceCheckpoint(latest.ServiceCheckpoint):
    """Starting workers from a checkpoint."""

    rules: ClassVar[tuple[Rule, ...]] = (*component.ServiceCheckpoint.rules, JOB_OR_REFERENCE, JOB_IN_AUTO_MODE)

    mode: Annotated[Literal["Auto", "Manual"] | None, default("Auto"), go("omitempty")] = None
    """`Auto` makes the checkpoint if there is none."""
    startup_policy: Gone = None
    deletion_policy: Gone = None


class SharedSpec(later.SharedSpec):
    """A component, in a graph or on its own."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    min_available: Gone = None
    checkpoint: ServiceCheckpoint | None = None


class ComponentDeploymentSpec(SharedSpec, later.ComponentDeploymentSpec):
    """A component on its own."""


class ComponentDeploymentStatus(latest.ComponentDeploymentStatus):
    """What became of a component."""

    service: ReplicaStatus | None = None


class DynamoComponentDeployment(later.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None
    status: ComponentDeploymentStatus | None = None


class GraphDeploymentSpec(later.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None  # type: ignore[assignment]
    """Components by name."""
    priority_class_name: Gone = None
    experimental: GraphExperimental | None = None


class GraphDeploymentStatus(later.GraphDeploymentStatus):
    """What became of a graph."""

    services: dict[str, ReplicaStatus] | None = None  # type: ignore[assignment]
    checkpoints: dict[str, graph.CheckpointInfo] | None = None  # type: ignore[assignment]


class DynamoGraphDeployment(later.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None


class DynamoCheckpoint(latest.DynamoCheckpoint):
    """A checkpoint of a running worker, from which others start faster."""

    status: checkpoint.CheckpointStatus | None = None  # type: ignore[assignment]


DynamoGraphDeploymentRequest = later.DynamoGraphDeploymentRequest
DynamoModel = model.DynamoModel

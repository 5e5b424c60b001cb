"""Parts that several kinds share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dynamoc.api.base import Count, Gone, Part
from dynamoc.api.v1alpha1.common import ReplicaStatus as AlphaReplicaStatus


class ReplicaStatus(AlphaReplicaStatus):
    """What runs for one component."""

    component_name: Gone = None  # type: ignore[assignment]
    runtime_namespace: str | None = None
    """Namespace in which the component registers itself."""
    scheduled_replicas: Count | None = None
    """Replicas that have a node."""


class PlacementStatus(Part):
    """How well the graph is placed."""

    score: Annotated[float | None, Field(ge=0, le=1)] = None
    state: Literal["Reported", "Partial", "Unsupported", "Unknown"] | None = None

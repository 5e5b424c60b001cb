"""`nvidia.com/v1alpha1` of release 1.3, as differences to release 1.4."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynamoc.api.base import Gone
from dynamoc.api.release_1_4 import v1alpha1 as later
from dynamoc.api.v1alpha1 import request


class SharedSpec(later.SharedSpec):
    """A component, in a graph or on its own."""

    runtime_version_override: Gone = None


class ComponentDeploymentSpec(SharedSpec, later.ComponentDeploymentSpec):
    """A component on its own."""


class DynamoComponentDeployment(later.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


class GraphDeploymentSpec(later.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    services: Annotated[dict[str, SharedSpec] | None, Field(max_length=25)] = None  # type: ignore[assignment]
    """Components by name."""


class GraphDeploymentStatus(later.GraphDeploymentStatus):
    """What became of a graph."""

    placement: Gone = None


class DynamoGraphDeployment(later.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None
    status: GraphDeploymentStatus | None = None


DynamoGraphDeploymentRequest = request.DynamoGraphDeploymentRequest
DynamoCheckpoint = later.DynamoCheckpoint
DynamoModel = later.DynamoModel

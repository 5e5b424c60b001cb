"""The kinds of release 0.4, as differences to release 0.5."""

from __future__ import annotations

from dynamoc.api import release_0_5 as newer
from dynamoc.api.base import Gone
from dynamoc.api.kubernetes import OPAQUE_METADATA
from dynamoc.api.release import Release


class SharedSpec(newer.SharedSpec):
    """A component, in a graph or on its own."""

    shared_memory: Gone = None


class ComponentDeploymentSpec(SharedSpec, newer.ComponentDeploymentSpec):
    """A component on its own."""


class DynamoComponentDeployment(newer.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    spec: ComponentDeploymentSpec | None = None


class GraphDeploymentSpec(newer.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    services: dict[str, SharedSpec] | None = None  # type: ignore[assignment]
    """Components by name."""


class DynamoGraphDeployment(newer.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    spec: GraphDeploymentSpec | None = None


RELEASE = Release(
    name="0.4",
    kubernetes="1.33",
    embedded_metadata=OPAQUE_METADATA,
    kinds=({"v1alpha1": DynamoComponentDeployment}, {"v1alpha1": DynamoGraphDeployment}),
)

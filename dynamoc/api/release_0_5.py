"""The kinds of release 0.5, as differences to release 0.6."""

from __future__ import annotations

from typing import Annotated, ClassVar

from dynamoc.api import release_0_6 as newer
from dynamoc.api.base import Gone, Part, Quantity, Schema, go
from dynamoc.api.kubernetes import OPAQUE_METADATA
from dynamoc.api.release import Release


class Claim(Part):
    """A PersistentVolumeClaim that the component mounts, made on demand."""

    create: bool | None = None
    """Make the claim, without Grove; otherwise it must exist."""
    name: str | None = None
    storage_class: str | None = None
    size: Annotated[Quantity | None, go("always")] = None
    volume_access_mode: str | None = None
    mount_point: str | None = None
    """Path in the container."""


class Resources(newer.Resources):
    """What a replica of a component asks for."""

    claims: Gone = None


class SharedSpec(newer.SharedSpec):
    """A component, in a graph or on its own."""

    resources: Resources | None = None
    pvc: Claim | None = None
    """A volume to mount."""
    sub_component_type: Gone = None
    volume_mounts: Gone = None


class ComponentDeploymentSpec(SharedSpec, newer.ComponentDeploymentSpec):
    """A component on its own."""

    dynamo_component: str | None = None
    """Left from earlier releases; accepted, without effect."""
    dynamo_tag: str | None = None
    """Makes the component a frontend where it ends in `serviceName`."""


class DynamoComponentDeployment(newer.DynamoComponentDeployment):
    """One component; the operator makes one for each component of a graph, where Grove does not run them."""

    crd: ClassVar[Schema] = {
        "short": "dcd",
        "columns": [
            "DynamoComponent=.spec.dynamoComponent",
            "Available=.status.conditions[?(@.type=='Available')].status",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: ComponentDeploymentSpec | None = None


class GraphDeploymentSpec(newer.GraphDeploymentSpec):
    """The components of a graph and what they share."""

    dynamo_graph: str | None = None
    """Left from earlier releases; accepted, without effect."""
    pvcs: Gone = None
    services: dict[str, SharedSpec] | None = None  # type: ignore[assignment]
    """Components by name."""


class DynamoGraphDeployment(newer.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    crd: ClassVar[Schema] = {"short": "dgd"}

    spec: GraphDeploymentSpec | None = None


RELEASE = Release(
    name="0.5",
    kubernetes="1.33",
    embedded_metadata=OPAQUE_METADATA,
    kinds=({"v1alpha1": DynamoComponentDeployment}, {"v1alpha1": DynamoGraphDeployment}),
)

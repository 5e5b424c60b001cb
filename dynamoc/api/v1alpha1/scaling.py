"""DynamoGraphDeploymentScalingAdapter."""

from __future__ import annotations

from typing import ClassVar

from dynamoc.api.base import Count, Int32, NonEmpty, Part, Resource, Schema, Time


class ServiceRef(Part):
    """A component of a graph."""

    name: NonEmpty
    """Name of the DynamoGraphDeployment."""
    service_name: NonEmpty
    """Name of the component in it."""


class ScalingAdapterSpec(Part):
    """How many replicas a component should have."""

    replicas: Count
    dgd_ref: ServiceRef


class ScalingAdapterStatus(Part):
    """How many replicas a component has."""

    replicas: Int32 | None = None
    selector: str | None = None
    last_scale_time: Time | None = None


class DynamoGraphDeploymentScalingAdapter(Resource):
    """The scale of one component, for autoscalers to set."""

    crd: ClassVar[Schema] = {
        "short": "dgdsa",
        "columns": [
            "DGD=.spec.dgdRef.name",
            "SERVICE=.spec.dgdRef.serviceName",
            "REPLICAS=.status.replicas:integer",
            "AGE=.metadata.creationTimestamp",
        ],
        "scale": True,
    }

    spec: ScalingAdapterSpec | None = None
    status: ScalingAdapterStatus | None = None

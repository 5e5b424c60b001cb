"""DynamoModel and DynamoWorkerMetadata."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from dynamoc.api.base import Part, Preserved, Resource, Schema, default
from dynamoc.api.v1alpha1.common import Condition


class ModelSource(Part):
    """Where the weights come from."""

    uri: str


class ModelSpec(Part):
    """A model served by the workers of a graph."""

    model_name: str
    base_model_name: str
    """The model that the workers were started with."""
    model_type: Annotated[Literal["base", "lora", "adapter"] | None, default("base")] = None
    source: ModelSource | None = None


class ModelEndpoint(Part):
    """A worker that serves the model."""

    address: str
    pod_name: str | None = None
    ready: bool


class ModelStatus(Part):
    """Which workers serve a model."""

    endpoints: list[ModelEndpoint] | None = None
    ready_endpoints: int
    total_endpoints: int
    conditions: list[Condition] | None = None


class DynamoModel(Resource):
    """A model, to load it into running workers."""

    crd: ClassVar[Schema] = {
        "short": "dm",
        "columns": [
            "BaseModel=.spec.baseModelName",
            "Type=.spec.modelType",
            "Ready=.status.readyEndpoints:integer",
            "Total=.status.totalEndpoints:integer",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: ModelSpec | None = None
    status: ModelStatus | None = None


class WorkerMetadataSpec(Part):
    """What a worker says about itself."""

    data: Preserved


class DynamoWorkerMetadata(Resource):
    """Written by workers, for others to discover them."""

    crd: ClassVar[Schema] = {"short": "dwm", "plural": "dynamoworkermetadatas", "status": False}

    spec: WorkerMetadataSpec | None = None

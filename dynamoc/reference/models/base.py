"""What the models of the Dynamo API are made of.

Field defaults are always None, "not written": an object made in Python holds what its author wrote and nothing else.
What the API server fills in, and what it checks beyond types and bounds, is in `schemas/`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Time = str
Quantity = int | str
Preserved = dict[str, Any]
"""An object of any fields."""
Embedded = dict[str, Any]
"""A Kubernetes object."""
AnyValue = Any
StringMap = dict[str, str]
NonEmpty = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]
"""A number of replicas."""


class Part(BaseModel):
    """Any object of the API: unknown fields are refused, names are in camel case outside of Python."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        protected_namespaces=(),
        use_attribute_docstrings=True,
        # A validator is made when its class is used: importing the models makes none.
        defer_build=True,
    )

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data, with the names of the API and only what was written."""
        return self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)


class Resource(Part):
    """A kind of the API: an object with apiVersion, kind, metadata and spec. Only the operator writes a status."""

    api_version: str
    kind: str
    metadata: dict[str, Any] | None = None
    status: Preserved | None = None

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data, with the names of the API, and only what was written beside apiVersion and kind."""
        return {"apiVersion": self.api_version, "kind": self.kind, **super().to_dict()}

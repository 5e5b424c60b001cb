"""What the models of the Dynamo API are made of.

A model says what a field may hold, twice: as pydantic types for Python programs, and through the markers of this
module for the schemas of `schemas/`, which need more than JSON Schema can express.

Field defaults in Python are always None, "not written". A default that the API server fills in is a `default` marker,
so that an object made in Python holds what its author wrote and nothing else.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

Schema = dict[str, Any]

DEFAULT = "x-default"
GO = "x-go"
KUBE = "x-kube"
MORE = "x-more"
GONE = "x-gone"


class Keys:
    """Adds keywords to the schema of the annotated type."""

    def __init__(self, **keys: Any) -> None:
        self.keys = {name.replace("_", "-"): value for name, value in keys.items()}

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        return {**handler(core), **self.keys}


def default(value: Any) -> Keys:
    """The value that the API server fills in for an absent field."""
    return Keys(x_default=value)


def go(written: str) -> Keys:
    """How the operator's Go type writes the field, where it differs from the conventions of Kubernetes.

    Matters to kinds that a mutating webhook reads into Go types before the API server validates them:
    `omitempty` leaves out a zero, `pointer` leaves out only what is absent although the field is required,
    `always` writes the zero of an absent field although it is optional, `null` writes null for an absent field.
    """
    return Keys(x_go=written)


def list_map(*keys: str) -> Keys:
    """A list whose items are identified by some of their fields."""
    return Keys(x_kubernetes_list_type="map", x_kubernetes_list_map_keys=list(keys))


list_set = Keys(x_kubernetes_list_type="set")
atomic = Keys(x_kubernetes_list_type="atomic")


class Rule(NamedTuple):
    """A validation rule in CEL, with the message of the API server."""

    text: str
    message: str
    optional_old: bool = False

    def schema(self) -> Schema:
        extra = {"optionalOldSelf": True} if self.optional_old else {}
        return {"rule": self.text, "message": self.message, **extra}


def cel(*rules: Rule) -> Keys:
    return Keys(x_kubernetes_validations=[rule.schema() for rule in rules])


def kube(definition: str, *, optional: tuple[str, ...] = (), more: Schema | None = None) -> Keys:
    """A Kubernetes type by its name in the OpenAPI definitions, without the prefix `io.k8s.api.`.

    `optional` names fields that Kubernetes requires and the Dynamo API doesn't; `more` has keywords to add, by path
    inside the type (`spec.containers.[]`).
    """
    more = dict(more or {})
    if optional:
        more[""] = {"required": list(optional)}
    return Keys(x_kube=definition, x_more=more)


Int32 = Annotated[int, Keys(format="int32")]
Int64 = Annotated[int, Keys(format="int64")]
Time = Annotated[str, Keys(format="date-time")]
Quantity = Annotated[int | str, kube("quantity")]
Preserved = Annotated[dict[str, Any], Keys(x_kubernetes_preserve_unknown_fields=True)]
AnyValue = Annotated[Any, Keys(x_kubernetes_preserve_unknown_fields=True)]
Embedded = Annotated[
    dict[str, Any],
    Keys(x_kubernetes_preserve_unknown_fields=True, x_kubernetes_embedded_resource=True),
]
StringMap = dict[str, str]
NonEmpty = Annotated[str, Field(min_length=1)]
Count = Annotated[Int32, Field(ge=0)]
"""A number of replicas."""

Gone = Annotated[None, Keys(x_gone=True)]
"""A field that this release doesn't have, although the model it derives from does."""


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

    rules: ClassVar[tuple[Rule, ...]] = ()
    """CEL rules on the object."""
    keys: ClassVar[Schema] = {}
    """More keywords of its schema."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        schema = handler.resolve_ref_schema(handler(core))
        schema |= cls.keys
        if cls.rules:
            schema["x-kubernetes-validations"] = [rule.schema() for rule in cls.rules]
        return schema

    def to_dict(self) -> Schema:
        """The object as plain data, with the names of the API and only what was written."""
        return self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)


class Resource(Part):
    """A kind of the API: an object with apiVersion, kind, metadata, spec and status."""

    crd: ClassVar[Schema]
    """How the cluster knows the kind: `plural`, `short`, `columns` and the like; see `dynamoc.api.crd`."""
    typed: ClassVar[bool] = False
    """Whether a mutating webhook passes objects through the operator's Go types; see `go`."""

    api_version: str
    kind: str
    metadata: dict[str, Any] | None = None

"""From the JSON Schema that pydantic makes of a model to the structural schema of a CRD."""

from __future__ import annotations

from dataclasses import dataclass

from dynamoc.api.base import DEFAULT, GONE, KUBE, MORE, Part, Resource, Schema
from dynamoc.api.kubernetes import Definitions

_DROPPED = frozenset({"title", "default", DEFAULT, MORE, KUBE})


def structural(kind: type[Resource], definitions: Definitions) -> Schema:
    """The `openAPIV3Schema` of a kind, everything inlined, with the keys `x-go` still in it."""
    schema = inlined(kind, definitions)
    # The API server checks these by itself; a CRD only names them.
    schema.pop("required")
    for name in ("apiVersion", "kind", "metadata"):
        schema["properties"][name] = {"type": schema["properties"][name]["type"]}
    return schema


def inlined(model: type[Part], definitions: Definitions) -> Schema:
    """The schema of a model with everything that it refers to in its place."""
    schema = model.model_json_schema(by_alias=True, ref_template="{model}")
    return _Inliner(schema.pop("$defs", {}), definitions).schema(schema)


@dataclass(eq=False)
class _Inliner:
    models: dict[str, Schema]
    definitions: Definitions

    def schema(self, schema: Schema) -> Schema:
        out: Schema = {}
        for part in _parts(schema, self.models):
            layers = [self._own(part)]
            if KUBE in part:
                layers.insert(0, self._kubernetes(part[KUBE], part.get(MORE, {})))
            for layer in layers:
                properties = {**out.get("properties", {}), **layer.get("properties", {})}
                out |= layer
                out.pop("properties", None)
                if properties:
                    out["properties"] = properties
        return out

    def _own(self, schema: Schema) -> Schema:
        """What pydantic says itself, in the vocabulary of structural schemas."""
        out = {key: value for key, value in schema.items() if key not in _DROPPED and (key, value) != ("type", "null")}
        if DEFAULT in schema:
            out["default"] = schema[DEFAULT]
        if "const" in out:
            out["enum"] = [out.pop("const")]
        extra = out.pop("additionalProperties", None)
        if isinstance(extra, dict):
            out["additionalProperties"] = self.schema(extra)
        if "items" in out:
            out["items"] = self.schema(out["items"])
        if "properties" in out:
            children = {name: self.schema(child) for name, child in out["properties"].items()}
            out["properties"] = {name: child for name, child in children.items() if GONE not in child}
        if "required" in out:
            out["required"] = sorted(out["required"])
        return out

    def _kubernetes(self, name: str, more: dict[str, Schema]) -> Schema:
        out = self.definitions.schema(name)
        for path, keys in more.items():
            out = _patched(out, path.split(".") if path else [], keys)
        return out


def _parts(schema: Schema, models: dict[str, Schema]) -> list[Schema]:
    """A schema, after what it refers to: a model by `$ref`, or the type in a union with null."""
    before: list[Schema] = []
    if "$ref" in schema:
        before = _parts(models[schema["$ref"]], models)
    elif "anyOf" in schema and KUBE not in schema:
        choices = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
        if len(choices) != 1:
            raise ValueError(f"a union has no structural schema: {schema}")
        before = _parts(choices[0], models)
    return [*before, {key: value for key, value in schema.items() if key not in ("$ref", "anyOf")}]


def _patched(schema: Schema, path: list[str], keys: Schema) -> Schema:
    """A copy with keywords added at a path; under `required` stand the names to take away."""
    if not path:
        out = {**schema, **keys}
        if "required" in keys:
            out["required"] = [name for name in schema["required"] if name not in keys["required"]]
        return out
    step, *rest = path
    if step in ("[]", "{}"):
        name = "items" if step == "[]" else "additionalProperties"
        return {**schema, name: _patched(schema[name], rest, keys)}
    return {**schema, "properties": {**schema["properties"], step: _patched(schema["properties"][step], rest, keys)}}

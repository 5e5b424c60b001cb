"""The schema of a field: of the release that the settings choose, for the kind and version that the document has."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from dynamoc.explain.other_values import KUBERNETES, SUB_TYPES
from dynamoc.lsp.outline import Part
from dynamoc.lsp.spans import Path
from dynamoc.release import get_release

Schema: TypeAlias = "dict[str, Any]"

_HEAD = {
    "apiVersion": {"type": "string", "description": "Group and version of the API."},
    "kind": {"type": "string", "description": "What the object is."},
}


@cache
def _documents(release: str) -> dict[tuple[str, str], Schema]:
    """By kind and apiVersion."""
    from dynamoc.cli.schema import json_schemas

    found = {}
    for (kind, _), schema in json_schemas(release).items():
        version = schema.get("properties", {}).get("apiVersion", {}).get("const")
        if version is not None:
            found[kind, version] = schema
    return found


def kinds(release: str) -> list[tuple[str, str]]:
    """Kinds of the operator with their apiVersions."""
    return [key for key in _documents(release) if key[1].startswith("nvidia.com/")]


class Schemas:
    """The schema of one document. Nothing is known of a kind that the release does not have."""

    def __init__(self, release: str, part: Part) -> None:
        self.release = release
        self.kind = part.value("kind") or ""
        self.version = part.value("apiVersion") or ""
        self._root = _documents(release).get((self.kind, self.version))

    @property
    def is_known(self) -> bool:
        return self._root is not None

    def at(self, path: Path) -> Schema | None:
        """The schema of a field, or of what is in a list; None where there is none."""
        schema: Any = self._root
        if schema is not None and len(path) > 1 and path[0] == "metadata":
            schema = {**schema, "properties": {**schema["properties"], "metadata": _metadata()}}
        for step in path:
            schema = _below(schema, step) if isinstance(schema, dict) else None
        return schema if isinstance(schema, dict) else None

    def fields(self, path: Path) -> tuple[dict[str, Schema], set[str]]:
        """The fields of a mapping, and which are required. The status is the operator's."""
        schema = _metadata() if path == ("metadata",) and self.is_known else self.at(path)
        if schema is None:
            return {}, set()
        fields = {name: part for name, part in schema.get("properties", {}).items() if path or name != "status"}
        return fields, set(schema.get("required", ()))

    def values(self, path: Path) -> list[str]:
        """The values that a field may have, where they are listed: as they are written."""
        schema = self.at(path)
        if path == ("apiVersion",):
            return sorted({version for kind, version in kinds(self.release) if kind == self.kind or not self.kind})
        if path == ("kind",):
            return sorted({kind for kind, version in kinds(self.release) if version == self.version})
        if schema is None or not path:
            return []
        if schema.get("type") == "boolean":
            return ["true", "false"]
        if "enum" in schema:
            return [str(each) for each in schema["enum"] if each is not None]
        name = str(path[-1])
        if name == "subComponentType":
            return list(SUB_TYPES)
        if name == "componentType":
            return _types(self.release)
        return list(KUBERNETES.get(name, ()))

    def takes_others(self, path: Path) -> bool:
        """Whether a field may have values that `values` does not list."""
        schema = self.at(path)
        return bool(path) and path[-1] == "componentType" and "enum" not in (schema or {})


def _types(release: str) -> list[str]:
    """The types of components in v1alpha1, which no schema lists: those that the operator has defaults for."""
    return [name for name in get_release(release)["component-defaults"] if name not in SUB_TYPES]


def _below(schema: Schema, step: str | int) -> Schema | None:
    if isinstance(step, int):
        return schema.get("items")
    found = schema.get("properties", {}).get(step)
    if found is not None:
        return dict(found)
    extra = schema.get("additionalProperties")
    return extra if isinstance(extra, dict) else None


@cache
def _metadata() -> Schema:
    from dynamoc.schema.descriptions import description

    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    types: dict[str, Schema] = {
        "name": {"type": "string"},
        "namespace": {"type": "string"},
        "labels": texts,
        "annotations": texts,
    }
    described = {name: {**part, "description": description("metadata", name)} for name, part in types.items()}
    return {"type": "object", "properties": described, "required": ["name"]}

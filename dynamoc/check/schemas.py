"""Schemas of kinds that dynamoc does not know: JSON Schemas and CustomResourceDefinitions in files.

Files of JSON Schema are found by their names, as kubeconform and the CRDs catalogue lay them out:
`KIND-GROUP-VERSION.json` (`deployment-apps-v1.json`, `configmap-v1.json`) or `GROUP/KIND_VERSION.json`, in lower case.
A group is whole, or its first label. CustomResourceDefinitions are found by what they define, in files of YAML or JSON.
"""

from __future__ import annotations

import json
import os
from typing import Any

import yaml
from jsonschema import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT202012

from dynamoc.schema.problem import Problem

Tree = dict[str, Any]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BadSchema(Exception):
    """A schema cannot be used; the message says which, and why."""


class Schemas:
    """Schemas in files and directories. Raises BadSchema for paths that hold none."""

    def __init__(self, paths: list[str]) -> None:
        self._directories = [path for path in paths if os.path.isdir(path)]
        self._definitions: dict[tuple[str, str, str], Tree] = {}
        self._known: dict[tuple[str, str, str], Validator | None] = {}
        for path in paths:
            if not os.path.exists(path):
                raise BadSchema(f"{path} does not exist")
            self._read_definitions(path)

    def judge(self, value: Tree) -> list[Problem] | None:
        """What the schema of an object's kind refuses; None where no file has one."""
        group, _, version = str(value.get("apiVersion", "")).rpartition("/")
        key = (group, version, str(value.get("kind", "")))
        if key not in self._known:
            self._known[key] = self._find(*key)
        validator = self._known[key]
        if validator is None:
            return None
        secret = key == ("", "v1", "Secret")
        try:
            return [_problem(error, secret=secret) for error in validator.iter_errors(value)]
        except Unresolvable as problem:
            raise BadSchema(f"the schema of {key[2]} refers to {problem.ref}, which is not there") from None

    def _find(self, group: str, version: str, kind: str) -> Validator | None:
        if (group, version, kind) in self._definitions:
            return Draft202012Validator(self._definitions[group, version, kind])
        name, first = kind.lower(), group.partition(".")[0]
        names = [f"{name}-{part}-{version}.json" if part else f"{name}-{version}.json" for part in (group, first)]
        names.append(os.path.join(group, f"{name}_{version}.json"))
        for directory in self._directories:
            for file in names:
                path = os.path.join(directory, file)
                if os.path.isfile(path):
                    return _validator(path)
        return None

    def _read_definitions(self, path: str) -> None:
        """CustomResourceDefinitions of a file, or of the files right in a directory."""
        files = [path] if os.path.isfile(path) else [os.path.join(path, name) for name in sorted(os.listdir(path))]
        for file in files:
            if file.endswith((".yaml", ".yml")) or (file == path and file.endswith(".json")):
                for document in _documents(file):
                    if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                        self._take(document)

    def _take(self, definition: Tree) -> None:
        spec = definition.get("spec") or {}
        for version in spec.get("versions") or ():
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema:
                key = (spec.get("group", ""), version.get("name", ""), (spec.get("names") or {}).get("kind", ""))
                self._definitions[key] = _closed(schema, root=True)


def _documents(file: str) -> list[Any]:
    try:
        with open(file, "rb") as stream:
            return list(yaml.load_all(stream, _LOADER))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as problem:
        raise BadSchema(f"{file}: {' '.join(str(problem).split())}") from None


def _closed(schema: Any, *, root: bool = False) -> Any:
    """A structural schema that refuses fields which it does not name, as strict field validation does."""
    if not isinstance(schema, dict):
        return schema
    out = {key: _closed_part(key, item) for key, item in schema.items()}
    if schema.get("nullable") and "type" in schema:
        out["type"] = [schema["type"], "null"]
    if schema.get("x-kubernetes-int-or-string"):
        out["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        out.setdefault("additionalProperties", False)
        if root or schema.get("x-kubernetes-embedded-resource"):
            known: Tree = {"apiVersion": {}, "kind": {}, "metadata": {}}
            out["properties"] = {**known, **out["properties"]}
    return out


def _closed_part(key: str, item: Any) -> Any:
    if key == "properties" and isinstance(item, dict):
        return {name: _closed(each) for name, each in item.items()}
    return _closed(item) if key in ("items", "additionalProperties") else item


def _validator(path: str) -> Validator:
    try:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
    except (OSError, ValueError) as problem:
        raise BadSchema(f"{path}: {problem}") from None
    directory = os.path.dirname(path)

    def retrieve(uri: str) -> Resource[Any]:
        """Files beside the schema; nothing is fetched."""
        name = uri.rpartition("/")[2]
        near = os.path.join(directory, name)
        if not name or not os.path.isfile(near):
            raise NoSuchResource(ref=uri)  # type: ignore[call-arg]
        with open(near, encoding="utf-8") as file:
            return Resource.from_contents(json.load(file), default_specification=DRAFT202012)

    resource = Resource.from_contents(schema, default_specification=DRAFT202012)
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    if resource.id():
        registry = resource @ registry
    return validator_for(schema, Draft202012Validator)(schema, registry=registry)


def _problem(error: ValidationError, *, secret: bool) -> Problem:
    path = tuple(error.absolute_path)
    message = "The value does not fit the schema." if secret else f"{error.message[:1].upper()}{error.message[1:300]}."
    return Problem("check/schema", path, message)

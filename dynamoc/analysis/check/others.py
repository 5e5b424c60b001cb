"""Objects that dynamoc passes on: judged by their Go structs, or by schemas and CustomResourceDefinitions in files.

Files of JSON Schema are found by their names, as kubeconform and the CRDs catalogue lay them out:
`KIND-GROUP-VERSION.json` (`deployment-apps-v1.json`, `configmap-v1.json`) or `GROUP/KIND_VERSION.json`, in lower case.
A group is whole, or its first label. CustomResourceDefinitions are found by what they define, in files of YAML or JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import yaml

from dynamoc.compiler.cluster import Run
from dynamoc.documents.apiserver.objects import examine_object
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, Path
from dynamoc.documents.schema.messages import retyped
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import certain_name
from dynamoc.documents.source.document import Document
from dynamoc.kube.go_scalars import Mismatch
from dynamoc.kube.go_types import FLAGS, load, type_of
from dynamoc.kube.merge import Tree

if TYPE_CHECKING:
    # An extra.
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

#: what the readers of Go's types want, in the words of JSON
_JSON_TYPES = {"a string": "string", "true or false": "boolean", "an integer": "integer", "a list": "array"}


class Structs:
    """The Go structs of the kinds that a release of the operator knows, Kubernetes' own among them.

    Source: `schemas/RELEASE/go-types.txt`.
    """

    def __init__(self, release: str) -> None:
        self._tables = load(release)

    def judge(self, value: Tree) -> Iterator[Problem] | None:
        """What a strict API server refuses of an object's structure; None for kinds that are unknown."""
        name = type_of(value.get("apiVersion") or "", value.get("kind") or "")
        return self._problems(value, name) if name in self._tables else None

    def without_nulls(self, value: Tree) -> Tree:
        """A value that `judge` finds nothing wrong in the types of: a null in a list is what Go reads it as."""
        name = type_of(value.get("apiVersion") or "", value.get("kind") or "")
        filled: Tree = _filled(value, self._tables.reader(name)(value))
        return filled

    def _problems(self, value: Tree, name: str) -> Iterator[Problem]:
        try:
            self._tables.reader(name)(value)
        except Mismatch as mismatch:
            path = tuple(reversed(mismatch.path))
            found = "" if value.get("kind") == "Secret" else f", but is {_shown(mismatch.value)}"
            wanted = _JSON_TYPES.get(mismatch.wanted)
            change = retyped(mismatch.value, wanted)
            yield Problem("check/wrong-type", path, f"The field must be {mismatch.wanted}{found}.", change=change)
        yield from self._unknown(value, name, ())

    def _unknown(self, value: Any, name: str, path: Path) -> Iterator[Problem]:
        """Fields that no struct has; what a cluster fills in counts as known."""
        bare = name.lstrip("*")
        if bare.startswith("[]") and isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._unknown(item, bare[2:], (*path, index))
        elif bare.startswith("map[string]") and isinstance(value, dict):
            for key, item in value.items():
                yield from self._unknown(item, bare[11:], (*path, key))
        elif bare in self._tables and isinstance(value, dict):
            fields = {field: kind.lstrip(FLAGS) for field, kind in self._tables.declared(bare).items()}
            for key, item in value.items():
                if key in fields:
                    yield from self._unknown(item, fields[key], (*path, key))
                elif not (path == () and key == "status"):
                    message = f"The field `{key}` does not exist: `kubectl apply` refuses it, others drop it."
                    meant = certain_name(key, fields)
                    change = None if meant is None else Change("rename", meant)
                    hint = _guess(key, list(fields))
                    if meant in value:
                        hint, change = f"remove it: `{meant}` is there already", None
                    yield Problem("check/unknown-field", (*path, key), message, hint, change=change)


def _filled(value: Any, read: Any) -> Any:
    if isinstance(value, dict) and isinstance(read, dict):
        return {key: _filled(item, read.get(key)) for key, item in value.items()}
    if isinstance(value, list) and isinstance(read, list) and len(value) == len(read):
        return [other if item is None else _filled(item, other) for item, other in zip(value, read, strict=True)]
    return value


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return {None: "null", True: "true", False: "false"}[value] if value in (None, True, False) else f"{value!r:.60}"


def _guess(key: str, fields: list[str]) -> str | None:
    close = get_close_matches(key, fields, 1)
    return f"did you mean `{close[0]}`?" if close else None


class Others:
    """Judges objects: by the schemas of the user, else by what is known of Kubernetes' own kinds."""

    def __init__(self, schemas: Schemas | None) -> None:
        self._schemas = schemas
        self._structs: dict[str, Structs] = {}

    def judge(self, run: Run, document: Document) -> None:
        problems = self._by_schema(document.value)
        if problems is None:
            problems = self._by_kind(run, document.value)
        run.report.take(document, problems)

    def _by_schema(self, value: Tree) -> list[Problem] | None:
        return None if self._schemas is None else self._schemas.judge(value)

    def _by_kind(self, run: Run, value: Tree) -> list[Problem]:
        release = run.cluster.release.name
        structs = self._structs.setdefault(release, Structs(release))
        found = structs.judge(value)
        problems = [] if found is None else list(found)
        if found is None or any(problem.slug == "check/wrong-type" for problem in problems):
            return problems
        return [*problems, *_refused(structs.without_nulls(value), run.cluster.options.kube_minor)]


def _refused(value: Tree, minor: int | None) -> list[Problem]:
    return [problem for problem in examine_object(value, minor) if problem.severity == ERROR]


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
        from referencing.exceptions import Unresolvable

        try:
            return [_problem(error, secret=secret) for error in validator.iter_errors(value)]
        except Unresolvable as problem:
            raise BadSchema(f"the schema of {key[2]} refers to {problem.ref}, which is not there") from None

    def _find(self, group: str, version: str, kind: str) -> Validator | None:
        if (group, version, kind) in self._definitions:
            from jsonschema.validators import Draft202012Validator

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
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry, Resource
    from referencing.exceptions import NoSuchResource
    from referencing.jsonschema import DRAFT202012

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

"""The structure of objects that dynamoc passes on: fields that Kubernetes has, and their types."""

from __future__ import annotations

from dynamoc.diagnostics.change import Change
from dynamoc.golang.scalars import Mismatch
from dynamoc.golang.types import load, type_of
from dynamoc.schema.messages import retyped
from dynamoc.schema.nearest import certain_name
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

#: what the readers of Go's types want, in the words of JSON
_JSON_TYPES = {"a string": "string", "true or false": "boolean", "an integer": "integer", "a list": "array"}


class Structs:
    """The Go structs of the kinds that a release of the operator knows, Kubernetes' own among them.

    Source: `schemas/RELEASE/go-types.txt`.
    """

    def __init__(self, release: str) -> None:
        self._tables = load(release)

    def judge(self, value: Tree) -> Iterator[Problem] | None:
        """What a strict API server refuses of an object's structure; None for kinds that nobody here knows."""
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
            fields = {field: kind for field, _, kind in self._tables.declared(bare, [])}
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
    from difflib import get_close_matches

    close = get_close_matches(key, fields, 1)
    return f"did you mean `{close[0]}`?" if close else None

"""What the API server judges otherwise where an object replaces an old one: transition rules, and what stays wrong.

The API server looks for the old value of a part by its key in a mapping and by the keys of a list that is a map
(`x-kubernetes-list-type`); what has no old value, such as an item of any other list, is not judged.
Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go, common/schemas.go.
"""

from __future__ import annotations

from dynamoc.schema.cel import TRANSITIONS
from dynamoc.schema.data import load
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.data import Nodes

    Node = dict[str, Any]
    Pair = tuple[Any, Any, int, Path, Path]
    """new and old value, the node that they are of, and where they stand"""


def transitions(release: str, value: dict[str, Any], old: dict[str, Any]) -> list[Problem]:
    """What the rules say to `value` in place of `old`, two valid, defaulted documents of one kind and version."""
    schema = load(release)
    root = schema["kinds"].get(value["apiVersion"], {}).get(value["kind"])
    if root is None:
        return []
    nodes: Nodes = schema["nodes"]
    problems: list[Problem] = []
    todo: list[Pair] = [(value, old, root, (), ())]
    while todo:
        pair = todo.pop()
        problems += _broken(pair, nodes)
        todo += _parts(pair, nodes)
    return problems


def ratcheted(release: str, value: dict[str, Any], old: dict[str, Any], problems: list[Problem]) -> list[Problem]:
    """The problems of `value` without those in parts that are the same as in `old`: since 1.30, these may stay.

    Unknown fields, metadata, types and forms are as in a new object: the operator could not read them.
    Source: k8s.io/apiextensions-apiserver pkg/apiserver/validation/ratcheting.go; asked of an API server 1.34.
    """
    schema = load(release)
    root = schema["kinds"].get(value["apiVersion"], {}).get(value["kind"])
    if root is None:
        return problems
    return [
        problem
        for problem in problems
        if problem.slug in _ALWAYS_JUDGED
        or problem.path[:1] == ("metadata",)
        or not _is_unchanged(problem.path, (value, old, root, (), ()), schema["nodes"])
    ]


_ALWAYS_JUDGED = frozenset(
    f"schema/{what}" for what in ("api-version", "format", "pattern", "type", "unknown-field", "unknown-kind")
)


def _is_unchanged(path: Path, pair: Pair, nodes: Nodes) -> bool:
    """Whether a part on the way to `path` is the same on both sides, as far as the old one can be found."""
    for step in path:
        found = next((part for part in _parts(pair, nodes) if part[3][-1] == step), None)
        if found is None:
            return False
        if found[0] == found[1]:
            return True
        pair = found
    return False


def _broken(pair: Pair, nodes: Nodes) -> Iterator[Problem]:
    value, old, node, path, old_path = pair
    for text, message in nodes[node].get("rules", ()):
        if text not in TRANSITIONS:
            continue
        rule, field = TRANSITIONS[text]
        if not rule(value, old):
            from dynamoc.schema.cel_findings import slug

            problem = Problem(slug(rule), (*path, *field), message[:1].upper() + message[1:])
            problem.old_path = (*old_path, *field)
            yield problem


def _parts(pair: Pair, nodes: Nodes) -> Iterator[Pair]:
    """The parts that both values have."""
    value, old, index, path, old_path = pair
    node = nodes[index]
    if isinstance(value, dict) and isinstance(old, dict):
        props = node.get("props", {})
        for key, item in value.items():
            child = props.get(key, node.get("extra"))
            if child is not None and key in old:
                yield item, old[key], child, (*path, key), (*old_path, key)
    elif isinstance(value, list) and isinstance(old, list) and "keys" in node:
        known = {_identity(item, node["keys"]): place for place, item in enumerate(old)}
        for place, item in enumerate(value):
            before = known.get(_identity(item, node["keys"]))
            if before is not None:
                yield item, old[before], node["items"], (*path, place), (*old_path, before)


def _identity(item: Any, keys: list[str]) -> tuple[Any, ...]:
    return tuple(item.get(key) for key in keys) if isinstance(item, dict) else ()

"""From what the API server refuses in a document to what is wrong with it: one problem a cause, also of updates.

The API server looks for the old value of a part by its key in a mapping and by the keys of a list that is a map
(`x-kubernetes-list-type`); what has no old value, such as an item of any other list, is not judged.
Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go, common/schemas.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, Path, format_path
from dynamoc.documents.schema.cel import TRANSITIONS, slug
from dynamoc.documents.schema.messages import missing
from dynamoc.documents.schema.problem import UNKNOWN_FIELD, Problem
from dynamoc.documents.schema.schemas import Node, Nodes, load
from dynamoc.documents.schema.suggestions import placeholder
from dynamoc.documents.schema.walk import Walk
from dynamoc.kube.merge import at
from dynamoc.reference.releases import ORDER

Head = tuple[str, str]
"""apiVersion and kind"""


Pair = tuple[Any, Any, int, Path, Path]
"""new and old value, the node that they are of, and where they stand"""


def name_releases(problems: list[Problem], kind: str, api_version: str) -> None:
    """Adds to each problem of an unknown field which releases know it; nothing where none does."""
    for problem in problems:
        names = [name for name in ORDER if _has_field(load(name), kind, api_version, problem.path)]
        if names:
            problem.message += f" {have(names)} it."


def name_releases_of_words(problems: list[Problem], value: Any, kind: str, api_version: str) -> None:
    """Adds to each problem of a word that is not allowed which releases know it; nothing where none does."""
    for problem in problems:
        word = value
        try:
            for step in problem.path:
                word = word[step]
        except (KeyError, IndexError, TypeError):
            # Not the user's own word, but one that a default put there.
            continue
        found = [(name, _node_at(load(name), kind, api_version, problem.path)) for name in ORDER]
        names = [name for name, node in found if node is not None and word in node.get("enum", ())]
        if names:
            problem.message += f" {have(names)} that word."


def releases_with_kind(kind: str, api_version: str | None = None) -> list[str]:
    """Releases that serve the kind, in `api_version` if it is given; oldest first."""
    return [
        name
        for name in ORDER
        if any(kind in kinds for version, kinds in load(name)["kinds"].items() if api_version in (None, version))
    ]


def have(names: list[str]) -> str:
    """`Release 0.6 has`, `Releases 0.4 and 0.5 have`, `Releases 0.4 to 0.6 and 1.4 have`."""
    runs: list[list[str]] = []
    for index, name in enumerate(ORDER):
        if name not in names:
            continue
        if runs and ORDER[index - 1] == runs[-1][-1]:
            runs[-1].append(name)
        else:
            runs.append([name])
    parts = [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)]
    if len(names) == 1:
        return f"Release {names[0]} has"
    *others, last = parts
    return f"Releases {', '.join(others)}{' and ' if others else ''}{last} have"


def _has_field(schema: dict[str, Any], kind: str, api_version: str, path: Path) -> bool:
    """Whether the schema of the kind has a field at `path`; what is in free-form parts does not count."""
    return _node_at(schema, kind, api_version, path) is not None


def _node_at(schema: dict[str, Any], kind: str, api_version: str, path: Path) -> Node | None:
    return node_at(schema["nodes"], schema["kinds"].get(api_version, {}).get(kind), path)


def node_at(nodes: Nodes, root: int | None, path: Path) -> Node | None:
    """The node of a field below another one, None where the schema has no such field."""
    index = root
    for step in path:
        if index is None:
            return None
        node = nodes[index]
        index = node.get("items") if isinstance(step, int) else node.get("props", {}).get(step, node.get("extra"))
    return None if index is None else nodes[index]


#: a document that loses less than this part of its values under another head is written for that
_SHARE = 4
_TEXTS = ("schema/name", "schema/pattern", "schema/type", "schema/enum", "schema/label")


def causes(problems: list[Problem], value: dict[str, Any], schema: dict[str, Any], head: Head) -> list[Problem]:
    """The problems of a document, those of one cause as one, with what is meant where only the whole document shows it.

    `head` is the apiVersion and the kind that the document names, of those in the schema.
    """
    unknown = [problem for problem in problems if problem.slug == UNKNOWN_FIELD]
    if any(problem.severity == ERROR for problem in unknown):
        meant = _meant_head(unknown, value, schema, head)
        if meant is not None:
            return [_other_head(unknown, head, meant)]
    root = schema["kinds"][head[0]][head[1]]
    for problem in unknown:
        _look_above(problem, schema["nodes"], root)
        parent = _at(value, problem.path[:-1])
        if problem.change is not None and isinstance(parent, dict) and problem.change.new in parent:
            problem.hint, problem.change = f"remove it: `{problem.change.new}` is there already", None
    for problem in problems:
        if problem.slug in _TEXTS:
            name_placeholder(problem, value)
    problems = _absent(problems, value)
    return _without_followers(_together(problems, unknown, schema["nodes"], root), unknown)


def best_version(value: dict[str, Any], schema: dict[str, Any], kind: str) -> str:
    """The apiVersion of a kind whose fields a document has; the newest where both would do."""
    versions: list[str] = [version for version, kinds in schema["kinds"].items() if kind in kinds]
    return min(reversed(versions), key=lambda version: _loss(value, schema, (version, kind)))


def fits(value: dict[str, Any], schema: dict[str, Any], head: Head) -> bool:
    """Whether a kind has all fields of a document."""
    return _loss(value, schema, head) == 0


def _meant_head(unknown: list[Problem], value: dict[str, Any], schema: dict[str, Any], head: Head) -> Head | None:
    """The apiVersion and kind that have the fields of the spec that this document's kind lacks; None for mere slips."""
    lost = sum(_size(_at(value, problem.path)) for problem in unknown)
    keys = {str(problem.path[1]) for problem in unknown if len(problem.path) == 2 and problem.path[0] == "spec"}
    heads = [(version, kind) for version, kinds in schema["kinds"].items() for kind in kinds]
    found = [
        (_loss(value, schema, other), other)
        for other in heads
        if other != head and head[other[0] != head[0]] in other and keys & _spec_fields(schema, other)
    ]
    least, meant = min(found, default=(lost, head))
    return meant if lost > 2 and least * _SHARE <= lost else None


def _spec_fields(schema: dict[str, Any], head: Head) -> set[str]:
    nodes = schema["nodes"]
    props = nodes[schema["kinds"][head[0]][head[1]]].get("props", {})
    return set(nodes[props["spec"]].get("props", {})) if "spec" in props else set()


def _loss(value: dict[str, Any], schema: dict[str, Any], head: Head) -> int:
    """How many values of a document the schema of a kind does not know."""
    walk = Walk(schema["nodes"], ERROR, typed=False)
    walk.document(value, schema["nodes"][schema["kinds"][head[0]][head[1]]])
    return sum(_size(_at(value, problem.path)) for problem in walk.unknown)


def _size(value: Any) -> int:
    if isinstance(value, dict | list) and value:
        return sum(map(_size, value.values() if isinstance(value, dict) else value))
    return 1


def _at(value: Any, path: Path) -> Any:
    try:
        return at(value, path)
    except (KeyError, IndexError, TypeError):
        return None


def _other_head(unknown: list[Problem], head: Head, meant: Head) -> Problem:
    field = next(format_path(problem.path) for problem in unknown if len(problem.path) == 2)
    if meant[0] != head[0]:
        message = f"This document is written for `{meant[0]}`: `{head[0]}` has no `{field}`."
        hint, change = f"write `apiVersion: {meant[0]}`", Change("write", meant[0], head[0])
        return Problem("schema/other-head", ("apiVersion",), message, hint, change=change)
    message = f"This document is a {meant[1]}: a {head[1]} has no `{field}`."
    return Problem(
        "schema/other-head",
        ("kind",),
        message,
        f"write `kind: {meant[1]}`",
        change=Change("write", meant[1], head[1]),
    )


def _absent(problems: list[Problem], value: dict[str, Any]) -> list[Problem]:
    """What is refused for being empty, and is not there: the webhook filled it in."""
    found: list[Problem] = []
    told: set[Path] = set()
    for problem in problems:
        parent = _at(value, problem.path[:-1])
        absent = bool(problem.path) and isinstance(parent, dict) and problem.path[-1] not in parent
        if not absent or problem.slug not in ("schema/pattern", "schema/size", "schema/enum"):
            found.append(problem)
        elif problem.path not in told:
            found.append(missing(str(problem.path[-1]), parent, problem.path))
            told.add(problem.path)
    return found


def _look_above(problem: Problem, nodes: Any, root: int) -> None:
    """Names the field of the same name in an object around the one that lacks it."""
    if problem.hint is not None and not problem.hint.startswith("known fields"):
        return
    key = problem.path[-1]
    for depth in range(len(problem.path) - 2, 0, -1):
        node = node_at(nodes, root, problem.path[:depth])
        if node is not None and key in node.get("props", {}):
            problem.hint = f"did you mean `{format_path((*problem.path[:depth], key))}`?"
            return


def name_placeholder(problem: Problem, value: dict[str, Any]) -> None:
    """Names the placeholder that nothing has filled in where the value that is refused has one."""
    written = _at(value, problem.path)
    found = placeholder(written) if isinstance(written, str) else None
    if found is not None:
        part, problem.hint = found
        problem.message = f"The placeholder `{part}` is not filled in. {problem.message}"
        problem.change = None


def _together(problems: list[Problem], unknown: list[Problem], nodes: Any, root: int) -> list[Problem]:
    """Fields that belong one level deeper, into the same object, as one problem."""
    groups: dict[Path, list[Problem]] = {}
    for problem in unknown:
        groups.setdefault(problem.path[:-1], []).append(problem)
    left_out: list[Problem] = []
    for parent, alike in groups.items():
        node = node_at(nodes, root, parent) if len(alike) > 1 else None
        keys = [str(problem.path[-1]) for problem in alike]
        props = {} if node is None else node.get("props", {})
        inner = next((name for name, index in props.items() if set(keys) <= nodes[index].get("props", {}).keys()), None)
        if inner is not None:
            first = alike[0]
            where = f"in `{parent[-1]}`" if parent else "at the top of the document"
            first.message = f"The fields {_listed(keys)} do not exist {where}: the API server would drop them."
            first.hint, first.change = f"did you mean {_listed([f'{inner}.{key}' for key in keys])}?", None
            left_out += alike[1:]
    return [problem for problem in problems if problem not in left_out]


def _listed(names: list[str]) -> str:
    *most, last = [f"`{name}`" for name in names]
    return f"{', '.join(most)} and {last}"


def _without_followers(problems: list[Problem], unknown: list[Problem]) -> list[Problem]:
    """Leaves out what is missing only because its field has another name, where that is refused."""
    refused = [problem for problem in unknown if problem.severity == ERROR]
    renamed = {(*problem.path[:-1], problem.change.new) for problem in refused if problem.change is not None}
    return [
        problem
        for problem in problems
        if not (problem.slug in ("schema/required", "schema/name") and _parents(problem.path) & renamed)
        or problem in unknown
    ]


def _parents(path: Path) -> set[Path]:
    return {path[:depth] for depth in range(1, len(path) + 1)}


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

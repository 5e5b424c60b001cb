"""From what the API server refuses in a document to what is wrong with it: one problem a cause.

Only imported once something is wrong.
"""

from __future__ import annotations

from dynamoc.diagnostics.change import Change
from dynamoc.diagnostics.finding import ERROR, format_path
from dynamoc.schema.elsewhere import node_at
from dynamoc.schema.problem import UNKNOWN_FIELD, Problem
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Head = tuple[str, str]
    """apiVersion and kind"""

#: a document that loses less than this part of its values under another head is written for that
_SHARE = 4
_TEXTS = ("schema/name", "schema/pattern", "schema/type", "schema/enum", "schema/label")


def causes(problems: list[Problem], value: dict[str, Any], schema: dict[str, Any], head: Head) -> list[Problem]:
    """The problems of a document, those of one cause as one, with what is meant where only the whole document tells.

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
    from dynamoc.schema.walk import Walk

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
    from dynamoc.schema.messages import missing

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
    from dynamoc.kube.misspelt import placeholder

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

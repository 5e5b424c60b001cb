"""Which other releases know what a document says; only imported once a release doesn't."""

from __future__ import annotations

from dynamoc.release.known_releases import ORDER
from dynamoc.schema.data import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.data import Nodes
    from dynamoc.schema.problem import Problem
    from dynamoc.schema.walk import Node


def name_releases(problems: list[Problem], kind: str, api_version: str) -> None:
    """Adds to each problem of an unknown field which releases know it; nothing where none does."""
    for problem in problems:
        names = [name for name in ORDER if _has_field(load(name), kind, api_version, problem.path)]
        if names:
            problem.message += f" {have(names)} it."


def name_releases_of_words(problems: list[Problem], value: Any, kind: str, api_version: str) -> None:
    """Adds to each problem of a word that is none of those allowed which releases know it; nothing where none does."""
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
    """Whether the schema of the kind has a field at `path`; what stands in free-form parts does not count."""
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

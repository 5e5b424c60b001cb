"""What would be rendered if a field of the input were another, or not there: for fields whose value goes nowhere.

Numbers and switches decide without being copied: `multinode.nodeCount` gives a component other kinds of pods,
`enabled: true` makes an object. What changes when they do is what they decide.
"""

from __future__ import annotations

from dynamoc.compilation import Compilation
from dynamoc.diagnostics.finding import ERROR, Findings
from dynamoc.options import Options
from dynamoc.source.document import Document
from dynamoc.surroundings import read_surroundings
from dynamoc.tree import at, copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]
    Changes = list[tuple[str, str, Path]]
    """(kind, name, path) of each value that is another; the path is () for a whole object"""

_MISSING = object()


class Outcome:
    """What a change of the input leads to.

    how       `changed` (another value) or `removed`
    refused   what the API server or the operator says to it, None where they take it
    warned    a warning that comes or goes with it, None without
    changes   of the output
    """

    __slots__ = ("changes", "how", "refused", "warned")

    def __init__(self, how: str, refused: str | None, warned: str | None, changes: Changes) -> None:
        self.how = how
        self.refused = refused
        self.warned = warned
        self.changes = changes


class Counterfactuals:
    """Renders variants of some documents."""

    def __init__(self, documents: list[Document], options: Options) -> None:
        self.documents = documents
        self.options = options
        self.objects, self.findings = self._render(documents)

    def outcomes(self, number: int, path: Path) -> list[Outcome]:
        """What the removal of a field of a document leads to, and each of some other values."""
        found = []
        for how, value in self._variants(self.documents[number].value, path):
            changed = list(self.documents)
            old = changed[number]
            changed[number] = Document(value, old.file, old.index, old.marks, old.source)
            objects, findings = self._render(changed)
            known = {item.message for item in self.findings.items}
            errors = (item.message for item in findings.items if item.severity == ERROR and item.message not in known)
            refused = next(errors, None)
            if refused is None:
                found.append(Outcome(how, None, self._new_warning(findings), self._changes(objects)))
            else:
                found.append(Outcome(how, refused, None, []))
        return found

    def _render(self, documents: list[Document]) -> tuple[list[Tree], Findings]:
        findings = Findings()
        config, context = read_surroundings(self.options, findings)
        return Compilation(self.options, config, context, findings).run(documents), findings

    def _new_warning(self, findings: Findings) -> str | None:
        before, after = _warnings(self.findings), _warnings(findings)
        changed = before.keys() ^ after.keys()
        return next((message for key, message in {**after, **before}.items() if key in changed), None)

    def _variants(self, value: Tree, path: Path) -> list[tuple[str, Tree]]:
        made = []
        kind = (str(value.get("apiVersion", "")), str(value.get("kind", "")))
        for other in (_MISSING, *_others(at(value, path)), *_choices(self.options.release.name, kind, path)):
            variant = copy_tree(value)
            holder = at(variant, path[:-1])
            if other is _MISSING:
                del holder[path[-1]]
            else:
                holder[path[-1]] = other
            made.append(("removed" if other is _MISSING else "changed", variant))
        return made

    def _changes(self, objects: list[Tree]) -> Changes:
        before, after = _by_name(self.objects), _by_name(objects)
        changes: Changes = []
        for key in (*before, *(key for key in after if key not in before)):
            if key not in before or key not in after:
                changes.append((key[1], key[3], ()))
            else:
                changes += [(key[1], key[3], path) for path in _differences(before[key], after[key], ())]
        return changes


def _others(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int | float):
        return (value + 1,)
    if isinstance(value, str):
        return (f"{value}x", f"{value}1", "other") if value else ("other",)
    return ()


def _warnings(findings: Findings) -> dict[tuple[str, Path], str]:
    return {(item.slug, item.path): item.message for item in findings.items if item.severity != ERROR}


def _choices(release: str, kind: tuple[str, str], path: Path) -> tuple[Any, ...]:
    """The values that the schema allows for a field, where it counts them."""
    from dynamoc.schema.data import load

    schema = load(release)
    number = schema["kinds"].get(kind[0], {}).get(kind[1])
    if number is None:
        return ()
    node = schema["nodes"][number]
    for step in path:
        below = node.get("items") if isinstance(step, int) else node.get("props", {}).get(step, node.get("extra"))
        if below is None:
            return ()
        node = schema["nodes"][below]
    return tuple(node.get("enum", ()))


def _by_name(objects: list[Tree]) -> dict[tuple[str, str, str, str], Tree]:
    return {
        (
            item["apiVersion"],
            item["kind"],
            item["metadata"].get("namespace", ""),
            item["metadata"].get("name", ""),
        ): item
        for item in objects
    }


def _differences(one: Any, two: Any, path: Path) -> list[Path]:
    if isinstance(one, dict) and isinstance(two, dict):
        found = []
        for key in {**one, **two}:
            found += _differences(one.get(key, _MISSING), two.get(key, _MISSING), (*path, key))
        return found
    if isinstance(one, list) and isinstance(two, list):
        found = []
        for index in range(max(len(one), len(two))):
            left = one[index] if index < len(one) else _MISSING
            right = two[index] if index < len(two) else _MISSING
            found += _differences(left, right, (*path, index))
        return found
    return [] if one.__class__ is two.__class__ and one == two else [path]

"""Documents that are meant for the operator, and that it does not see: its kinds in another group, misspelt kinds."""

from __future__ import annotations

from dynamoc.cluster.identity import GROUP, is_dynamo
from dynamoc.diagnostics.change import Change
from dynamoc.schema.nearest import edits
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NEAR = 0.85


def foreign(value: dict[str, Any], release: str) -> Problem | None:
    """What is wrong with a document that means a kind of the operator and names something else; None for others."""
    kind, written = str(value["kind"]), str(value["apiVersion"])
    group = written.rpartition("/")[0]
    if is_dynamo(value) or not (group == GROUP or "dynamo" in kind.lower()):
        return None
    near = _near(kind) or (_meant(value) if group == GROUP else None)
    if near == kind:
        return _in_foreign_group(value, kind, written, release)
    if near is None or (group != GROUP and "dynamo" not in group and near.lower() != kind.lower()):
        return None
    message = f"The operator has no kind `{kind}`: it ignores this document."
    change = Change("write", near, kind) if near.lower() == kind.lower() or edits(kind, near, 2) < 2 else None
    hint = f"did you mean `{near}`?"
    if group != GROUP:
        hint = f"did you mean `{near}`, in `{_version(value, near, written, release)}`?"
    return Problem("input/unknown-kind", ("kind",), message, hint, change=change)


def _in_foreign_group(value: dict[str, Any], kind: str, written: str, release: str) -> Problem:
    version = _version(value, kind, written, release)
    message = f"The operator has no {kind} in `{written}`: it ignores this document."
    change = Change("write", version, written)
    return Problem("input/foreign-group", ("apiVersion",), message, f"write `apiVersion: {version}`", change=change)


def _version(value: dict[str, Any], kind: str, written: str, release: str) -> str:
    """The apiVersion that is meant: the one that is written, if the kind has it, else the one that has the fields."""
    from dynamoc.schema.causes import best_version
    from dynamoc.schema.data import load, served
    from dynamoc.schema.elsewhere import releases_with_kind

    known = release if served(release, kind) else releases_with_kind(kind)[-1]
    asked = f"{GROUP}/{written.rpartition('/')[2]}"
    return asked if asked in served(known, kind) else best_version(value, load(known), kind)


def _meant(value: dict[str, Any]) -> str | None:
    """A document in the operator's group with the fields of a graph, whatever its kind says."""
    spec = value.get("spec")
    parts = (spec.get("components"), spec.get("services")) if isinstance(spec, dict) else ()
    return "DynamoGraphDeployment" if any(isinstance(part, dict | list) for part in parts) else None


def _near(kind: str) -> str | None:
    """The kind of the operator that a word stands for; None for words that resemble none."""
    from difflib import get_close_matches

    from dynamoc.release.known_releases import ORDER
    from dynamoc.schema.data import load

    kinds = {name for release in ORDER for names in load(release)["kinds"].values() for name in names}
    names = {name.lower(): name for name in sorted(kinds) if name.startswith("Dynamo")}
    found = get_close_matches(kind.lower(), names, n=1, cutoff=_NEAR)
    return names[found[0]] if found else None

"""What the API server of a cluster does to a document on creation: unknown fields, defaults, and all that is wrong."""

from __future__ import annotations

from typing import Any

from dynamoc.documents.schema.causes import (
    best_version,
    causes,
    fits,
    have,
    name_releases,
    name_releases_of_words,
    releases_with_kind,
)
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.schemas import SEVERITY, load, served
from dynamoc.documents.schema.suggestions import nearest
from dynamoc.documents.schema.walk import Walk


def check(
    release: str,
    kind: str,
    api_version: str,
    value: dict[str, Any],
    *,
    unknown: str = "error",
    webhook: str = "patches",
) -> tuple[dict[str, Any], list[Problem]]:
    """Do to a document what the API server of a cluster with that release does on creation.

    Returns a new value without unknown fields, without nulls that stand for "absent" and with the defaults of the
    schema, and every problem that makes the API server (or kubectl, for an unknown field) refuse the document.
    The value is only of use where no problem has the severity `error`; parts that are wrong are left as they are.

    `webhook` says what the mutating webhook does to the object, where there is one for its kind: it `patches` it, takes
    it `converted` to another API version, from which it is converted back, or changes `nothing`.

    `unknown` says what an unknown field is: `error` (kubectl's default), `warn`, or `prune` (silently removed).
    `status` is checked for unknown fields only and left out of the result, as creation ignores it.
    """
    schema = load(release)
    node = schema["kinds"].get(api_version, {}).get(kind)
    if node is None:
        return dict(value), [_not_served(release, kind, api_version, value)]
    typed = webhook != "nothing" and kind in schema["typed"].get(api_version, ())
    walk = Walk(schema["nodes"], SEVERITY[unknown], typed=typed, converted=typed and webhook == "converted")
    clean = walk.document(value, schema["nodes"][node])
    if walk.unknown:
        name_releases(walk.unknown, kind, api_version)
    words = [problem for problem in walk.errors if problem.slug == "schema/enum"]
    if words:
        name_releases_of_words(words, value, kind, api_version)
    problems = walk.problems
    if problems:
        problems = causes(problems, value, schema, (api_version, kind))
    return clean, problems


def _not_served(release: str, kind: str, api_version: str, value: dict[str, Any]) -> Problem:
    versions = served(release, kind)
    if not versions:
        known = sorted({name for kinds in load(release)["kinds"].values() for name in kinds})

        near = nearest(kind, known)
        hint = f"did you mean `{near}`?" if near else f"known kinds are {', '.join(known)}"
        message = f"Release {release} has no kind `{kind}`.{_elsewhere(kind, None)}"
        return Problem("schema/unknown-kind", ("kind",), message, hint)
    message = f"Release {release} does not serve `{kind}` in `{api_version}`.{_elsewhere(kind, api_version)}"

    meant = best_version(value, load(release), kind)
    hint = f"write `apiVersion: {meant}`"
    if not fits(value, load(release), (meant, kind)):
        hint = f"`dynamoc convert --to {meant.rpartition('/')[2]}` writes the document for this release"
    return Problem("schema/api-version", ("apiVersion",), message, hint)


def _elsewhere(kind: str, api_version: str | None) -> str:
    names = releases_with_kind(kind, api_version)
    return f" {have(names)} it." if names else ""

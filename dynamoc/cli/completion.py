"""What the shell offers for the words of `dynamoc explain`."""

from __future__ import annotations

import typer

from dynamoc.compiler import Options
from dynamoc.diagnostics import Findings
from dynamoc.explain.compilation import explain_paths
from dynamoc.explain.selection import Unknown, field_completions, find_object, object_title


def complete(ctx: typer.Context, incomplete: str) -> list[str]:
    """Objects behind a path, fields behind an object; files are left to the shell."""
    words = list(ctx.params.get("paths") or ())
    if not words:
        return []
    given = {name: ctx.params[name] for name in ("operator_version", "target", "namespace") if ctx.params.get(name)}
    objects = explain_paths([words[0]], Options(**given), Findings()).objects
    if len(words) == 1:
        return [title for item in objects if (title := object_title(item)).startswith(incomplete.lower())]
    try:
        return field_completions(objects[find_object(objects, words[1])], incomplete)
    except Unknown:
        return []

"""What the shell offers for the words of `dynamoc explain`."""

from __future__ import annotations

import typer

from dynamoc.compiler import compile_paths
from dynamoc.diagnostics import Findings
from dynamoc.explain.selection import Unknown, field_completions, find_object, object_titles
from dynamoc.options import Options


def complete(ctx: typer.Context, incomplete: str) -> list[str]:
    """Objects behind a path, fields behind an object; files are left to the shell."""
    words = list(ctx.params.get("paths") or ())
    if not words:
        return []
    given = {name: ctx.params[name] for name in ("operator_version", "target", "namespace") if ctx.params.get(name)}
    objects = compile_paths([words[0]], Options(**given), Findings())
    if len(words) == 1:
        return [title for title in object_titles(objects) if title.startswith(incomplete.lower())]
    try:
        return field_completions(objects[find_object(objects, words[1])], incomplete)
    except Unknown:
        return []

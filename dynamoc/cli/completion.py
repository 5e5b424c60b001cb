"""What the shell offers: releases, kinds, objects and their fields; files are left to the shell itself."""

from __future__ import annotations

from typing import Any

import typer

from dynamoc.cli.failure import UsageError

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def complete(ctx: typer.Context, incomplete: str) -> list[str]:
    """Objects behind a path, fields behind an object."""
    from dynamoc.compiler import compile_paths
    from dynamoc.diagnostics import Findings
    from dynamoc.explain.selection import Unknown, field_completions, find_object, object_titles
    from dynamoc.options import Options

    words = list(ctx.params.get("words") or ())
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


def releases(incomplete: str) -> list[str]:
    from dynamoc.release import RELEASES

    return [name for name in (*RELEASES, "latest") if name.startswith(incomplete)]


def kinds(ctx: typer.Context, incomplete: str) -> list[str]:
    from dynamoc.release import get_release
    from dynamoc.schema.data import load

    release = get_release(ctx.params.get("operator_version") or "latest").name
    names = sorted({kind for found in load(release)["kinds"].values() for kind in found})
    return [name for name in names if name.startswith(incomplete)]


def print_script(shell: str) -> None:
    """Print the completion script of a shell. Raises UsageError for a shell that has none."""
    from dynamoc.cli.output import write_stdout

    shared = _shared(shell, "--show-completion")
    script = shared.get_completion_script(prog_name="dynamoc", complete_var="_DYNAMOC_COMPLETE", shell=shell)
    write_stdout(script + "\n")


def install_script(shell: str) -> None:
    """Put the completion script of a shell where it reads it. Raises UsageError for a shell that has none."""
    from dynamoc.cli.output import write_stdout

    _, path = _shared(shell, "--install-completion").install(
        shell=shell, prog_name="dynamoc", complete_var="_DYNAMOC_COMPLETE"
    )
    write_stdout(f"The completion for {shell} is in {path}; start a new shell to use it.\n")


def _shared(shell: str, flag: str) -> Any:
    if shell not in SHELLS:
        raise UsageError(f"{flag} {shell} is not supported; use one of {', '.join(SHELLS)}.")
    from importlib import import_module

    return import_module("typer._completion_shared")

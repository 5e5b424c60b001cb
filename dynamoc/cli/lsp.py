"""`dynamoc lsp`: the language server, which needs packages that no other command does."""

from __future__ import annotations

from typing import Annotated

import typer


def lsp(
    stdio: Annotated[  # noqa: ARG001
        bool, typer.Option("--stdio", help="No effect: some editors pass it to every server.")
    ] = False,
) -> None:
    """Run the language server on stdin and stdout, for editors.

    It reports what `check` reports while somebody types, explains and completes fields, follows names, and renames
    components. dynamoc.yaml and DYNAMOC_* variables choose the release and all else. docs/editors.md shows how to set
    up editors.
    """
    # pygls is an extra.
    from dynamoc.lsp.server import serve

    raise typer.Exit(serve())

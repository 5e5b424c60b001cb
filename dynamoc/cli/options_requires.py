"""The options of `requires`, which shares those of `render` that decide the objects."""

from __future__ import annotations

from dynamoc.cli.options import (
    CHECKS,
    CHOICE,
    CLUSTER,
    FINDINGS,
    KEEP_GOING,
    OPERATOR_VERSION,
    STANDALONE,
    Option,
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "requires": (
        Option(
            "output",
            "-o",
            "--output",
            kind=CHOICE,
            default="text",
            choices=("text", "json", "script"),
            group="Output",
            help="script is one for a shell, which asks a cluster with kubectl what of it is missing.",
        ),
        *STANDALONE,
        KEEP_GOING,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}

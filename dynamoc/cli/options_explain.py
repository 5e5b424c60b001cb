"""The options of `explain`, which shares those of `render` that decide the output."""

from __future__ import annotations

from dynamoc.cli.options import CHECKS, CHOICE, CLUSTER, FINDINGS, INTERMEDIATE, OPERATOR_VERSION, STANDALONE, Option

COMMANDS: dict[str, tuple[Option, ...]] = {
    "explain": (
        Option(
            "output",
            "-o",
            "--output",
            kind=CHOICE,
            default="text",
            choices=("text", "json"),
            group="Output",
            help="Format of the explanation.",
        ),
        INTERMEDIATE,
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}

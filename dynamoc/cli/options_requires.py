"""The options of `requires`, which shares those of `render` that decide the objects."""

from __future__ import annotations

from dynamoc.cli.option_table import (
    CHECKS,
    CHOICE,
    CLUSTER,
    FINDINGS,
    INPUT,
    KEEP_GOING,
    OPERATOR_VERSION,
    STANDALONE,
    Option,
    output_option,
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "requires": (
        *INPUT,
        output_option(
            "text",
            "json",
            "script",
            help="script: a shell script that checks with kubectl what is missing in a cluster.",
        ),
        *STANDALONE,
        Option(
            "fail_on",
            "--fail-on",
            kind=CHOICE,
            default="never",
            choices=("never", "missing"),
            group="Output",
            help="Exit with 1 if an object or an API is missing, optional ones aside.",
        ),
        KEEP_GOING,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}

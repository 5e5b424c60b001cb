"""The options of `explain`, which shares those of `render` that decide the output."""

from __future__ import annotations

from dynamoc.cli.option_table import (
    CHECKS,
    CLUSTER,
    EXCLUDE,
    FILENAME,
    FINDINGS,
    INTERMEDIATE,
    LOAD_RESTRICTOR,
    OPERATOR_VERSION,
    STANDALONE,
    STDIN_FILENAME,
    Option,
    output_option,
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "explain": (
        FILENAME,
        EXCLUDE,
        LOAD_RESTRICTOR,
        STDIN_FILENAME,
        output_option("text", "json", help="Format of the explanation."),
        INTERMEDIATE,
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}

"""The options of `report`, which shares those of `graph`, and those of `check` that decide what is found."""

from __future__ import annotations

from dynamoc.cli.option_table import (
    CHECKS,
    CLUSTER,
    FINDINGS,
    INPUT,
    OPERATOR_VERSION,
    STANDALONE,
    Option,
)
from dynamoc.cli.options_check import FOUND

COMMANDS: dict[str, tuple[Option, ...]] = {
    "report": (
        *INPUT,
        Option(
            "page",
            "-o",
            "--output-file",
            metavar="FILE",
            group="Output",
            help="Write the page to FILE instead of stdout.",
        ),
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FOUND,
        *FINDINGS,
    ),
}

"""The options of `graph`, which shares those of `requires`."""

from __future__ import annotations

from dynamoc.cli.option_table import (
    CHECKS,
    CLUSTER,
    FINDINGS,
    INPUT,
    OPERATOR_VERSION,
    STANDALONE,
    Option,
    output_option,
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "graph": (
        *INPUT,
        output_option(
            "mermaid",
            "dot",
            "svg",
            help="mermaid: for Markdown; dot: for Graphviz; svg: an image.",
        ),
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}

"""The options of `convert`."""

from __future__ import annotations

from dynamoc.cli.option_table import (
    CHOICE,
    EXCLUDE,
    FILENAME,
    FINDINGS,
    JOBS,
    LOAD_RESTRICTOR,
    MANY,
    REQUIRE_GRAPHS,
    SWITCH,
    Option,
    output_option,
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "convert": (
        FILENAME,
        EXCLUDE,
        LOAD_RESTRICTOR,
        REQUIRE_GRAPHS,
        JOBS,
        Option(
            "image",
            "--image",
            kind=MANY,
            metavar="[NAME=]IMAGE",
            group="Input",
            help="For documents of Dynamo 0.1 to 0.3: the image of a component, or of all. Repeatable.",
        ),
        Option(
            "graph_archive",
            "--graph-archive",
            kind=MANY,
            metavar="[NAME=]FILE",
            group="Input",
            help="For documents of Dynamo 0.1 to 0.3: the dynamo.yaml (or bento.yaml) of a graph's archive. "
            "Repeatable.",
        ),
        Option(
            "to",
            "--to",
            kind=CHOICE,
            default="v1beta1",
            choices=("v1beta1", "v1alpha1"),
            group="Output",
            help="The version to convert to.",
        ),
        Option(
            "write",
            "--write",
            kind=SWITCH,
            default=False,
            group="Output",
            help="Rewrite the files in place; comments and order are kept.",
        ),
        Option(
            "check",
            "--check",
            kind=SWITCH,
            default=False,
            group="Output",
            help="Exit with 1 if a document is in the other version, and with 2 for errors.",
        ),
        Option(
            "lossless",
            "--lossless",
            kind=SWITCH,
            default=False,
            group="Output",
            help="Keep what the other version cannot express in the operator's annotation.",
        ),
        Option(
            "modeline",
            "--modeline",
            metavar="DIR|URL",
            group="Output",
            help="Begin each document of the operator's kinds with the comment that leads yaml-language-server to its "
            "schema, in DIR (of `dynamoc schema --output-dir DIR`) or at URL.",
        ),
        output_option("yaml", "json", help="Format on stdout."),
        *FINDINGS,
    ),
}

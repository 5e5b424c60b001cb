"""The options of `check`, which shares those of `validate`."""

from __future__ import annotations

from dynamoc.cli.option_table import CHOICE, MANY, SWITCH, Option
from dynamoc.cli.option_table import COMMANDS as HOT

#: what decides which findings there are
FOUND = (
    Option(
        "schema",
        "--schema",
        kind=MANY,
        metavar="PATH",
        group="Checks",
        help="JSON Schemas or CustomResourceDefinitions of kinds that dynamoc does not know: a file, or a "
        "directory laid out as those of kubeconform. Repeatable.",
    ),
    Option(
        "select",
        "--select",
        kind=MANY,
        metavar="NAME",
        group="Checks",
        help="Report only these findings, by name (`check/too-few-gpus`) or by the part before the slash "
        "(`check`). Errors of other names are reported all the same. Repeatable.",
    ),
    Option(
        "ignore",
        "--ignore",
        kind=MANY,
        metavar="NAME",
        group="Checks",
        help="Leave out these findings, by name or by the part before the slash. What the operator or the API "
        "server rejects cannot be left out. Repeatable.",
    ),
    Option(
        "model_size",
        "--model-size",
        kind=MANY,
        metavar="[COMPONENT=]SIZE",
        group="Checks",
        help="The billions of parameters of a component's model, or of all, where its name does not tell them: "
        "Worker=70B. Probes are judged by them. Repeatable.",
    ),
    Option(
        "baseline",
        "--baseline",
        metavar="FILE",
        group="Checks",
        help="Report only findings that are not in FILE, which --update-baseline writes.",
    ),
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "check": (
        *HOT["validate"],
        *FOUND,
        Option(
            "update_baseline",
            "--update-baseline",
            kind=SWITCH,
            default=False,
            group="Checks",
            help="Write the findings of this run to the file of --baseline.",
        ),
        Option(
            "fail_on",
            "--fail-on",
            kind=CHOICE,
            default="error",
            choices=("error", "warning", "note"),
            group="Checks",
            help="The mildest finding that fails the command.",
        ),
        Option(
            "fix",
            "--fix",
            kind=SWITCH,
            default=False,
            group="Checks",
            help="Correct what has one certain remedy, in the files themselves; comments and layout are kept. What is "
            "piped is printed. Findings that are left out are left as they are.",
        ),
        Option(
            "diff",
            "--diff",
            kind=SWITCH,
            default=False,
            group="Checks",
            help="With --fix: print what would change, and change nothing.",
        ),
    ),
}

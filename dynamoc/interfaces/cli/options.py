"""The options of `check`, which shares those of `validate`.

The options of `diff` and `upgrade`, which share those of `render`.

The options of `convert`.
"""

from __future__ import annotations

from dynamoc.interfaces.cli.option_table import (
    CHECKS,
    CHOICE,
    CLUSTER,
    EXCLUDE,
    FILENAME,
    FINDINGS,
    INPUT,
    INTERMEDIATE,
    JOBS,
    KEEP_GOING,
    LATEST,
    LOAD_RESTRICTOR,
    MANY,
    OPERATOR_VERSION,
    PASSTHROUGH,
    REQUIRE_GRAPHS,
    STANDALONE,
    SWITCH,
    Option,
    output_option,
)
from dynamoc.interfaces.cli.option_table import COMMANDS as HOT

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
CHECK_COMMANDS: dict[str, tuple[Option, ...]] = {
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


_REPORT = (
    Option(
        "summary",
        "--summary",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Show only the totals, not each object.",
    ),
    Option(
        "max_chars",
        "--max-chars",
        default="github",
        metavar="github|gitlab|N",
        group="Output",
        help="Maximum length of the Markdown: github 65,536 characters, gitlab 1,000,000.",
    ),
    Option(
        "ignore",
        "--ignore",
        kind=MANY,
        metavar="PATTERN",
        group="Output",
        help="Ignore a field: a path as the output prints it, with * for a part of a step and ** for any number "
        "of steps; `Service/*:metadata.labels` for one kind. Repeatable; the output lists what is ignored.",
    ),
    Option(
        "use_ignores",
        "--no-ignore",
        kind=SWITCH,
        default=True,
        group="Output",
        help="Ignore nothing, not even what only a cluster writes (status, resourceVersion, ...).",
    ),
)
_DIFF = (
    Option(
        "all_files",
        "--all-files",
        kind=SWITCH,
        default=False,
        group="Input",
        help="Read every file of a directory, whatever its name: those of `kubectl diff` have no extension.",
    ),
    output_option(
        "text",
        "json",
        "unified",
        "markdown",
        "html",
        help="markdown is for comments on pull and merge requests; html is a page with both sides.",
    ),
    *_REPORT,
    Option(
        "exit_zero",
        "--exit-zero",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Exit with 0 if there are differences, for reports. Errors still exit with 2.",
    ),
    KEEP_GOING,
    INTERMEDIATE,
    PASSTHROUGH,
    *STANDALONE,
)
_UPGRADE = (
    Option(
        "old_release",
        "--from",
        metavar="VERSION",
        group="Releases",
        help="Release of the operator that runs now.",
    ),
    Option(
        "new_release",
        "--to",
        default=LATEST,
        metavar="VERSION",
        group="Releases",
        help="Release of the operator to upgrade to.",
    ),
    Option(
        "new_operator_config",
        "--to-operator-config",
        metavar="FILE",
        group="Releases",
        help="The operator's configuration after the upgrade, if it differs.",
    ),
    Option(
        "fresh",
        "--fresh",
        kind=SWITCH,
        default=False,
        group="Releases",
        help="Compare how the two releases create new graphs, instead of what happens to graphs that run.",
    ),
    output_option(
        "text",
        "json",
        "markdown",
        "html",
        help="markdown is for comments on pull and merge requests; html is a page with objects side by side.",
    ),
    *_REPORT,
    Option(
        "fail_on",
        "--fail-on",
        kind=MANY,
        choices=(
            "breaks",
            "degrades",
            "stuck",
            "lost",
            "refused",
            "recreates",
            "orphaned",
            "rolls",
            "in-place",
            "never",
        ),
        metavar="OUTCOME",
        group="Output",
        help="Exit with 1 for this outcome or a worse one: breaks, degrades, stuck, lost, refused (the default), "
        "recreates, orphaned, rolls, in-place; never for none.",
    ),
    INTERMEDIATE,
    PASSTHROUGH,
)
COMPARE_COMMANDS: dict[str, tuple[Option, ...]] = {
    "diff": (EXCLUDE, LOAD_RESTRICTOR, REQUIRE_GRAPHS, JOBS, *_DIFF, *OPERATOR_VERSION, *CLUSTER, *CHECKS, *FINDINGS),
    "upgrade": (*INPUT, JOBS, *_UPGRADE, *CLUSTER, *CHECKS, *FINDINGS),
}


CONVERT_COMMANDS: dict[str, tuple[Option, ...]] = {
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

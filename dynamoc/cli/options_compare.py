"""The options of `diff` and `upgrade`, which share those of `render`."""

from __future__ import annotations

from dynamoc.cli.option_table import (
    CHECKS,
    CLUSTER,
    EXCLUDE,
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

COMMANDS: dict[str, tuple[Option, ...]] = {
    "diff": (EXCLUDE, LOAD_RESTRICTOR, REQUIRE_GRAPHS, JOBS, *_DIFF, *OPERATOR_VERSION, *CLUSTER, *CHECKS, *FINDINGS),
    "upgrade": (*INPUT, JOBS, *_UPGRADE, *CLUSTER, *CHECKS, *FINDINGS),
}

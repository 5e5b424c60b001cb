"""The options of `diff` and `upgrade`, which share those of `render`."""

from __future__ import annotations

from dynamoc.cli.options import (
    CHECKS,
    CLUSTER,
    EXCLUDE,
    FINDINGS,
    INPUT,
    INTERMEDIATE,
    KEEP_GOING,
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
        help="Totals only, without the single objects.",
    ),
    Option(
        "max_chars",
        "--max-chars",
        default="github",
        metavar="github|gitlab|N",
        group="Output",
        help="How long Markdown may be: github 65,536 characters, gitlab 1,000,000.",
    ),
    Option(
        "ignore",
        "--ignore",
        kind=MANY,
        metavar="PATTERN",
        group="Output",
        help="Leave a field out of account: a path as the output prints it, with * for a part of a step and ** for any "
        "number of steps; `Service/*:metadata.labels` for one kind. Repeatable; the output names what is ignored.",
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
    output_option("text", "json", "unified", "markdown", help="markdown is for comments on pull and merge requests."),
    *_REPORT,
    Option(
        "exit_zero",
        "--exit-zero",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Exit with 0 where there are differences, for reports. Errors still give 2.",
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
        help="Release of the operator that made what runs now.",
    ),
    Option(
        "new_release",
        "--to",
        default="latest",
        metavar="VERSION",
        group="Releases",
        help="Release of the operator that takes over.",
    ),
    Option(
        "new_operator_config",
        "--to-operator-config",
        metavar="FILE",
        group="Releases",
        help="The operator's configuration after the upgrade, where it is another one.",
    ),
    Option(
        "fresh",
        "--fresh",
        kind=SWITCH,
        default=False,
        group="Releases",
        help="Compare what the two releases make of graphs that are created anew, instead of what becomes of graphs "
        "that are running.",
    ),
    output_option("text", "json", "markdown", help="markdown is for comments on pull and merge requests."),
    *_REPORT,
    Option(
        "fail_on",
        "--fail-on",
        kind=MANY,
        metavar="stuck|lost|refused|recreates|orphaned|rolls|in-place|never",
        group="Output",
        help="Exit with 1 for this outcome or a worse one; they are listed from the worst on. Default: refused.",
    ),
    INTERMEDIATE,
    PASSTHROUGH,
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "diff": (EXCLUDE, REQUIRE_GRAPHS, *_DIFF, *OPERATOR_VERSION, *CLUSTER, *CHECKS, *FINDINGS),
    "upgrade": (*INPUT, *_UPGRADE, *CLUSTER, *CHECKS, *FINDINGS),
}

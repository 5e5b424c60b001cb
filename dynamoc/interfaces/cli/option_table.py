"""The options, each once: both parsers, help, completion, settings and other tools' configuration read them here."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

Values = dict[str, Any]
"""Option name to value: `str` or None (text, choice), `bool` (switch), `list[str]` (many); `paths: list[str]`."""

TEXT = "text"
CHOICE = "choice"
SWITCH = "switch"
MANY = "many"
#: the release that is rendered for by default, by the name that needs no table of releases
LATEST = "latest"
#: a choice that may stand without `=VALUE`, and then means the last of its choices
PART = "part"


@dataclass(eq=False, slots=True)
class Option:
    """One option of a command.

    name     key in the parsed values
    flags    as typed, e.g. `("-o", "--output")`
    kind     TEXT, CHOICE (text out of `choices`), SWITCH (the opposite of its default), MANY (repeatable) or PART
    rare     only `--help --all` shows it
    hidden   help does not show it: an earlier name, which scripts use
    """

    name: str
    flags: tuple[str, ...]
    group: str
    help: str
    _: KW_ONLY
    kind: str = TEXT
    default: str | bool | None = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    rare: bool = False
    hidden: bool = False


def output_option(*choices: str, help: str) -> Option:
    """The format of what a command prints; the first of `choices` is the default."""
    return Option(
        "output", ("-o", "--output"), "Output", help, kind=CHOICE, default=choices[0], choices=choices, metavar="FORMAT"
    )


def switch(name: str, flag: str, group: str, help: str, *, rare: bool = False, default: bool = False) -> Option:
    return Option(name, (flag,), group, help, kind=SWITCH, default=default, rare=rare)


FILENAME = Option(
    "filenames",
    ("-f", "--filename"),
    "Input",
    "The same as PATH, as in kubectl.",
    kind=MANY,
    metavar="PATH",
)
EXCLUDE = Option(
    "exclude",
    ("--exclude",),
    "Input",
    "Skip files that match, as in .gitignore. A .dynamocignore file holds such lines for every run.",
    kind=MANY,
    metavar="GLOB",
)
LOAD_RESTRICTOR = Option(
    "load_restrictor",
    ("--load-restrictor",),
    "Input",
    "Follow links within the named and the current directory (root), or all links (none).",
    kind=CHOICE,
    default="root",
    choices=("root", "none"),
    rare=True,
)
STDIN_FILENAME = Option(
    "stdin_filename",
    ("--stdin-filename",),
    "Input",
    "The name of standard input in findings, for editors and hooks.",
    metavar="NAME",
    rare=True,
)
SKIP_FOREIGN = switch(
    "skip_foreign",
    "--skip-foreign",
    "Input",
    "Skip named files without Kubernetes objects, for hooks that name all changed files.",
    rare=True,
)
JOBS = Option(
    "jobs",
    ("--jobs",),
    "Input",
    "Number of processes, for files that are each compiled on their own. The output is the same.",
    default="auto",
    metavar="N|auto",
    rare=True,
)
SHARD = Option(
    "shard",
    ("--shard",),
    "Input",
    "Compile one of COUNT parts; the rest of the input is only referred to. Without INDEX, which starts at 1, "
    "JOB_COMPLETION_INDEX chooses.",
    metavar="[INDEX/]COUNT",
    rare=True,
)
INPUT = (FILENAME, EXCLUDE, SKIP_FOREIGN, LOAD_RESTRICTOR, STDIN_FILENAME)
OPERATOR_VERSION = Option(
    "operator_version",
    ("--operator-version",),
    "Operator and cluster",
    "Release of the Dynamo operator. `latest` is the newest one that recordings of the operator prove; `auto` is the "
    "one in --cluster, or else that of the newest Dynamo image in the input.",
    default=LATEST,
    metavar="VERSION",
)
CLUSTER = (
    Option(
        "target",
        ("--target",),
        "Operator and cluster",
        "What runs the pods. auto: as the operator decides.",
        kind=CHOICE,
        default="auto",
        choices=("auto", "grove", "lws", "plain"),
    ),
    Option(
        "cluster",
        ("--cluster",),
        "Operator and cluster",
        "What the cluster has: a directory of `dynamoc capture`, objects, CRDs, the operator's configuration, values "
        "or HelmRelease. Also `kubernetes=1.33`, and an API such as `grove.io/v1alpha1`.",
        kind=MANY,
        metavar="PATH",
    ),
    Option("config", ("--operator-config",), "Operator and cluster", "--cluster.", metavar="FILE", hidden=True),
    Option(
        "namespace",
        ("-n", "--namespace"),
        "Operator and cluster",
        "Namespace of documents that set none.",
        metavar="NAMESPACE",
    ),
    Option(
        "created_by",
        ("--created-by",),
        "Operator and cluster",
        "Version of the operator that created the graphs, if older.",
        metavar="VERSION",
        rare=True,
    ),
    Option(
        "profiling_result",
        ("--profiling-result",),
        "Operator and cluster",
        "The profiler's answer to the DynamoGraphDeploymentRequest NAME: final_config.yaml, or its ConfigMap.",
        kind=MANY,
        metavar="NAME=FILE",
        rare=True,
    ),
)
AGAINST = Option(
    "against",
    ("--against",),
    "Operator and cluster",
    "Objects that exist in the cluster: inputs with their names are checked and rendered as updates.",
    kind=MANY,
    metavar="PATH",
)
DENY = Option(
    "deny",
    ("--deny",),
    "Checks",
    "Fail for this finding: a name such as `check/floating-image`, or a group: context, pods, empty, namespace, "
    "warnings, advice. `dynamoc explain --list groups` describes them.",
    kind=MANY,
    metavar="NAME",
)
WARN = Option(
    "warn",
    ("--warn",),
    "Checks",
    "Only warn of this finding; also of the groups unknown-fields and objects.",
    kind=MANY,
    metavar="NAME",
)
ALLOW = Option(
    "allow",
    ("--allow",),
    "Checks",
    "Leave this finding out. What the operator or the API server rejects stays.",
    kind=MANY,
    metavar="NAME",
)
LIMIT = Option(
    "limit",
    ("--limit",),
    "Checks",
    "Change a limit that protects from hostile input, such as `pods=50000` (docs/security.md).",
    kind=MANY,
    metavar="NAME=NUMBER",
    rare=True,
)
LEVELS = (DENY, WARN, ALLOW, LIMIT)
FORMATS = ("text", "json", "jsonl", "github", "sarif", "junit", "gitlab", "checkstyle")
PRINTED = (
    Option(
        "quiet",
        ("-q", "--quiet"),
        "Findings",
        "Print errors only.",
        kind=SWITCH,
        default=False,
    ),
    switch("verbose", "--verbose", "Findings", "Also print notes that ask for nothing.", rare=True),
    Option(
        "color",
        ("--color",),
        "Findings",
        "Colour findings. auto: on a terminal, unless NO_COLOR is set.",
        kind=CHOICE,
        default="auto",
        choices=("auto", "always", "never"),
        rare=True,
    ),
    Option(
        "findings",
        ("--findings",),
        "Findings",
        "Format of findings on stderr: text, json, github, sarif, junit, gitlab or checkstyle.",
        kind=CHOICE,
        default="text",
        choices=FORMATS,
        metavar="FORMAT",
    ),
)
FINDINGS = (*LEVELS, *PRINTED)
KEEP_GOING = switch(
    "keep_going", "--keep-going", "Output", "Continue after a rejected input; exit with 1 at the end.", rare=True
)
STANDALONE = Option(
    "standalone",
    ("--standalone",),
    "Output",
    "Render for a cluster without the operator: add what its chart would install. =shared: only what an administrator "
    "applies once; =graph: the rest.",
    kind=PART,
    choices=("shared", "graph", "all"),
    metavar="PART",
)
#: what `--include` adds, and `--omit` leaves out
INCLUDED = ("intermediate", "inputs", "graph", "pods", "secrets")
OMITTED = ("inputs", "replicas", "worker-hash")
INCLUDE = Option(
    "include",
    ("--include",),
    "Output",
    "Also print: intermediate (DynamoComponentDeployments that the operator creates), graph or pods (what a "
    "DynamoGraphDeploymentRequest leads to), secrets (random keys, not placeholders), inputs (other documents, with "
    "--layout per-input).",
    kind=MANY,
    choices=INCLUDED,
    metavar="WHAT",
)
OMIT = Option(
    "omit",
    ("--omit",),
    "Output",
    "Leave out: inputs (documents that dynamoc does not compile), replicas (of components that an autoscaler owns), "
    "worker-hash (in names, with --standalone).",
    kind=MANY,
    choices=OMITTED,
    metavar="WHAT",
)
SHOWN = (STANDALONE, INCLUDE, OMIT)
SURROUNDINGS = (OPERATOR_VERSION, *CLUSTER)
OUTPUT_DIR = Option(
    "output_dir",
    ("--output-dir",),
    "Output",
    "Write files into DIR, and remove those of an earlier run that no object needs any more.",
    metavar="DIR",
)
RENDERED = (
    output_option(
        "yaml", "json", "annotated", help="yaml, json, or annotated: YAML with the origin of each value in a comment."
    ),
    OUTPUT_DIR,
    switch("check", "--check", "Output", "Write nothing, and fail if DIR is not up to date."),
    Option(
        "from_index",
        ("--from-index",),
        "Output",
        "Render DIR again as its index says: release, options, inputs.",
        metavar="DIR",
        rare=True,
    ),
    Option(
        "layout",
        ("--layout",),
        "Output",
        "Files in DIR: one per object, all inputs together (the default), or one per input, each on its own.",
        kind=CHOICE,
        choices=("per-input", "per-object"),
        rare=True,
    ),
    Option(
        "flux_substitute",
        ("--flux-substitute",),
        "Output",
        "Whether Flux may replace variables in objects that hold `${`. auto: not in --output-dir.",
        kind=CHOICE,
        default="auto",
        choices=("auto", "disabled", "enabled"),
        rare=True,
    ),
    KEEP_GOING,
    *SHOWN,
)


def defaults(options: tuple[Option, ...]) -> Values:
    """The values of a command line that gives no option."""
    values: Values = {option.name: [] if option.kind == MANY else option.default for option in options}
    values["paths"] = []
    return values

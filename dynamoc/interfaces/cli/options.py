"""The commands and their options, each once: parsers, help, completion, settings and other tools read them here."""

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


#: what decides which findings `check` and `report` have
FOUND = (
    Option(
        "only",
        ("--only",),
        "Checks",
        "Report only these findings, by name or the part before the slash; `rejected`: what the operator or the API "
        "server rejects.",
        kind=MANY,
        metavar="NAME",
    ),
    Option(
        "schema",
        ("--schema",),
        "Checks",
        "JSON Schemas or CRDs of other kinds: a file, or a directory as kubeconform has it.",
        kind=MANY,
        metavar="PATH",
        rare=True,
    ),
    Option(
        "model_size",
        ("--model-size",),
        "Checks",
        "Billions of parameters of a model whose name does not say them: Worker=70B.",
        kind=MANY,
        metavar="[COMPONENT=]SIZE",
        rare=True,
    ),
    Option("baseline", ("--baseline",), "Checks", "Report only findings that are not in FILE.", metavar="FILE"),
)
_CHECK = (
    *INPUT,
    SHARD,
    output_option(*FORMATS, help="text on stderr, or on stdout json, jsonl, github, sarif, junit, gitlab, checkstyle."),
    switch("fix", "--fix", "Output", "Correct what has one certain remedy, in the files. Comments and layout stay."),
    switch("diff", "--diff", "Output", "With --fix: print the changes, and write nothing."),
    switch("settings", "--show-settings", "Output", "Show the settings for PATH and where they come from.", rare=True),
    STANDALONE,
    OMIT,
    *SURROUNDINGS,
    AGAINST,
    *FOUND,
    switch("update_baseline", "--update-baseline", "Checks", "Write this run's findings to the file of --baseline."),
    *FINDINGS,
)
_COMPARED = (
    switch("summary", "--summary", "Output", "Print totals only."),
    Option(
        "max_chars",
        ("--max-chars",),
        "Output",
        "Longest Markdown: github 65,536 characters, gitlab 1,000,000.",
        default="github",
        metavar="github|gitlab|N",
        rare=True,
    ),
    Option(
        "ignore",
        ("--ignore",),
        "Output",
        "Ignore a field: a path as the output prints it; * stands for a part of a step, ** for any steps, "
        "`Service/*:metadata.labels` for one kind.",
        kind=MANY,
        metavar="PATTERN",
    ),
    switch(
        "use_ignores",
        "--no-ignore",
        "Output",
        "Compare also what only a cluster writes, such as status.",
        rare=True,
        default=True,
    ),
)
_COMPARED_AS = "text, json, jsonl, markdown (for comments on pull requests), or html (a page)."
#: the outcomes of an upgrade, the worst first
OUTCOMES = ("breaks", "degrades", "stuck", "lost", "refused", "recreates", "orphaned", "rolls", "in-place")
COMMANDS: dict[str, tuple[Option, ...]] = {
    "render": (*INPUT, JOBS, SHARD, *RENDERED, *SURROUNDINGS, AGAINST, *FINDINGS),
    "check": _CHECK,
    "validate": _CHECK,
    "explain": (
        FILENAME,
        EXCLUDE,
        LOAD_RESTRICTOR,
        STDIN_FILENAME,
        output_option("text", "json", help="text or json."),
        Option(
            "list",
            ("--list",),
            "Output",
            "List the names that can be explained: all, or rules, builders, features, findings, groups.",
            kind=PART,
            choices=("rules", "builders", "features", "findings", "groups", "all"),
            metavar="KIND",
        ),
        *SHOWN,
        *SURROUNDINGS,
        *FINDINGS,
    ),
    "diff": (
        EXCLUDE,
        LOAD_RESTRICTOR,
        SHARD,
        switch("all_files", "--all-files", "Input", "Read files without an extension too.", rare=True),
        output_option("text", "json", "jsonl", "unified", "markdown", "html", help="unified, or " + _COMPARED_AS),
        *_COMPARED,
        KEEP_GOING,
        *SHOWN,
        *SURROUNDINGS,
        *FINDINGS,
    ),
    "upgrade": (
        *INPUT,
        SHARD,
        Option("old_release", ("--from",), "Releases", "Release that runs now.", metavar="VERSION"),
        Option("new_release", ("--to",), "Releases", "Release to upgrade to.", default=LATEST, metavar="VERSION"),
        Option(
            "new_operator_config",
            ("--to-cluster",),
            "Releases",
            "The operator's configuration after the upgrade, if it differs.",
            metavar="FILE",
            rare=True,
        ),
        switch("fresh", "--fresh", "Releases", "Compare new graphs, not graphs that run."),
        output_option("text", "json", "jsonl", "markdown", "html", help=_COMPARED_AS),
        *_COMPARED,
        INCLUDE,
        OMIT,
        *CLUSTER,
        *FINDINGS,
    ),
    "report": (
        *INPUT,
        output_option("html", "mermaid", "dot", "svg", help="html: a page; mermaid, dot or svg: only the picture."),
        Option("page", ("--output-file",), "Output", "Write to FILE, not to stdout.", metavar="FILE"),
        STANDALONE,
        *SURROUNDINGS,
        *FOUND,
        *FINDINGS,
    ),
    "convert": (
        FILENAME,
        EXCLUDE,
        LOAD_RESTRICTOR,
        JOBS,
        Option(
            "image",
            ("--image",),
            "Input",
            "For Dynamo 0.1 to 0.3: the image of a component, or of all.",
            kind=MANY,
            metavar="[NAME=]IMAGE",
            rare=True,
        ),
        Option(
            "graph_archive",
            ("--graph-archive",),
            "Input",
            "For Dynamo 0.1 to 0.3: the dynamo.yaml or bento.yaml of a graph's archive.",
            kind=MANY,
            metavar="[NAME=]FILE",
            rare=True,
        ),
        Option(
            "to",
            ("--to",),
            "Output",
            "The version to convert to.",
            kind=CHOICE,
            default="v1beta1",
            choices=("v1beta1", "v1alpha1"),
        ),
        switch("write", "--write", "Output", "Rewrite the files; comments and order stay."),
        switch("check", "--check", "Output", "Exit with 1 if a document has the other version."),
        switch("lossless", "--lossless", "Output", "Keep what the other version lacks in the operator's annotation."),
        Option(
            "modeline",
            ("--modeline",),
            "Output",
            "Begin documents with the comment that names their schema, in DIR or at URL.",
            metavar="DIR|URL",
            rare=True,
        ),
        output_option("yaml", "json", help="yaml or json."),
        DENY,
        ALLOW,
        LIMIT,
        *PRINTED,
    ),
    "requires": (
        *INPUT,
        output_option("text", "json", "script", help="text, json, or script: kubectl commands that check a cluster."),
        STANDALONE,
        KEEP_GOING,
        *SURROUNDINGS,
        *FINDINGS,
    ),
}
_OF_FILES = (
    "check", "exclude", "filenames", "from_index", "jobs", "keep_going", "layout", "load_restrictor", "output",
    "output_dir", "skip_foreign", "stdin_filename",
)  # fmt: skip
#: the post-renderer of Helm
COMMANDS["plugin helm"] = tuple(option for option in COMMANDS["render"] if option.name not in _OF_FILES)
#: commands that take no options from the environment and from settings files
WITHOUT_SETTINGS = ("convert",)
#: commands that read stdin if no path is given
PIPED = ("plugin helm",)

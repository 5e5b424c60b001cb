"""The options of the hot commands, once: `argv.py` parses by this table, `app.py` makes typer commands from it."""

from __future__ import annotations

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


class Option:
    """One option of a command.

    name     key in the parsed values
    flags    as typed, e.g. `("-o", "--output")`
    kind     TEXT, CHOICE (text out of `choices`), SWITCH (the opposite of its default), MANY (repeatable) or PART
    """

    __slots__ = ("choices", "default", "flags", "group", "help", "kind", "metavar", "name")

    def __init__(
        self,
        name: str,
        *flags: str,
        kind: str = TEXT,
        default: str | bool | None = None,
        choices: tuple[str, ...] = (),
        metavar: str | None = None,
        group: str,
        help: str,
    ) -> None:
        self.name = name
        self.flags = flags
        self.kind = kind
        self.default = default
        self.choices = choices
        self.metavar = metavar
        self.group = group
        self.help = help


def output_option(*choices: str, help: str) -> Option:
    """The format of what a command prints; the first of `choices` is the default."""
    return Option(
        "output", "-o", "--output", kind=CHOICE, default=choices[0], choices=choices, group="Output", help=help
    )


FILENAME = Option(
    "filenames",
    "-f",
    "--filename",
    kind=MANY,
    metavar="PATH",
    group="Input",
    help="The same as PATH, as in kubectl. Repeatable.",
)
EXCLUDE = Option(
    "exclude",
    "--exclude",
    kind=MANY,
    metavar="GLOB",
    group="Input",
    help="Skip files that match, with the syntax of .gitignore: `values.yaml`, `charts/`, `/drafts/*.yaml`. "
    "Repeatable. To skip them in every run, put such lines into a .dynamocignore file.",
)
LOAD_RESTRICTOR = Option(
    "load_restrictor",
    "--load-restrictor",
    kind=CHOICE,
    default="root",
    choices=("root", "none"),
    group="Input",
    help="Which files links may lead to: those in the directory that was named, and in the current one above it "
    "(root), or all (none).",
)
REQUIRE_GRAPHS = Option(
    "require_graphs",
    "--require-graphs",
    kind=SWITCH,
    default=False,
    group="Input",
    help="Fail if the input contains no DynamoGraphDeployment and no DynamoComponentDeployment.",
)
STDIN_FILENAME = Option(
    "stdin_filename",
    "--stdin-filename",
    metavar="NAME",
    group="Input",
    help="What findings call standard input, for editors and hooks that pass the content of a file.",
)
SKIP_FOREIGN = Option(
    "skip_foreign",
    "--skip-foreign",
    kind=SWITCH,
    default=False,
    group="Input",
    help="Skip files that hold no Kubernetes object even if they are named, as those in directories are; for hooks, "
    "which name all files that changed.",
)
INPUT = (FILENAME, EXCLUDE, SKIP_FOREIGN, LOAD_RESTRICTOR, REQUIRE_GRAPHS, STDIN_FILENAME)
OPERATOR_VERSION = (
    Option(
        "operator_version",
        "--operator-version",
        default=LATEST,
        metavar="VERSION",
        group="Operator and cluster",
        help="Release of the Dynamo operator to render for, or a patch of one; `dynamoc release list` lists "
        "them. `latest` is the newest that was checked against recordings of the operator; `auto` is that of the "
        "operator in --context, else of the newest Dynamo image in the input.",
    ),
)
CLUSTER = (
    Option(
        "target",
        "--target",
        kind=CHOICE,
        default="auto",
        choices=("auto", "grove", "lws", "plain"),
        group="Operator and cluster",
        help="What runs the pods. auto: decide as the operator would, from --operator-config and --context.",
    ),
    Option(
        "operator_config",
        "--operator-config",
        metavar="FILE",
        group="Operator and cluster",
        help="The operator's configuration file, as its Helm chart installs it.",
    ),
    Option(
        "cluster",
        "--cluster",
        metavar="DIR",
        group="Operator and cluster",
        help="Directory that `dynamoc capture` filled; used as --context and --operator-config.",
    ),
    Option(
        "created_by",
        "--created-by",
        metavar="VERSION",
        group="Operator and cluster",
        help="Version of the operator that created the graphs, where that was an older one: some of what a graph gets "
        "depends on it.",
    ),
    Option(
        "context",
        "--context",
        kind=MANY,
        metavar="PATH",
        group="Operator and cluster",
        help="Objects that exist in the cluster (Secrets, claims, the output of kubectl get). Repeatable.",
    ),
    Option(
        "api_versions",
        "-a",
        "--api-versions",
        kind=MANY,
        metavar="API",
        group="Operator and cluster",
        help="APIs of the cluster, as for helm template: `grove.io/v1alpha1`, `grove.io/v1alpha1/PodCliqueSet`. They "
        "decide --target auto as the operator does. Repeatable, or separated by commas.",
    ),
    Option(
        "profiling_result",
        "--profiling-result",
        kind=MANY,
        metavar="NAME=FILE",
        group="Operator and cluster",
        help="What the profiler found for the DynamoGraphDeploymentRequest NAME: its final_config.yaml, or the "
        "ConfigMap dgdr-output-NAME. Repeatable.",
    ),
    Option(
        "namespace",
        "-n",
        "--namespace",
        metavar="NAMESPACE",
        group="Operator and cluster",
        help="Namespace for documents that do not set one; documents that set another one are rejected.",
    ),
    Option(
        "default_namespace",
        "--default-namespace",
        metavar="NAMESPACE",
        group="Operator and cluster",
        help="Namespace to render graphs for that do not set one; others keep theirs, and documents that dynamoc does "
        "not compile stay as they are.",
    ),
)
CHECKS = (
    Option(
        "unknown_fields",
        "--unknown-fields",
        kind=CHOICE,
        default="error",
        choices=("prune", "warn", "error"),
        group="Checks",
        help="What to do with a field that the API does not have: drop it with a note, drop it with a warning, "
        "or reject it as `kubectl apply` does.",
    ),
    Option(
        "strict_context",
        "--strict-context",
        kind=SWITCH,
        default=False,
        group="Checks",
        help="Reject references to objects that are neither in the output, the input nor --context, and that neither "
        "Kubernetes nor the operator creates. Namespaces and optional references are not checked.",
    ),
    Option(
        "refused_objects",
        "--refused-objects",
        kind=CHOICE,
        default="error",
        choices=("error", "warn"),
        group="Checks",
        help="What to do if the API server would reject an object that the operator sends: reject its graph, or "
        "print the object with a warning.",
    ),
    Option(
        "kube_version",
        "--kube-version",
        default="1.34",
        metavar="VERSION",
        group="Checks",
        help="Kubernetes of the cluster, 1.30 or later: what its API server refuses, and which fields it drops.",
    ),
    Option(
        "strict",
        "--strict",
        kind=SWITCH,
        default=False,
        group="Checks",
        help="Turn on --strict-context, and reject graphs whose pods the API server will reject: it accepts a "
        "PodCliqueSet or LeaderWorkerSet without checking its pods.",
    ),
)
AGAINST = (
    Option(
        "against",
        "--against",
        kind=MANY,
        metavar="PATH",
        group="Operator and cluster",
        help="Objects as they are (or were) in the cluster. Inputs with the same kind, namespace and name are "
        "checked and rendered as updates of them. Repeatable.",
    ),
)
LIMIT = Option(
    "limit",
    "--limit",
    kind=MANY,
    metavar="NAME=NUMBER",
    group="Checks",
    help="Change a limit that protects from input made to exhaust dynamoc: file-bytes, input-bytes, values, depth, "
    "documents, findings, pods, objects or output-bytes, such as `pods=50000` or `file-bytes=64Mi`. Repeatable. "
    "docs/security.md describes them.",
)
JOBS = Option(
    "jobs",
    "--jobs",
    default="1",
    metavar="N|auto",
    group="Input",
    help="Compile in N processes, or in as many as there are processors (auto). The output is the same.",
)
FORMATS = ("text", "json", "github", "sarif", "junit", "gitlab", "checkstyle")
FINDINGS_HELP = (
    "How findings are written to stderr. github: workflow commands; sarif: for code scanning; junit: a test report; "
    "gitlab: code quality; checkstyle: for reviewdog and others."
)
FINDINGS = (
    LIMIT,
    Option(
        "quiet",
        "-q",
        "--quiet",
        kind=SWITCH,
        default=False,
        group="Findings",
        help="Write errors only to stderr, without warnings, notes and totals. The exit code stays the same.",
    ),
    Option(
        "verbose",
        "--verbose",
        kind=SWITCH,
        default=False,
        group="Findings",
        help="Also write notes that ask for nothing, such as how a release was checked.",
    ),
    Option(
        "color",
        "--color",
        kind=CHOICE,
        default="auto",
        choices=("auto", "always", "never"),
        group="Findings",
        help="Colour findings. auto: on a terminal, unless NO_COLOR is set.",
    ),
    Option(
        "findings",
        "--findings",
        kind=CHOICE,
        default="text",
        choices=FORMATS,
        group="Findings",
        help=FINDINGS_HELP,
    ),
)
KEEP_GOING = Option(
    "keep_going",
    "--keep-going",
    kind=SWITCH,
    default=False,
    group="Output",
    help="Continue after a rejected input, and exit with 1 at the end.",
)
INTERMEDIATE = Option(
    "include_intermediate",
    "--include-intermediate",
    kind=SWITCH,
    default=False,
    group="Output",
    help="Also write the DynamoComponentDeployments that the operator creates on the way.",
)
PASSTHROUGH = Option(
    "passthrough",
    "--no-passthrough",
    kind=SWITCH,
    default=True,
    group="Output",
    help="Omit the documents of the input that dynamoc does not compile (ConfigMaps, Secrets, ...).",
)
STANDALONE = (
    Option(
        "standalone",
        "--standalone",
        kind=PART,
        choices=("shared", "graph", "all"),
        group="Output",
        help="Render for a cluster without the operator: add what its Helm chart would install for the objects, "
        "and omit what only the operator reads. A note lists what does not work then. "
        "=shared: only what graphs share and an administrator applies; =graph: the rest; no value: all.",
    ),
    Option(
        "stable_names",
        "--stable-names",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Omit the worker hash from names; for --standalone, where nothing removes the old generation.",
    ),
)
OMIT_REPLICAS = Option(
    "omit_replicas",
    "--omit-replicas",
    kind=SWITCH,
    default=False,
    group="Output",
    help="Omit the replicas of components that an autoscaler owns: by a scaling adapter, a HorizontalPodAutoscaler or "
    "a ScaledObject. With --against, components with a scaling adapter keep the number that they have.",
)
_OUTPUT = (
    output_option("yaml", "json", help="Format of the objects."),
    Option(
        "explain",
        "--explain",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Write the origin of each value in a comment after it; YAML only.",
    ),
    Option(
        "output_dir",
        "--output-dir",
        metavar="DIR",
        group="Output",
        help="Write files into DIR instead of stdout, and remove those of an earlier run that belong to no object any "
        "more. DIR holds an index, .dynamoc-index; files that dynamoc did not write stay as they are.",
    ),
    Option(
        "check",
        "--check",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Write nothing, and fail if DIR is not what the inputs give.",
    ),
    Option(
        "from_index",
        "--from-index",
        metavar="DIR",
        group="Output",
        help="Render DIR again as its index says: the same release, options and inputs.",
    ),
    Option(
        "layout",
        "--layout",
        kind=CHOICE,
        choices=("per-input", "per-object"),
        group="Output",
        help="Files in DIR. per-object (the default): one file per object, all inputs together. per-input: one "
        "file per input, each compiled on its own.",
    ),
    Option(
        "flux_substitute",
        "--flux-substitute",
        kind=CHOICE,
        default="auto",
        choices=("auto", "disabled", "enabled"),
        group="Output",
        help="Whether Flux may replace variables (`postBuild.substitute`) in objects that hold `${`. disabled: "
        "annotate them, so that it does not. auto: disabled with --output-dir, but not with --layout per-input.",
    ),
    Option(
        "fail_on_empty",
        "--fail-on-empty",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Fail if the output contains no object: a GitOps tool would delete all that it applied before.",
    ),
    KEEP_GOING,
    INTERMEDIATE,
    PASSTHROUGH,
    Option(
        "through",
        "--through",
        kind=PART,
        choices=("graph", "pods"),
        group="Output",
        help="What else to write of the graph that a DynamoGraphDeploymentRequest leads to. =graph: the graph even "
        "with `autoApply: false`; =pods, or no value: also what the operator makes of the graph.",
    ),
    Option(
        "passthrough_per_input",
        "--passthrough",
        kind=SWITCH,
        default=False,
        group="Output",
        help="With --layout per-input, also write the documents that dynamoc does not compile; by default, the "
        "files contain only the objects that the operator creates.",
    ),
    Option(
        "generate_secrets",
        "--generate-secrets",
        kind=SWITCH,
        default=False,
        group="Output",
        help="Generate the keys that the operator generates at random, instead of placeholders. The output then "
        "differs in each run.",
    ),
    *STANDALONE,
    OMIT_REPLICAS,
)
COMMANDS: dict[str, tuple[Option, ...]] = {
    "render": (*INPUT, JOBS, *_OUTPUT, *OPERATOR_VERSION, *CLUSTER, *AGAINST, *CHECKS, *FINDINGS),
    "validate": (
        *INPUT,
        JOBS,
        output_option(*FORMATS, help="Any other format than text: print the findings on stdout instead of stderr."),
        *STANDALONE,
        OMIT_REPLICAS,
        *OPERATOR_VERSION,
        *CLUSTER,
        *AGAINST,
        *CHECKS,
        *FINDINGS,
    ),
}
#: commands whose options stand in modules of their own
ELSEWHERE = ("check", "explain", "diff", "upgrade", "requires", "graph", "convert", "report", "post-render")

#: Commands that take no options from the environment and from settings files.
WITHOUT_SETTINGS = ("convert",)
#: Commands that read stdin where no path is given.
PIPED = ("post-render",)


def defaults(options: tuple[Option, ...]) -> Values:
    """The values of a command line that gives no option."""
    values: Values = {option.name: [] if option.kind == MANY else option.default for option in options}
    values["paths"] = []
    return values

"""The whole application in typer: help, completion, usage errors, and the commands that need not be quick.

The hot commands get their parameters from the table in `options.py`, so that both parsers know the same options.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal, Optional

import typer

from dynamoc.interfaces.cli import plugins, release
from dynamoc.interfaces.cli.command_options import options_of
from dynamoc.interfaces.cli.commands import print_version, run_command
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.help import Command, Group, complete, install_script, print_script, program, releases
from dynamoc.interfaces.cli.option_table import CHOICE, COMMANDS, ELSEWHERE, LATEST, MANY, PART, PIPED, SWITCH, Option
from dynamoc.interfaces.cli.plugins import fn
from dynamoc.interfaces.cli.schema import schema
from dynamoc.interfaces.cli.typer_commands import capture, config, finding, lsp, rule, rules
from dynamoc.reference.releases import DEFAULT_RELEASE

_HELP = {
    "render": "Render the objects that the Dynamo operator would create for the graphs and components in PATH.\n\n"
    "PATH is a YAML or JSON file, a directory of them, or - for stdin. All inputs together are one cluster, "
    "except with --layout per-input.",
    "validate": "Report what render would report for PATH, without writing objects.",
    "check": "Report what validate reports, and what the operator takes but somebody will regret.\n\n"
    "The rules compare engines with their GPUs, probes with models, and components with each other; "
    "`dynamoc finding` describes each. `# dynamoc: ignore NAME: reason` in a file switches one off for a line, "
    "or for what is below the comment.",
    "explain": "Show where a rendered value comes from, or what happens to a line of the input.\n"
    "\n"
    "`explain PATH OBJECT FIELD` explains one value: `deployment/web-frontend spec.replicas`; OBJECT is "
    "`kind/name`; the short names of kubectl work too, and so do names of Pods that run in a cluster. Without "
    "FIELD, it explains the whole object; without OBJECT, it lists the objects. `explain PATH:LINE` shows where "
    "a line of the input goes.",
    "convert": "Convert graphs and components between v1alpha1 and v1beta1, as the operator's conversion webhook does."
    "\n\nOther kinds pass through unchanged. What the other version cannot say is listed on stderr, with its line. "
    "Documents of Dynamo 0.1 to 0.3 become the graphs that you would write today.",
    "graph": "Draw the components of the graphs in PATH: pods, GPUs, Services, gangs, and the claims and secrets "
    "that the pods use.",
    "report": "Write a page about the graphs in PATH: one file of HTML with a picture, findings, requirements, pods "
    "and GPUs, and each object with the origin of its values.",
    "diff": "Show what differs between two renderings, and what that restarts.\n"
    "\n"
    "SIDES are OLD NEW (files, directories, or REVISION:PATH), or revisions of git with paths: `main..HEAD "
    "-- graphs/`; `main.. -- graphs/` compares with the working tree, `main...HEAD` starts at the merge "
    "base.",
    "upgrade": "Show what an upgrade to another release of the operator does to the graphs in PATH.",
    "post-render": "Render as the post-renderer of Helm: objects from stdin to stdout.\n"
    "\n"
    "Helm does not tell the namespace of the release: add `--post-renderer-args --default-namespace=NAMESPACE`. "
    "docs/how-to/helm.md shows how to use it.",
    "requires": "List what the rendered objects need from the cluster: APIs, Secrets, claims, accounts, queues, "
    "addresses, nodes and GPUs.",
}
_EPILOG = "Exit codes: 0 done, 1 errors in the input, 2 wrong usage, 3 a bug of dynamoc."
_EPILOGS = {
    "check": "Exit codes: 0 done, 1 findings as bad as --fail-on, 2 wrong usage, 3 a bug of dynamoc.",
    "diff": "Exit codes: 0 same, 1 different or errors in the input, 2 wrong usage, 3 a bug of dynamoc.",
    "upgrade": "Exit codes: 0 done, 1 errors in the input or --fail-on, 2 wrong usage, 3 a bug of dynamoc.",
}
_PATH = ("PATH...", "Files, directories, patterns, or - for stdin.")
_WORDS = {
    "post-render": ("[-]", "Objects from stdin, which is the default."),
    "explain": ("PATH[:LINE] [OBJECT [FIELD]]", "The input, an object, and a field of it."),
    "diff": ("SIDES...", "OLD NEW, or REVISION..[REVISION] [--] [PATH...]."),
}
app = typer.Typer(
    name="dynamoc",
    help="Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create.",
    epilog=_EPILOG,
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_app(argv: list[str]) -> int:
    """Run any command line; the result is the exit code."""
    try:
        if _completes(argv):
            return 0
        app(args=_whole(argv), prog_name=program())
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return 0


def _whole(argv: list[str]) -> list[str]:
    """The line with the values of options that may stand without one: typer's options always take a value."""
    table = (options_of(argv[0]) if argv else None) or ()
    last = {flag: option.choices[-1] for option in table if option.kind == PART for flag in option.flags}
    end = argv.index("--") if "--" in argv else len(argv)
    return [f"{word}={last[word]}" if word in last else word for word in argv[:end]] + argv[end:]


def _completes(argv: list[str]) -> bool:
    """Runs `--show-completion SHELL` and `--install-completion SHELL`: typer's own options only guess the shell."""
    flag, equals, shell = argv[0].partition("=") if argv else ("", "", "")
    action = {"--show-completion": print_script, "--install-completion": install_script}.get(flag)
    words = [shell] if equals else argv[1:]
    if action is None or len(words) != 1:
        return False
    action(words[0])
    return True


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        raise typer.Exit(print_version())


def _add_hot_command(name: str) -> None:
    table = options_of(name) or ()

    def command(words: list[str] | None, **given: Any) -> None:
        values: dict[str, Any] = {}
        for option in table:
            value = given[option.name]
            values[option.name] = value != option.default if option.kind == SWITCH else value
            if option.kind == MANY:
                values[option.name] = list(value or [])
        values["paths"] = [*values.get("filenames", ()), *(words or (["-"] if name in PIPED else ()))]
        if not values["paths"] and not values.get("from_index"):
            raise UsageError(
                f"dynamoc {name} needs {_WORDS.get(name, _PATH)[0]}; `{program()} {name} --help` shows how to use it."
            )
        raise typer.Exit(run_command(name, values))

    parameters = [_path_parameter(name), *map(_parameter, table)]
    # typer reads a command's parameters from its signature.
    setattr(command, "__signature__", inspect.Signature(parameters))  # noqa: B010
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(name, help=_HELP[name], epilog=_EPILOGS.get(name, _EPILOG), cls=Command)(command)


def _path_parameter(command: str) -> inspect.Parameter:
    metavar, text = _WORDS.get(command, _PATH)
    completion: Any = None
    if command == "explain":
        completion = complete
    argument = typer.Argument(metavar=metavar, help=text, show_default=False, autocompletion=completion)
    return inspect.Parameter(
        "words", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str] | None, argument]
    )


def _parameter(option: Option) -> inspect.Parameter:
    kinds: dict[str, Any] = {SWITCH: bool, MANY: Optional[list[str]], CHOICE: Literal[option.choices]}  # noqa: UP045
    kind = kinds.get(CHOICE if option.kind == PART else option.kind, str)
    default = False if option.kind == SWITCH else option.default
    if default is None and option.kind != MANY:
        kind = Optional[kind]  # noqa: UP045
    shown = DEFAULT_RELEASE if option.default == LATEST else bool(option.default) and option.kind != SWITCH
    declared = typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar,
        autocompletion=releases if option.metavar == "VERSION" and option.name != "kube_version" else None,
        rich_help_panel=option.group,
        show_default=shown,
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, declared]
    )


for _name in (*COMMANDS, *ELSEWHERE):
    _add_hot_command(_name)
app.add_typer(release.app, name="release")
app.command("schema", cls=Command)(schema)
app.command("capture", cls=Command)(capture)


argocd_app = typer.Typer(
    cls=Group, help="Commands of the Argo CD plugin; docs/how-to/argocd.md shows how to install it.", epilog=_EPILOG
)
app.add_typer(argocd_app, name="argocd")


@argocd_app.command("discover", cls=Command, epilog=_EPILOG)
def _discover() -> None:
    """Print a file of this folder with a kind of Dynamo; nothing beside kustomization.yaml or Chart.yaml."""
    raise typer.Exit(plugins.discover())


@argocd_app.command("generate", cls=Command, epilog=_EPILOG)
def _generate() -> None:
    """Print the objects of this folder, with the parameters in ARGOCD_APP_PARAMETERS.

    KUBE_VERSION, KUBE_API_VERSIONS and ARGOCD_APP_NAMESPACE, which Argo CD sets, are the defaults of `kubeVersion`,
    `apiVersions` and `defaultNamespace`.
    """
    raise typer.Exit(plugins.generate())


@argocd_app.command("parameters", cls=Command, epilog=_EPILOG)
def _parameters() -> None:
    """Print the parameters that the UI of Argo CD offers: the options of `render` in camel case."""
    raise typer.Exit(plugins.parameters())


@app.command("fn", cls=Command, epilog=_EPILOG)
def _fn() -> None:
    """Run as a KRM function of Kustomize or kpt: read a ResourceList from stdin, and write one to stdout.

    The kind of its functionConfig says what to do: `Render` replaces graphs by what the operator would create, and
    `Validate` only reports findings. Its `spec` has the options of `render` in camel case, such as
    `operatorVersion: "1.4"` and `target: grove`, and `files` to read. docs/how-to/kustomize.md shows how to use it.
    """
    raise typer.Exit(fn())


app.command("config", cls=Command)(config)
app.command("lsp", cls=Command)(lsp)
app.command("rules", cls=Command)(rules)
app.command("rule", cls=Command)(rule)
app.command("finding", cls=Command)(finding)

"""The whole application in typer: help, completion, usage errors, and the commands that need not be quick.

Commands get their parameters from `options.py`, so that both parsers know the same options.
"""

from __future__ import annotations

import inspect
import subprocess
from shutil import which
from typing import Annotated, Any, Literal, Optional

import typer

from dynamoc.interfaces.capture import script
from dynamoc.interfaces.cli import help as pages
from dynamoc.interfaces.cli import plugins
from dynamoc.interfaces.cli.command_line import has_input
from dynamoc.interfaces.cli.commands import print_version, run_command
from dynamoc.interfaces.cli.failure import DONE, UsageError, write_stdout
from dynamoc.interfaces.cli.help import Command, Group, complete, install_script, print_script, program, releases
from dynamoc.interfaces.cli.options import CHOICE, COMMANDS, LATEST, MANY, PART, SWITCH, Option
from dynamoc.interfaces.cli.release import list_releases
from dynamoc.interfaces.cli.schema import schema
from dynamoc.reference.releases import DEFAULT_RELEASE

COMMAND_HELP = {
    "render": "Render the objects that the operator would create.\n\n"
    "PATH is a file, a directory, or - for stdin. All inputs together are one cluster.",
    "validate": "Check only what the operator or the API server rejects.",
    "check": "Check graphs: everything the cluster rejects, and mistakes it accepts.\n\n"
    "The comment `# dynamoc: ignore NAME: reason` allows a finding in a line, or in what is below it.",
    "explain": "Explain a rendered value, a line of the input, or a name.\n\n"
    "`PATH OBJECT FIELD` explains a value; without FIELD, the object; without OBJECT, it lists objects. OBJECT is "
    "`kind/name`, also of a Pod that runs. `PATH:LINE` shows where a line ends up. NAME is a name that dynamoc prints.",
    "convert": "Convert graphs between v1alpha1 and v1beta1.\n\n"
    "Findings list what the other version lacks. Documents of Dynamo 0.1 to 0.3 become today's graphs.",
    "report": "Write a page, or a picture, about graphs.",
    "diff": "Show what differs between two renderings, and what that restarts.\n\n"
    "SIDES are OLD NEW (files, directories, or REVISION:PATH), or git revisions with paths: `main..HEAD -- graphs/`.",
    "upgrade": "Show what an upgrade of the operator does to graphs.\n\nWithout PATH: how the two releases differ.",
    "plugin helm": "Render as the post-renderer of Helm: objects from stdin to stdout.\n\n"
    "Helm does not pass the namespace of the release: add `--post-renderer-args --namespace=NAMESPACE`.",
    "requires": "List what the cluster must provide.",
    "schema": "Print the schemas of kinds, for editors and validators.",
    "capture": "Save facts of a cluster for --cluster.\n\n"
    "Prints a script that fills DIR by kubectl. It only reads, and of Secrets only names and types.",
    "lsp": "Run the language server on stdin and stdout.\n\n"
    "Editors start it. dynamoc.yaml and DYNAMOC_* variables set its options.",
    "plugin kustomize": "Run as a KRM function of Kustomize or kpt: a ResourceList from stdin to stdout.\n\n"
    "The kind of functionConfig is `Render` or `Validate`; `spec` has options of `render` in camel case, and `files`.",
    "plugin argocd": "The commands of the Argo CD plugin.",
}
_EPILOG = "Exit codes: 0 done, 1 errors in the input, 2 wrong usage, 3 a bug of dynamoc."
_EPILOGS = {
    "diff": "Exit codes: 0 same, 1 different or errors in the input, 2 wrong usage, 3 a bug of dynamoc.",
    "upgrade": "Exit codes: 0 done, 1 errors in the input or --deny, 2 wrong usage, 3 a bug of dynamoc.",
}
_PATH = ("PATH...", "Files, directories, patterns, or - for stdin.")
_WORDS = {
    "plugin helm": ("[-]", "Objects from stdin."),
    "explain": ("PATH[:LINE] [OBJECT [FIELD]] | NAME", "What to explain."),
    "diff": ("SIDES...", "OLD NEW, or REVISION..[REVISION] [--] [PATH...]."),
    "upgrade": ("[PATH...]", _PATH[1]),
}
app = typer.Typer(
    name="dynamoc",
    help="Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create.",
    epilog=_EPILOG,
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_app(argv: list[str]) -> int:
    """Run any command line; the result is the exit code. Raises UsageError."""
    if "--all" in argv and {"-h", "--help"} & set(argv):
        pages.shows_all = True
        argv = [word for word in argv if word != "--all"]
    if argv in (["plugin"], ["plugin", "argocd"]):
        argv = [*argv, "--help"]
    try:
        if _completes(argv):
            return 0
        found = app(args=_whole(argv), prog_name=program(), standalone_mode=False)
    except pages.ClickException as problem:
        raise UsageError(pages.usage_problem(problem)) from None
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return found if isinstance(found, int) else 0


def _whole(argv: list[str]) -> list[str]:
    """The line with the values of options that may stand without one: typer's options always take a value."""
    table = COMMANDS.get(argv[0] if argv else "", ())
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


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("-V", "--version", help="Print the version.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="With --version: list the operator releases.")] = False,
    output: Annotated[
        Literal["text", "json"], typer.Option("-o", "--output", help="Format of that list.", metavar="FORMAT")
    ] = "text",
) -> None:
    if version:
        raise typer.Exit(list_releases(output) if verbose else print_version())


def _add_command(name: str, to: typer.Typer, *, hidden: bool = False) -> None:
    table = COMMANDS[name]

    def command(words: list[str] | None, **given: Any) -> None:
        values: dict[str, Any] = {}
        for option in table:
            value = given[option.name]
            values[option.name] = value != option.default if option.kind == SWITCH else value
            if option.kind == MANY:
                values[option.name] = list(value or [])
        values["paths"] = [*values.get("filenames", ()), *(words or ())]
        if not has_input(name, values):
            raise UsageError(
                f"dynamoc {name} needs {_WORDS.get(name, _PATH)[0]}; `{program()} {name} --help` shows how to use it."
            )
        raise typer.Exit(run_command(name, values))

    parameters = [_path_parameter(name), *map(_parameter, table)]
    # typer reads a command's parameters from its signature.
    setattr(command, "__signature__", inspect.Signature(parameters))  # noqa: B010
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    epilog = _EPILOGS.get(name, _EPILOG)
    to.command(name.split()[-1], help=COMMAND_HELP[name], epilog=epilog, cls=Command, hidden=hidden)(command)


def _path_parameter(command: str) -> inspect.Parameter:
    metavar, text = _WORDS.get(command, _PATH)
    completion: Any = complete if command == "explain" else None
    argument = typer.Argument(metavar=metavar, help=text, show_default=False, autocompletion=completion)
    return inspect.Parameter(
        "words", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str] | None, argument]
    )


def _parameter(option: Option) -> inspect.Parameter:
    kinds: dict[str, Any] = {SWITCH: bool, MANY: Optional[list[str]]}  # noqa: UP045
    if option.kind in (CHOICE, PART):
        kinds[option.kind] = Literal[option.choices]
    kind = kinds.get(option.kind, str)
    default = False if option.kind == SWITCH else option.default
    if default is None and option.kind != MANY:
        kind = Optional[kind]  # noqa: UP045
    shown = DEFAULT_RELEASE if option.default == LATEST else bool(option.default) and option.kind != SWITCH
    declared = typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar,
        autocompletion=releases if option.metavar == "VERSION" else None,
        rich_help_panel=option.group,
        show_default=shown,
        hidden=option.hidden,
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, declared]
    )


def _capture(
    directory: Annotated[str, typer.Option("--output-dir", metavar="DIR", help="The directory to fill.")] = "cluster",
    run: Annotated[bool, typer.Option("--run", help="Run kubectl now, instead of printing the script.")] = False,
    context: Annotated[str | None, typer.Option("--kube-context", metavar="NAME", help="Context of kubectl.")] = None,
    namespaces: Annotated[
        list[str] | None,
        typer.Option("-n", "--namespace", metavar="NAMESPACE", help="Only claims, Secrets and graphs of NAMESPACE."),
    ] = None,
) -> None:
    text = script(directory, context, namespaces or [])
    if run:
        raise typer.Exit(_run(text))
    write_stdout(text)
    raise typer.Exit(DONE)


def _run(text: str) -> int:
    for tool in ("sh", "kubectl"):
        if which(tool) is None:
            raise UsageError(f"--run needs {tool}, which is not on PATH.")
    # Not through stdin: kubectl may ask there for a password.
    return subprocess.run(["sh", "-c", text], check=False).returncode


def _lsp(
    stdio: Annotated[bool, typer.Option("--stdio", help="No effect; editors pass it.")] = False,  # noqa: ARG001
) -> None:
    # pygls is an extra.
    from dynamoc.interfaces.lsp.server import serve

    raise typer.Exit(serve())


def _fn() -> None:
    raise typer.Exit(plugins.fn())


plugin = typer.Typer(cls=Group, help="Run as a plugin of Kustomize, Helm or Argo CD.", epilog=_EPILOG)
argocd = typer.Typer(cls=Group, help=COMMAND_HELP["plugin argocd"], epilog=_EPILOG)
for _name in ("render", "check", "explain", "diff", "upgrade", "report", "convert", "requires"):
    _add_command(_name, app)
for _name, _function in (("schema", schema), ("capture", _capture), ("lsp", _lsp)):
    app.command(_name, help=COMMAND_HELP[_name], cls=Command, epilog=_EPILOG)(_function)
app.add_typer(plugin, name="plugin")
_add_command("validate", app, hidden=True)
plugin.command("kustomize", help=COMMAND_HELP["plugin kustomize"], cls=Command, epilog=_EPILOG)(_fn)
_add_command("plugin helm", plugin)
plugin.add_typer(argocd, name="argocd")


@argocd.command("discover", cls=Command, epilog=_EPILOG)
def _discover() -> None:
    """Print a file of this folder with a kind of Dynamo."""
    raise typer.Exit(plugins.discover())


@argocd.command("generate", cls=Command, epilog=_EPILOG)
def _generate() -> None:
    """Print the objects of this folder, with the parameters in ARGOCD_APP_PARAMETERS."""
    raise typer.Exit(plugins.generate())


@argocd.command("parameters", cls=Command, epilog=_EPILOG)
def _parameters() -> None:
    """Print the parameters for the UI: options of `render` in camel case."""
    raise typer.Exit(plugins.parameters())

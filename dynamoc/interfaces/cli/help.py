"""`--help`: usage, examples, and each option above its text, in 80 columns; and what the shell offers to complete."""

from __future__ import annotations

import os
import sys
import textwrap
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from dynamoc.compiler.explain.selection import Unknown, field_completions, find_object, object_titles
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.schema.schemas import load
from dynamoc.interfaces.cli.failure import WIDTH, UsageError, write_stdout
from dynamoc.interfaces.cli.options import COMMANDS
from dynamoc.reference.releases import RELEASES, get_release

#: of the click that typer includes: the base of all that can be wrong with a command line
ClickException: Any = typer.BadParameter.__mro__[2]
EXAMPLES: dict[str, tuple[str, ...]] = {
    "": ("dynamoc render graph.yaml", "dynamoc check graphs/", "dynamoc explain graph.yaml:12"),
    "render": ("dynamoc render graph.yaml --target grove", "dynamoc render graphs/ --output-dir rendered --check"),
    "validate": ("dynamoc validate graphs/",),
    "check": ("dynamoc check graphs/ --deny warnings -o sarif > dynamoc.sarif", "dynamoc check graphs/ --fix --diff"),
    "explain": ("dynamoc explain graph.yaml deployment/chat-frontend spec.replicas", "dynamoc explain probes/worker"),
    "diff": ("dynamoc diff old.yaml new.yaml", "dynamoc diff -o markdown main.. -- graphs/"),
    "upgrade": ("dynamoc upgrade graphs/ --from 1.0 --deny rolls", "dynamoc upgrade --from 1.3 --to 1.4"),
    "requires": ("dynamoc requires graphs/ --cluster prod --deny missing", "dynamoc requires graphs/ -o script | sh"),
    "report": ("dynamoc report graph.yaml --output-file report.html", "dynamoc report graph.yaml -o svg > graph.svg"),
    "convert": ("dynamoc convert graph.yaml", "dynamoc convert graphs/ --write"),
    "capture": ("dynamoc capture | sh", "dynamoc capture --run --output-dir prod -n inference"),
    "plugin helm": ("helm template charts/chat | dynamoc plugin helm --namespace prod",),
    "plugin kustomize": ("dynamoc plugin kustomize < resources.yaml",),
    "plugin argocd": ("dynamoc plugin argocd discover",),
    "schema": ("dynamoc schema DynamoGraphDeployment", "dynamoc schema -o kustomize --output-dir kustomize"),
}
#: the commands on the first screen
_SECTIONS = {
    "See": ("render", "check", "explain", "diff", "upgrade", "report"),
    "Change": ("convert",),
    "Ask": ("requires", "schema", "capture"),
    "Integrate": ("lsp", "plugin"),
}
#: whether help shows what is rarely used: `--help --all`
shows_all = False
_INDENT = "      "
#: where the text of an option starts
_COLUMN = 30
#: typer guesses the shell where none is named
_SHELL = {
    "--install-completion": "Install completion for SHELL (default: the current shell).",
    "--show-completion": "Print the completion script for SHELL (default: the current shell).",
}


def program() -> str:
    """What the user types: `kubectl dynamoc` where kubectl runs this as its plugin."""
    name = os.path.basename(sys.argv[0] if sys.argv else "")
    return "kubectl dynamoc" if name.startswith("kubectl-dynamoc") else "dynamoc"


class Command(TyperCommand):
    """A command that prints its help as this module does."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(_page(self, ctx))


class Group(TyperGroup):
    """A group of commands that prints its help as this module does."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(_page(self, ctx))


def _page(command: Any, ctx: Any) -> str:
    name = ctx.command_path.removeprefix(program()).strip()
    parts = [_usage(command, ctx), *_paragraphs(command.help or "")]
    if EXAMPLES.get(name):
        lines = (line.replace("dynamoc ", f"{program()} ", 1) for line in EXAMPLES[name])
        parts.append("Examples:\n" + "\n".join(f"  {line}" for line in lines))
    if isinstance(command, Group):
        parts.append(_commands(command, ctx))
    parts += [f"{title}:\n" + "\n".join(map(_option, options)) for title, options in _groups(command, ctx).items()]
    rare = 0 if shows_all else len(_rare(command, ctx))
    if rare:
        parts.append(_wrapped(f"`{ctx.command_path} --help --all` shows {rare} more options."))
    parts += _paragraphs(command.epilog or "")
    return "\n\n".join(parts) + "\n"


def _usage(command: Any, ctx: Any) -> str:
    words = [ctx.command_path, "[OPTION]..."]
    words += [param.metavar or param.name.upper() for param in command.params if param.param_type_name == "argument"]
    if isinstance(command, Group):
        words.append("COMMAND ...")
    return textwrap.fill(f"Usage: {' '.join(words)}", WIDTH, subsequent_indent=_INDENT, break_on_hyphens=False)


def _paragraphs(text: str) -> list[str]:
    return [_wrapped(" ".join(paragraph.split())) for paragraph in text.split("\n\n") if paragraph.strip()]


def _commands(group: Any, ctx: Any) -> str:
    names = group.list_commands(ctx)
    sections = _SECTIONS if "render" in names else {"Commands": tuple(names)}
    parts = []
    for title, found in sections.items():
        texts = {name: (group.get_command(ctx, name).help or "").partition("\n\n")[0] for name in found}
        lines = (_wrapped(f"  {name:<12}{text}", "", " " * 14) for name, text in texts.items())
        parts.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join(parts)


def _groups(command: Any, ctx: Any) -> dict[str, list[Any]]:
    """Arguments, then options by their group; `--help` and the like come last."""
    groups: dict[str, list[Any]] = {"Arguments": []}
    rest: list[Any] = []
    left_out = [] if shows_all else _rare(command, ctx)
    for param in command.get_params(ctx):
        if param in left_out or getattr(param, "hidden", False):
            continue
        if param.param_type_name == "argument":
            groups["Arguments"].append(param)
        elif title := getattr(param, "rich_help_panel", None):
            groups.setdefault(title, []).append(param)
        else:
            rest.append(param)
    groups["Options"] = rest
    return {title: params for title, params in groups.items() if params}


def _rare(command: Any, ctx: Any) -> list[Any]:
    """The options that only `--help --all` shows."""
    name = ctx.command_path.removeprefix(program()).strip()
    names = {option.name for option in COMMANDS.get(name, ()) if option.rare}
    completion = [param for param in command.get_params(ctx) if _SHELL.keys() & set(param.opts)]
    return [param for param in command.get_params(ctx) if param.name in names] + completion


def usage_problem(problem: Any) -> str:
    """What is wrong with a command line, as a sentence, and where to look."""
    context = getattr(problem, "ctx", None)
    path = context.command_path if context is not None else program()
    return f"{problem.format_message().rstrip('.')}. `{path} --help` shows how to use it."


def _option(param: Any) -> str:
    if param.param_type_name == "argument":
        return _entry(param.metavar or param.name.upper(), param.help or "")
    head = ", ".join([*sorted(param.opts, key=len), *param.secondary_opts])
    if param.opts[0] in _SHELL:
        return _entry(f"{head} [SHELL]", _SHELL[param.opts[0]])
    if param.is_flag:
        return _entry(head, param.help or "")
    choices = getattr(param.type, "choices", None)
    head += " " + (param.metavar or ("|".join(map(str, choices)) if choices else "TEXT"))
    default = param.default
    # One that is shown by another name.
    shown = param.show_default if isinstance(param.show_default, str) else isinstance(default, str) and default
    return _entry(head, f"{param.help or ''} [default:\0{shown}]" if shown else param.help or "")


def _entry(head: str, text: str) -> str:
    """A name, and its text in the lines below."""
    text = " ".join(text.split())
    if len(head) <= _COLUMN - 4 and text:
        first, *rest = _wrapped(text, " " * _COLUMN).splitlines()
        return "\n".join([f"  {head}".ljust(_COLUMN) + first[_COLUMN:], *rest])
    return f"  {head}\n{_wrapped(text, ' ' * _COLUMN)}" if text else f"  {head}"


def _wrapped(text: str, margin: str = "", later: str | None = None) -> str:
    lines = textwrap.fill(
        text,
        WIDTH,
        initial_indent=margin,
        subsequent_indent=margin if later is None else later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace("\0", " ")


SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def complete(ctx: typer.Context, incomplete: str) -> list[str]:
    """Objects behind a path, fields behind an object."""
    words = list(ctx.params.get("words") or ())
    if not words:
        return []
    given = {name: ctx.params[name] for name in ("operator_version", "target", "namespace") if ctx.params.get(name)}
    objects = compile_paths([words[0]], Options(**given), Findings())
    if len(words) == 1:
        return [title for title in object_titles(objects) if title.startswith(incomplete.lower())]
    try:
        return field_completions(objects[find_object(objects, words[1])], incomplete)
    except Unknown:
        return []


def releases(incomplete: str) -> list[str]:
    return [name for name in (*RELEASES, "latest") if name.startswith(incomplete)]


def kinds(ctx: typer.Context, incomplete: str) -> list[str]:
    release = get_release(ctx.params.get("operator_version") or "latest").name
    names = sorted({kind for found in load(release)["kinds"].values() for kind in found})
    return [name for name in names if name.startswith(incomplete)]


def print_script(shell: str) -> None:
    """Print the completion script of a shell. Raises UsageError for a shell that has none."""
    shared = _shared(shell, "--show-completion")
    script = shared.get_completion_script(prog_name="dynamoc", complete_var="_DYNAMOC_COMPLETE", shell=shell)
    write_stdout(script + "\n")


def install_script(shell: str) -> None:
    """Put the completion script of a shell where it reads it. Raises UsageError for a shell that has none."""
    _, path = _shared(shell, "--install-completion").install(
        shell=shell, prog_name="dynamoc", complete_var="_DYNAMOC_COMPLETE"
    )
    write_stdout(f"The completion for {shell} is in {path}; start a new shell to use it.\n")


def _shared(shell: str, flag: str) -> Any:
    if shell not in SHELLS:
        raise UsageError(f"{flag} {shell} is not supported; use one of {', '.join(SHELLS)}.")

    return import_module("typer._completion_shared")

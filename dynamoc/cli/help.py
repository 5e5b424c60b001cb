"""`--help`: usage, examples, and each option above its text, in 80 columns and without cutting anything."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import Any

from typer.core import TyperCommand, TyperGroup

from dynamoc.cli.examples import EXAMPLES

WIDTH = 80
_INDENT = "      "
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
        parts.append("Examples:\n" + "\n".join(f"  {_as_typed(line)}" for line in EXAMPLES[name]))
    if isinstance(command, Group):
        parts.append(_commands(command, ctx))
    parts += [f"{title}:\n" + "\n".join(map(_option, options)) for title, options in _groups(command, ctx).items()]
    parts += _paragraphs(command.epilog or "")
    return "\n\n".join(parts) + "\n"


def _as_typed(example: str) -> str:
    return example.replace("dynamoc ", f"{program()} ", 1)


def _usage(command: Any, ctx: Any) -> str:
    words = [ctx.command_path, "[OPTION]..."]
    words += [param.metavar or param.name.upper() for param in command.params if param.param_type_name == "argument"]
    if isinstance(command, Group):
        words.append("COMMAND ...")
    return textwrap.fill(f"Usage: {' '.join(words)}", WIDTH, subsequent_indent=_INDENT, break_on_hyphens=False)


def _paragraphs(text: str) -> list[str]:
    return [_wrapped(" ".join(paragraph.split())) for paragraph in text.split("\n\n") if paragraph.strip()]


def _commands(group: Any, ctx: Any) -> str:
    entries = []
    for name in group.list_commands(ctx):
        text = (group.get_command(ctx, name).help or "").partition("\n\n")[0]
        entries.append(_entry(name, text))
    return "\n".join(["Commands:", *entries])


def _groups(command: Any, ctx: Any) -> dict[str, list[Any]]:
    """Arguments, then options by their group; `--help` and the like come last."""
    groups: dict[str, list[Any]] = {"Arguments": []}
    rest: list[Any] = []
    for param in command.get_params(ctx):
        if param.param_type_name == "argument":
            groups["Arguments"].append(param)
        elif title := getattr(param, "rich_help_panel", None):
            groups.setdefault(title, []).append(param)
        else:
            rest.append(param)
    groups["Options"] = rest
    return {title: params for title, params in groups.items() if params}


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
    return f"  {head}\n{_wrapped(text, _INDENT)}" if text else f"  {head}"


def _wrapped(text: str, margin: str = "") -> str:
    lines = textwrap.fill(
        text, WIDTH, initial_indent=margin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\0", " ")

"""`--help`: usage, examples, and each option above its text, in 80 columns and without cutting anything.

The examples that `--help` shows, by command; the empty name is `dynamoc` itself.

What the shell offers: releases, kinds, objects and their fields; files are left to the shell itself.
"""

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
from dynamoc.interfaces.cli.failure import UsageError, write_stdout
from dynamoc.reference.releases import RELEASES, get_release

EXAMPLES: dict[str, tuple[str, ...]] = {
    "": (
        "dynamoc render graph.yaml",
        "dynamoc validate graphs/",
        "dynamoc render --help",
    ),
    "render": (
        "dynamoc render -f graph.yaml --target grove",
        "dynamoc render graphs/ --output-dir rendered --check",
        "helm template charts/chat | dynamoc render - --default-namespace prod",
    ),
    "validate": (
        "dynamoc validate graphs/ --require-graphs",
        "dynamoc validate graph.yaml --context secrets.yaml --strict-context",
        "dynamoc validate graphs/ -o json",
    ),
    "check": (
        "dynamoc check graphs/",
        "dynamoc check graphs/ --fail-on warning -o sarif > dynamoc.sarif",
        "dynamoc check graphs/ --ignore check/floating-image --baseline known.json",
    ),
    "explain": (
        "dynamoc explain graph.yaml deployment/chat-frontend spec.replicas",
        "dynamoc explain graphs/ pod/chat-0-frontend-x2k4p --target grove",
        "dynamoc explain graph.yaml:12",
    ),
    "diff": (
        "dynamoc diff old.yaml new.yaml",
        "dynamoc diff main..HEAD -- graphs/",
        "dynamoc diff -o markdown main.. -- graphs/",
    ),
    "upgrade": (
        "dynamoc upgrade graphs/ --from 1.0 --to 1.4",
        "dynamoc upgrade graphs/ --from 1.0 --target grove --fail-on recreates",
    ),
    "requires": (
        "dynamoc requires graph.yaml",
        "dynamoc requires graphs/ --cluster prod --fail-on missing",
        "dynamoc requires graphs/ -o script | sh",
    ),
    "graph": (
        "dynamoc graph graph.yaml --target grove",
        "dynamoc graph graphs/ -o svg > graphs.svg",
    ),
    "report": (
        "dynamoc report graph.yaml -o report.html",
        "dynamoc report graphs/ --target grove -o report.html",
    ),
    "convert": (
        "dynamoc convert graph.yaml --to v1beta1",
        "dynamoc convert graphs/ --write",
        "dynamoc convert graphs/ --check",
    ),
    "capture": (
        "dynamoc capture | sh",
        "dynamoc capture --run -o cluster -n inference",
    ),
    "argocd": (
        "dynamoc argocd discover",
        "dynamoc argocd generate",
    ),
    "argocd discover": (
        "dynamoc argocd discover",
        "cd graphs && dynamoc argocd discover",
    ),
    "argocd generate": (
        "dynamoc argocd generate",
        "ARGOCD_APP_NAMESPACE=inference dynamoc argocd generate",
    ),
    "argocd parameters": (
        "dynamoc argocd parameters",
        "dynamoc argocd parameters | jq .",
    ),
    "fn": (
        "dynamoc fn < resources.yaml",
        "dynamoc fn < resources.yaml > /dev/null",
    ),
    "post-render": (
        "helm template charts/chat | dynamoc post-render",
        "helm template charts/chat | dynamoc post-render --default-namespace prod",
    ),
    "config": (
        "dynamoc config",
        "dynamoc config clusters/a/graph.yaml",
        "dynamoc config -o schema > dynamoc.schema.json",
    ),
    "lsp": (
        "dynamoc lsp",
        "DYNAMOC_OPERATOR_VERSION=1.4 dynamoc lsp",
    ),
    "schema": (
        "dynamoc schema",
        "dynamoc schema DynamoGraphDeployment --api-version v1beta1",
        "dynamoc schema --format kustomize --output-dir kustomize",
    ),
    "finding": (
        "dynamoc finding schema/unknown-field",
        "dynamoc finding",
        "dynamoc finding -o json",
    ),
    "rules": (
        "dynamoc rules",
        "dynamoc rules --operator-version 1.0 -o json",
    ),
    "rule": (
        "dynamoc rule container/defaults",
        "dynamoc rule container/defaults -o json",
    ),
    "release": (
        "dynamoc release list",
        "dynamoc release diff 1.0 1.4",
    ),
    "release list": (
        "dynamoc release list",
        "dynamoc release list -o json",
    ),
    "release diff": (
        "dynamoc release diff 1.0 1.4",
        "dynamoc release diff 1.3 1.4 -o json",
    ),
}


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

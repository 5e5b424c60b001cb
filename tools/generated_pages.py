"""The pages of the site that are made from tables: findings, rules, and the options of all commands.

Nothing of this is committed: `site/hooks.py` adds the pages, and fills the markers `<!-- generated: NAME -->` in docs/.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import fill

from dynamoc.compiler.explain.answer import Step, all_steps
from dynamoc.interfaces.cli.app import COMMAND_HELP
from dynamoc.interfaces.cli.command_line import GROUPS
from dynamoc.interfaces.cli.options import COMMANDS, LATEST, SWITCH, Option
from dynamoc.reference.findings import Entry, entries, markdown_of
from dynamoc.reference.releases import DEFAULT_RELEASE

#: what only readers of the repository need
_REPOSITORY = re.compile(r"<!-- repository -->.*?<!-- /repository -->\n*", re.DOTALL)
_MARKER = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def pages(link: Callable[..., str]) -> dict[str, str]:
    """Path below docs/ to text: a page for each group of findings, and of rules or builders.

    `link` opens a text in the playground, from a page.
    Raises Malformed and ValueError where an entry of the catalogue is not complete.
    """
    found = {}
    for page, group in _findings().items():
        name = f"findings/{page}.md"
        found[name] = _page(page, [_finding(entry, link, name) for entry in group])
    return {**found, **{f"rules/{page}.md": _page(page, list(map(_step, group))) for page, group in _rules().items()}}


def filled(text: str) -> str:
    """The text of a page with tables for its markers."""
    made = {"commands": _commands, "example": _example, "findings": _findings_table, "rules": _rules_table}
    return _MARKER.sub(lambda found: made[found[1]](), _REPOSITORY.sub("", text))


def _page(title: str, sections: list[str]) -> str:
    return "\n".join([f"# {title}", "", *sections]).rstrip() + "\n"


def _finding(entry: Entry, link: Callable[..., str], name: str) -> str:
    text, example = markdown_of(entry), entry.example
    others = {} if example is None else {**example.wrong.files}
    graph, cluster = others.pop("graph.yaml", None), others.pop("context.yaml", "")
    if example is None or graph is None or others:
        return text
    words = dict(zip(example.wrong.words, example.wrong.words[1:], strict=False))
    release, target = words.get("--operator-version", ""), words.get("--target", "auto")
    opened = link(graph, name, release=release, target=target, cluster=cluster)
    return f"{text}\n{opened}\n"


def _findings() -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries().values():
        groups.setdefault(entry.page, []).append(entry)
    return dict(sorted(groups.items()))


def _findings_table() -> str:
    lines = []
    for page, group in _findings().items():
        lines += [
            f"## [{page}](findings/{page}.md)",
            "",
            "| finding | severity | fixable | |",
            "| --- | --- | --- | --- |",
        ]
        for entry in group:
            name = f"[`{entry.slug}`](findings/{page}.md#{_anchor(entry.slug)})"
            lines.append(
                f"| {name} | {', '.join(entry.severities)} | {'yes' if entry.fix else ''} | {_cell(entry.summary)} |"
            )
        lines.append("")
    return "\n".join(lines)


def _rules() -> dict[str, list[Step]]:
    groups: dict[str, list[Step]] = {}
    for step in all_steps():
        groups.setdefault(_group(step), []).append(step)
    return groups


def _group(step: Step) -> str:
    first, second, *_ = step.name.split("/")
    if step.kind == "rule":
        return first
    if first in ("kube", "requests"):
        return "builders-names" if first == "kube" else "builders-requests"
    return f"builders-{second}" if second in ("alpha", "early", "hub", "snapshots", "standalone") else "builders"


def _rules_table() -> str:
    lines = ["| page | |", "| --- | --- |"]
    for page, group in _rules().items():
        names = (f"[`{step.name}`](rules/{page}.md#{_anchor(step.name)})" for step in group)
        lines.append(f"| [{page}](rules/{page}.md) | {', '.join(names)} |")
    return "\n".join(lines)


def _step(step: Step) -> str:
    lines = [f"## {step.name}", "", step.text, "", f"Releases: {', '.join(step.releases)}."]
    if step.source_only:
        lines.append(f"Not compared with recorded output: {', '.join(step.source_only)}.")
    if step.source:
        lines.append(fill(f"Operator: `{step.source}`.", 120, break_long_words=False, break_on_hyphens=False))
    return "\n".join([*lines, ""])


def _commands() -> str:
    lines = ["## Commands", "", "| command | |", "| --- | --- |"]
    shown = {name: text.partition("\n")[0] for name, text in COMMAND_HELP.items() if name != "validate"}
    lines += [f"| `dynamoc {name}` | {text} |" for name, text in shown.items()]
    lines += ["", "## Options", ""]
    users: dict[tuple[str, str], tuple[Option, list[str]]] = {}
    for command, options in COMMANDS.items():
        for option in options:
            if not option.hidden and command not in ("validate", "plugin helm"):
                key = option.flags[-1], option.help
                users.setdefault(key, (option, []))[1].append(command)
    lines += ["| option | of | |", "| --- | --- | --- |"]
    lines += [_option(option, commands) for _, (option, commands) in sorted(users.items())]
    lines += ["", "## Groups for `--deny`, `--warn` and `--allow`", "", "| group | |", "| --- | --- |"]
    for names, text in GROUPS.items():
        lines.append(f"| {', '.join(f'`{name}`' for name in names.split('|'))} | {_cell(text)} |")
    return "\n".join(lines)


def _option(option: Option, commands: list[str]) -> str:
    value = "" if option.kind == SWITCH else f" {option.metavar or '|'.join(option.choices)}"
    default = DEFAULT_RELEASE if option.default == LATEST else option.default
    shown = f" Default: `{default}`." if isinstance(default, str) else ""
    names = ", ".join(f"`{flag}`" for flag in (*option.flags[:-1], f"{option.flags[-1]}{_cell(value)}"))
    return f"| {names} | {'all' if len(commands) > 7 else ', '.join(commands)} | {_cell(option.help)}{shown} |"


def _example() -> str:
    """What `tools/site.py` puts beside the page of reports."""
    return "![The graph of examples/llama.yaml](example.svg)\n\n[The page of that graph](example.html){target=_blank}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _anchor(title: str) -> str:
    """The anchor of a heading, as Python-Markdown makes it."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())

"""Writes docs/reference.md from the tables of commands and options: `python -m tools.reference_page`."""

from __future__ import annotations

from pathlib import Path

from dynamoc.interfaces.cli.app import COMMAND_HELP
from dynamoc.interfaces.cli.command_line import GROUPS
from dynamoc.interfaces.cli.option_table import LATEST, SWITCH, Option
from dynamoc.interfaces.cli.options import COMMANDS
from dynamoc.reference.releases import DEFAULT_RELEASE

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"
HEAD = """\
<!-- Written by `python -m tools.reference_page`; edit the tables in `dynamoc/interfaces/cli` instead. -->

# Commands, options, formats, exit codes

Files, directories, patterns such as `'graphs/**/*.yaml'`, or `-` for stdin are input of all commands. All inputs of a
run are one cluster. Every option can stand in a [settings file](settings.md) or in a variable, `DYNAMOC_TARGET=grove`,
unless it decides where output goes.

## Commands

"""
TAIL = """
## Targets

| target | the cluster has | workers of several nodes become |
| --- | --- | --- |
| `grove` | Grove | cliques of a PodCliqueSet |
| `lws` | LeaderWorkerSet and Volcano, no Grove | LeaderWorkerSets |
| `plain` | neither | rejected, as the operator rejects them |
| `auto` | what `--cluster` shows | what the operator would decide; LeaderWorkerSets if nothing is known |

A note says once what `auto` decides, and why, if a component has several nodes.

## Formats of findings

stderr has errors, warnings and notes, sorted, each with its place, the line, what to write instead, and its name in
brackets. dynamoc never shows what Secrets hold, nor values of variables such as `HF_TOKEN`.

| `--findings` | |
| --- | --- |
| `text` | one finding for all places that share it; colour on a terminal (`--color`, `NO_COLOR`) |
| `json` | `{"format": "dynamoc-findings", "version": 1, "counts", "findings"}`; `dynamoc schema --report findings` |
| `github` | workflow commands: GitHub shows 10 of each severity beside the lines of a pull request |
| `sarif` | SARIF 2.1.0, for code scanning and editors |
| `junit`, `gitlab`, `checkstyle` | a test report; a code quality report; XML for reviewdog and others |

`check -o FORMAT` prints a report on stdout. JSON may get new keys; `version` rises when a key changes its meaning.

## Output

stdout holds objects only, in an order that can be applied. `--output-dir` replaces files as a whole: DIR is the old
state or the new one, even if the run is killed. dynamoc removes files of objects that are gone, by the index in DIR,
and never touches files that it did not write ([how](how-to/rendered-directory.md)).

## Exit codes

| code | `render`, `check` and others | `diff`, `upgrade`, `convert --check` |
| --- | --- | --- |
| 0 | done; there may be warnings | same; no outcome that `--deny` names |
| 1 | errors in the input, or findings that `--deny` names | different; an outcome that `--deny` covers |
| 2 | wrong usage, a missing path, output that cannot be written | the same, and errors that prevent the comparison |
| 3 | a bug of dynamoc; the message says what to report | the same |

Ctrl-C exits with 130, a closed pipe with 141.
"""


def page() -> str:
    lines = ["| command | |", "| --- | --- |"]
    lines += [f"| `dynamoc {name}` | {text.partition(chr(10))[0]} |" for name, text in COMMAND_HELP.items()]
    lines += ["", "## Options", ""]
    users: dict[tuple[str, str], tuple[Option, list[str]]] = {}
    for command, options in COMMANDS.items():
        for option in options:
            if not option.hidden and command not in ("validate", "plugin helm"):
                key = option.flags[-1], option.help
                users.setdefault(key, (option, []))[1].append(command)
    lines += ["| option | of | |", "| --- | --- | --- |"]
    lines += [_row(option, commands) for _, (option, commands) in sorted(users.items())]
    lines += ["", "## Groups for `--deny`, `--warn` and `--allow`", "", "| group | |", "| --- | --- |"]
    for names, text in GROUPS.items():
        lines.append(f"| {', '.join(f'`{name}`' for name in names.split('|'))} | {text} |")
    return HEAD + "\n".join(lines) + "\n" + TAIL


def _row(option: Option, commands: list[str]) -> str:
    value = "" if option.kind == SWITCH else f" {option.metavar or '|'.join(option.choices)}".replace("|", "\\|")
    default = DEFAULT_RELEASE if option.default == LATEST else option.default
    shown = f" Default: `{default}`." if isinstance(default, str) else ""
    flags = ", ".join(f"`{flag}`" for flag in option.flags[:-1])
    name = f"{flags}{', ' if flags else ''}`{option.flags[-1]}{value}`"
    of = "all" if len(commands) > 7 else ", ".join(commands)
    return f"| {name} | {of} | {option.help.replace('|', chr(92) + '|')}{shown} |"


if __name__ == "__main__":
    PAGE.write_text(page())

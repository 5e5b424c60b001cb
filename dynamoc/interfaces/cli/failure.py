"""What a command prints beside its output: findings, bugs, wrong usage, progress; and its exit code.

0 done; 1 errors in the input; 2 wrong usage, no such file, or output that cannot be written; 3 a bug of dynamoc.
Commands that compare say 1 for a difference, and 2 for errors that keep them from comparing.
A closed pipe and Ctrl-C end it quietly with what a shell reports for the signal: 141 and 130.
"""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TextIO

from dynamoc import __version__
from dynamoc.analysis.blocks import GITHUB_LIMIT, GITLAB_LIMIT, Block, plain_text, terminal_text
from dynamoc.analysis.fixes import attach
from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding, Findings
from dynamoc.documents.findings.formats import format_as
from dynamoc.documents.findings.text import Excerpts, ReadText, format_text
from dynamoc.documents.source.files import text_again
from dynamoc.documents.source.found import tell_passed_over, tell_skipped
from dynamoc.documents.source.processes import can_fork
from dynamoc.documents.source.secrets import Confidential, conceal
from dynamoc.interfaces.cli.options import Values

DONE = 0
ERRORS = 1
USAGE = 2
IMPOSSIBLE = 2
BUG = 3
INTERRUPTED = 130
#: columns of what is written for people
WIDTH = 80
BROKEN_PIPE = 141


#: packages that the light install lacks; `render` and `validate` need none of them
OPTIONAL = ("click", "jsonschema", "pydantic", "rich", "ruamel", "typer")
#: the name that pip knows, if it is another one
_INSTALLED_AS = {"ruamel": "ruamel.yaml", "click": "typer"}
#: packages of the language server, which only the extras `lsp` and `all` have
EDITORS = ("lsprotocol", "pygls")


class UsageError(Exception):
    """The command line asks for something that cannot be done; the message is a full sentence for the user."""


class Stop(Exception):
    """All has been said, and the command ends with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def guarded(action: Callable[[], int]) -> int:
    """The exit code of `action`, which never ends in a traceback."""
    try:
        return action()
    except Stop as stop:
        return stop.code
    except UsageError as error:
        _say(f"dynamoc: error: {error}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return BROKEN_PIPE
    except OSError as error:
        subject = f"{error.filename}: " if error.filename else ""
        _say(f"dynamoc: error: {subject}{error.strerror or error}")
        return USAGE
    except Exception as error:
        package = error.name.partition(".")[0] if isinstance(error, ModuleNotFoundError) and error.name else ""
        if package in (*OPTIONAL, *EDITORS):
            _say(f"dynamoc: error: {_needs(package)}")
            return USAGE
        report_bug(error)
        return BUG


def _needs(package: str) -> str:
    if package in EDITORS:
        return "dynamoc lsp needs the package pygls, which is not installed. Install it: pip install pygls"
    what = "What you asked for needs"
    if package in ("click", "typer"):
        what = "Help, messages about wrong options, and most commands besides render, validate and diff need"
    name = _INSTALLED_AS.get(package, package)
    return f"{what} the package {package}, which is not installed. Install it: pip install {name}"


def report_bug(error: Exception, subject: str | None = None) -> None:
    """Say that dynamoc itself is wrong, and what a report needs; the traceback only where it is asked for."""
    if os.environ.get("DYNAMOC_DEBUG") == "1":
        traceback.print_exception(error)

    about = f" while compiling {subject}" if subject else ""
    _say(
        f"dynamoc: bug: {type(error).__name__} in {_origin(error)}{about}: {error}\n"
        "  This is a fault of dynamoc, not of your input. Please report it to its maintainers with the input,\n"
        "  the command line, and the output of the same command with DYNAMOC_DEBUG=1 set.\n"
        f"  dynamoc {__version__}, Python {'.'.join(map(str, sys.version_info[:3]))}, {sys.platform}"
    )


def _origin(error: Exception) -> str:
    """`rules/env.py:12`: the innermost line of dynamoc that the error came through."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    found = "dynamoc"
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(package):
            found = f"{os.path.relpath(file, package)}:{step.tb_lineno}"
        step = step.tb_next
    return found


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr)
    except OSError:
        _abandon_output()


def _abandon_output() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere instead of complaining."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def write_stdout(*texts: str) -> None:
    """UTF-8 whatever the locale says; bytes of file names that are no text are escaped.

    Raises BrokenPipeError where the reader has gone, OSError on a full disk.
    """
    try:
        with open(1, "wb", closefd=False) as stdout:
            stdout.writelines(text.encode(errors="backslashreplace") for text in texts)
    except OSError as error:
        if error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno, error.strerror, "stdout") from None


def print_blocks(blocks: Iterable[Block], choice: str) -> None:
    """With styles on a terminal, or where colour is asked for; bare text elsewhere."""
    write_stdout(terminal_text(blocks) if _wants_colour(choice) else plain_text(blocks))


def print_table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    """In columns on a terminal; elsewhere with tabs, for programs."""
    if not sys.stdout.isatty():
        write_stdout("".join("\t".join(row) + "\n" for row in (head, *rows)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for title in head:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def limit_of(values: Values) -> int:
    """The value of --max-chars. Raises UsageError for anything that is no length."""
    named = {"github": GITHUB_LIMIT, "gitlab": GITLAB_LIMIT}
    choice = values["max_chars"]
    if choice in named:
        return named[choice]
    if not choice.isdecimal() or int(choice) < 1000:
        raise UsageError(
            f"--max-chars {choice} is not valid: give github, gitlab, or a number of characters, at least 1000."
        )
    return int(choice)


def _wants_colour(choice: str) -> bool:
    """https://no-color.org: NO_COLOR counts where it is not empty, and an explicit option is stronger."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def report(
    findings: Findings,
    values: Values,
    closing: str | None = None,
    *,
    read: ReadText | None = None,
    looked_at: bool = False,
) -> None:
    """Print the findings, and, except in JSON, a closing remark about the run. `read` finds the text for excerpts.

    With `looked_at`, JSON says what the run looked at.
    """
    style = values["findings"]
    findings = _meant(findings, values)
    if values.get("quiet"):
        closing = None
    text_of, hidden = without_secrets(findings, read)
    if style == "text":
        if findings.items:
            text = format_text(
                findings.items, text_of, hidden, colour=wants_colour(values["color"]), width=terminal_width(sys.stderr)
            )
            sys.stderr.write(text if not values.get("quiet") else text[: text.rindex("\n", 0, -1) + 1])
        if closing:
            sys.stderr.write(closing + "\n")
        return
    told = _formatted(style, findings, text_of, hidden, looked_at=looked_at)
    # To a runner that looks for commands, any other line is a line of the log.
    sys.stderr.write(told + (f"{closing}\n" if closing and style == "github" else ""))


def visible(findings: list[Finding], values: Values) -> list[Finding]:
    """What a run shows to people: without notes that ask for nothing, unless they were asked for."""
    if values.get("quiet"):
        return [each for each in findings if each.severity == ERROR]
    asked = values.get("verbose") or values.get("select") or values.get("fail_on") == NOTE
    return findings if asked else [each for each in findings if not each.aside]


def _meant(findings: Findings, values: Values) -> Findings:
    """The findings to write; those that are data keep their notes."""
    if values["findings"] != "text" and not values.get("quiet"):
        return findings
    return findings.of(visible(findings.items, values))


def terminal_width(stream: TextIO) -> int | None:
    """The columns of the terminal that a stream writes to; None where it is a pipe or a file."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream.isatty() else None
    except OSError:
        return None


def formatted(findings: Findings, style: str) -> str:
    """The findings in a format for programs, with what the run looked at."""
    return _formatted(style, findings, *without_secrets(findings), looked_at=True)


def _formatted(
    style: str, findings: Findings, text_of: ReadText, hidden: Mapping[str, Confidential], *, looked_at: bool
) -> str:
    _attach_fixes(findings, style, text_of, hidden)
    inputs = findings.inputs.record() if looked_at else None
    return format_as(style, findings.items, Excerpts(text_of, hidden), inputs, findings.inputs.part)


def _attach_fixes(findings: Findings, style: str, text_of: ReadText, hidden: Mapping[str, Confidential]) -> None:
    """Gives the findings their edits, for formats that carry them; not those that would show a secret."""
    if style not in ("json", "jsonl", "sarif") or not findings.items:
        return

    # What is piped has no file that could be edited.
    attach([each for each in findings.items if each.place is not None and each.place.file != "-"], text_of)
    for finding in findings.items:
        fix, secrets = finding.fix, hidden.get(finding.place.file) if finding.place is not None else None
        if fix is None or secrets is None:
            continue
        if any(secrets.hides(each.line - 1) or secrets.redacted(each.new_text) != each.new_text for each in fix.edits):
            finding.fix = None


def without_secrets(findings: Findings, read: ReadText | None = None) -> tuple[ReadText, dict[str, Confidential]]:
    """Hides secrets in the findings; how the text of a file is found, and what of it must not be shown."""

    def text_of(file: str) -> str | None:
        if file in findings.texts:
            return _text(findings.texts[file])

        return (read or text_again)(file)

    if not findings.items:
        return text_of, {}

    return text_of, conceal(findings.items, text_of, findings.documents)


def _text(data: bytes) -> str | None:
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None


def wants_colour(choice: str) -> bool:
    """https://no-color.org: NO_COLOR counts where it is not empty, and an explicit option is stronger."""
    if choice != "auto":
        return choice == "always"
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


_HINT = "Give files with a DynamoGraphDeployment or a DynamoComponentDeployment."


def conclude(findings: Findings, values: Values) -> None:
    """Ends the progress line; adds findings about files that were skipped, and about an input without any graph."""
    if findings.progress is not None:
        findings.progress.stop()
    if values.get("jobs", "auto") not in ("1", "auto"):
        _tell_one_process(findings, values)
    findings.set_levels(values.get("levels") or {})
    inputs = findings.inputs
    if inputs.skipped:
        tell_skipped(findings)
    if inputs.passed_over:
        tell_passed_over(findings)
    required = values["require_graphs"]
    if values.get("all_files") and not required:
        # Objects of a cluster are what was asked for.
        return
    if inputs.graphs or (inputs.compiled and not required) or (findings.errors and not required):
        return
    severity = ERROR if required else WARNING
    message = f"No graph found in {', '.join(values['paths'])}."
    findings.add(Finding("input/no-graph", message, severity=severity, hint=_HINT))
    findings.set_levels(values.get("levels") or {})


def _tell_one_process(findings: Findings, values: Values) -> None:
    reason = None if can_fork() else "this system cannot fork processes"
    if values.get("layout", "per-input") != "per-input":
        reason = reason or "without --layout per-input, one process compiles all inputs"
    if reason is not None:
        findings.add(Finding("input/one-process", f"--jobs has no effect: {reason}.", hint="Leave --jobs out."))


class Progress:
    """A bar on stderr from the first step on, which `stop` takes away without a trace."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        self._task = self._bar.add_task("", total=None)
        # However the run ends, the terminal gets its cursor back.
        atexit.register(self.stop)
        self._bar.start()

    def step(self, what: str, done: int, total: int) -> None:
        """`done` of `total` steps of one stage are over; stages follow each other."""
        self._bar.update(self._task, description=what, completed=done, total=total)

    def stop(self) -> None:
        self._bar.stop()

"""Findings to stderr, in the format and the colours that the command line asks for.

What is said of the inputs as a whole, once all of them have been read.

A line on the terminal that says how far a run over many files is. Loaded only where there are many, for rich.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from dynamoc.analysis.fixes.plan import attach
from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding, Findings
from dynamoc.documents.findings.formats import format_as
from dynamoc.documents.findings.text import Excerpts, ReadText, format_text
from dynamoc.documents.source.files import text_again
from dynamoc.documents.source.found import tell_passed_over, tell_skipped
from dynamoc.documents.source.processes import can_fork
from dynamoc.documents.source.secrets import Confidential, conceal
from dynamoc.interfaces.cli.option_table import Values


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
    # To a runner that looks for commands, a line that is none is a line of the log.
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
    return format_as(style, findings.items, Excerpts(text_of, hidden), findings.inputs.record() if looked_at else None)


def _attach_fixes(findings: Findings, style: str, text_of: ReadText, hidden: Mapping[str, Confidential]) -> None:
    """Gives the findings their edits, for formats that carry them; not those that would show a secret."""
    if style not in ("json", "sarif") or not findings.items:
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
    if values.get("jobs", "1") != "1":
        _tell_one_process(findings)
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


def _tell_one_process(findings: Findings) -> None:
    if not can_fork():
        message = "--jobs has no effect: this system cannot fork processes."
        findings.add(Finding("input/one-process", message, hint="Leave --jobs out."))


class Progress:
    """A bar on stderr from the first step on, which `stop` takes away without a trace."""

    def __init__(self) -> None:
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

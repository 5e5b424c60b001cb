"""Findings as diagnostics of the newest text, and what an editor offers to do about them."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
    Position,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from dynamoc.interfaces.lsp.documents import Document, uri_of
from dynamoc.interfaces.lsp.processes import Unanswered, Worker
from dynamoc.interfaces.lsp.spans import Span
from dynamoc.reference.findings import entries, markdown_of

SOURCE = "dynamoc"
_SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}


@dataclass(eq=False)
class Pages:
    """The description of each finding as a file, which the link of its diagnostic opens without a network.

    The files are gone when the server ends.
    """

    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, init=False)
    _links: dict[str, str | None] = field(default_factory=dict, init=False)

    def link(self, slug: str) -> str | None:
        """The address of the page; None where no file can be written."""
        if slug not in self._links:
            try:
                self._links[slug] = self._written(slug)
            except OSError:
                self._links[slug] = None
        return self._links[slug]

    def _written(self, slug: str) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="dynamoc-findings-")
        page = Path(self._folder.name) / f"{slug.replace('/', '.')}.md"
        page.write_text(markdown_of(entries()[slug]) + "\n", encoding="utf-8")
        return page.as_uri()


def diagnostics_of(findings: list[dict[str, Any]], document: Document, pages: Pages) -> list[Diagnostic]:
    """In the order of the findings; what has no line in this text is on its first one."""
    return [_diagnostic(finding, document, pages) for finding in findings]


def _diagnostic(finding: dict[str, Any], document: Document, pages: Pages) -> Diagnostic:
    hint = finding.get("hint")
    slug = finding["slug"]
    link = pages.link(slug) if slug else None
    return Diagnostic(
        range=_range(finding, document),
        message=finding["message"] + (f"\nhint: {hint}" if hint else ""),
        severity=_SEVERITIES[finding["severity"]],
        code=slug,
        code_description=CodeDescription(link) if link else None,
        source=SOURCE,
        tags=_tags(slug or ""),
        related_information=[_related(place, document) for place in finding["related"]] or None,
        data=finding.get("fix"),
    )


def _tags(slug: str) -> list[DiagnosticTag] | None:
    """What editors show faded, or struck through."""
    if "ignored" in slug or slug == "check/useless-comment":
        return [DiagnosticTag.Unnecessary]
    return [DiagnosticTag.Deprecated] if "deprecated" in slug else None


def _related(place: dict[str, Any], document: Document) -> DiagnosticRelatedInformation:
    """Another place of a finding; in another file, as exact as can be said without reading it."""
    if place["file"] == document.path:
        where = Location(document.uri, _range(place, document))
    else:
        at = Position(place["line"], place["column"])
        where = Location(uri_of(place["file"]), Range(at, at))
    return DiagnosticRelatedInformation(where, "See also here.")


def _range(place: dict[str, Any], document: Document) -> Range:
    """The word at a place: a key, a scalar with its quotes, or what is left of a line."""
    if "line" not in place:
        return document.lines.range(0, 0, len(document.lines.texts[0]))
    line, column = place["line"], place["column"]
    return document.lines.range(line, column, _end(document, line, column))


def _end(document: Document, line: int, column: int) -> int:
    if line >= len(document.lines.texts):
        return column
    for entry in document.outline.entries_on(line):
        for span in (entry.key, entry.value):
            if span is not None and span.line == line and _start(span) == column:
                return span.end + len(span.quote)
    text = document.lines.texts[line]
    found = re.compile(r"[\[{].*?(?=\s+#|\s*$)|[^\s,\]}]+").match(text, column)
    return found.end() if found else min(column + 1, len(text))


def _start(span: Span) -> int:
    return span.start - len(span.quote)


Publish = Callable[[Document, list[dict[str, Any]]], None]

#: seconds without a key before a text is checked
DELAY = 0.15


class Checks:
    """Checks texts, each some time after its last change.

    texts    the texts that are open, by path
    publish  takes a text and what was found in it
    failed   takes what went wrong with that
    """

    def __init__(
        self,
        worker: Worker,
        texts: Callable[[], dict[str, str]],
        publish: Publish,
        failed: Callable[[Exception], None],
    ) -> None:
        self._worker = worker
        self._failed = failed
        self._texts = texts
        self._publish = publish
        self._tasks: dict[str, asyncio.Future[None]] = {}

    def start(self, document: Document, delay: float = DELAY) -> None:
        self.stop(document.uri)
        self._tasks[document.uri] = asyncio.ensure_future(self._run(document, delay))

    def stop(self, uri: str) -> None:
        """Whatever is found from now on in a text that was is not published."""
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _run(self, document: Document, delay: float) -> None:
        try:
            await self._check(document, delay)
        except Exception as error:
            self._failed(error)

    async def _check(self, document: Document, delay: float) -> None:
        await asyncio.sleep(delay)
        found: list[dict[str, Any]] = []
        if not document.is_template:
            question = {"what": "check", "path": document.path, "texts": self._texts() | {document.path: document.text}}
            try:
                found = await self._worker.ask(question)
            except Unanswered:
                # What an older text had may be wrong for this one.
                found = []
        self._publish(document, found)


#: a comment without a reason does nothing, so one is asked for where it is inserted
_REASON = "say why"


def actions(document: Document, diagnostics: list[Diagnostic]) -> Iterator[CodeAction]:
    """Fixes first."""
    ours = [each for each in diagnostics if each.source == SOURCE and isinstance(each.code, str)]
    for diagnostic in ours:
        yield from _fixes(document, diagnostic)
    for diagnostic in ours:
        if _may_be_ignored(diagnostic) and not document.is_json:
            yield from _comments(document, diagnostic)


def _fixes(document: Document, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    fix: Any = diagnostic.data
    if not isinstance(fix, dict) or not fix.get("edits"):
        return
    edits = []
    for each in fix["edits"]:
        start, end = (document.lines.position(line, column) for line, column in (each["start"], each["end"]))
        edits.append(TextEdit(Range(start, end), each["text"]))
    yield CodeAction(
        title=fix["title"],
        kind=CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=True,
        edit=WorkspaceEdit(changes={document.uri: edits}),
    )


def _may_be_ignored(diagnostic: Diagnostic) -> bool:
    """As `dynamoc check` has it: what the operator or the API server rejects is no matter of taste."""
    return diagnostic.severity != DiagnosticSeverity.Error or str(diagnostic.code).startswith("check/")


def _comments(document: Document, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    line, _ = document.lines.point(diagnostic.range.start)
    own = _line_of_its_entry(document, line)
    above = _first_line(document, line)
    if own is not None and own != above:
        yield _comment(document, diagnostic, own, "here")
    yield _comment(document, diagnostic, above, "in this document")


def _comment(document: Document, diagnostic: Diagnostic, line: int, where: str) -> CodeAction:
    text = document.lines.texts[line]
    indent = text[: len(text) - len(text.lstrip(" "))]
    at = Position(line, 0)
    comment = f"{indent}# dynamoc: ignore {diagnostic.code}: {_REASON}{document.line_end}"
    return CodeAction(
        title=f"Ignore {diagnostic.code} {where}, with a reason",
        kind=CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=WorkspaceEdit(changes={document.uri: [TextEdit(Range(at, at), comment)]}),
    )


def _line_of_its_entry(document: Document, line: int) -> int | None:
    """The line that the key or item around a line begins on, above which a comment is not a part of a text."""
    starts = [each.line for each in document.outline.part_at(line).entries if each.line <= line]
    while starts:
        start = starts.pop()
        if _begins_block(document, start):
            return start
    return None


def _begins_block(document: Document, line: int) -> bool:
    """Whether the first thing on a line is a key or item of a block, and no part of brackets."""
    text = document.lines.texts[line]
    indent = len(text) - len(text.lstrip(" "))
    first = min(document.outline.entries_on(line), key=lambda each: each.column)
    return first.column == indent and not text.lstrip().startswith(("{", "[", '"', "'", "}", "]"))


def _first_line(document: Document, line: int) -> int:
    """Where a comment is above all of a document."""
    part = document.outline.part_at(line)
    first = part.first
    return first + 1 if document.lines.texts[first].startswith("---") and first < part.last else first

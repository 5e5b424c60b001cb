"""What an editor offers to do about a finding: apply its fix, or leave it out with a comment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Diagnostic,
    DiagnosticSeverity,
    Position,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from dynamoc.lsp.diagnostics import SOURCE
from dynamoc.lsp.documents import Document

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
    """The line that the key or item around a line begins on, above which a comment is no part of a text."""
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

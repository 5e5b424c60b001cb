"""Findings as diagnostics."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
    Position,
    Range,
)

from dynamoc.lsp.documents import Document, uri_of
from dynamoc.lsp.spans import Span

SOURCE = "dynamoc"
_SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}


class Pages:
    """The description of each finding as a file, which the link of its diagnostic opens without a network.

    The files are gone when the server ends.
    """

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._links: dict[str, str | None] = {}

    def link(self, slug: str) -> str | None:
        """The address of the page; None where no file can be written."""
        if slug not in self._links:
            try:
                self._links[slug] = self._written(slug)
            except OSError:
                self._links[slug] = None
        return self._links[slug]

    def _written(self, slug: str) -> str:
        from dynamoc.diagnostics.catalog.entry import entries
        from dynamoc.diagnostics.catalog.words import markdown_of

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

"""Findings name the lines that editors show."""

from __future__ import annotations

import pytest

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text


def read(text: str) -> tuple[list[object], list[tuple[int, int]]]:
    findings = Findings()
    documents = read_text(text.encode(), "f.yaml", findings, objects=False)
    places = [(item.place.line, item.place.column) for item in findings.items if item.place]
    return [(document.value, document.place(("b",)).line) for document in documents], places


@pytest.mark.parametrize("end", ["\x85", "\u2028", "\u2029"])
def test_only_line_feeds_end_lines(end: str) -> None:
    documents, _ = read(f"a: 'x{end}y'\n# z{end}\nb: 1\n")
    assert [line for _, line in documents] == [3]
    _, places = read(f"a: 'x{end}y'\n# {end}{end}\nb: 1\nb: 2\n")
    assert places == [(4, 1)]
    _, places = read(f"a: 'x{end}y'\nb: `\n")
    assert places == [(2, 4)]


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
@pytest.mark.parametrize(
    ("text", "place"), [("a: 1\nb: [", (2, 5)), ("a: 1\nb: 'x", (2, 4)), ("a: 1\nb: {c: 1", (2, 4))]
)
def test_a_text_that_ends_too_early_ends_on_its_last_line(text: str, place: tuple[int, int], end: str) -> None:
    _, places = read(text + end)
    assert places == [place]

"""What was found in another process, as plain data, and the same in the process that asked for it."""

from __future__ import annotations

from typing import Any

from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Finding, Findings, Inputs, Place

_COUNTS = ("compiled", "files", "graphs", "others", "size")


class Found:
    """What findings hold before a task. `news` is what has come in addition, and `take` adds that.

    With `afresh`, the findings of earlier tasks are forgotten, as their news had them.
    """

    def __init__(self, findings: Findings, *, afresh: bool = False) -> None:
        if afresh:
            findings.items.clear()
        self._findings = findings
        self._told = len(findings.items)
        self._texts = set(findings.texts)
        self._counts = _counts(findings.inputs)
        self._skipped = {reason: len(files) for reason, files in findings.inputs.skipped.items()}
        self._passed_over = len(findings.inputs.passed_over)

    def news(self) -> tuple[Any, ...]:
        """As plain data."""
        findings, inputs = self._findings, self._findings.inputs
        return (
            [_plain(finding) for finding in findings.items[self._told :]],
            {file: data for file, data in findings.texts.items() if file not in self._texts},
            [new - old for new, old in zip(_counts(inputs), self._counts, strict=True)],
            {reason: files[self._skipped.get(reason, 0) :] for reason, files in inputs.skipped.items()},
            [_plain_place(place) for place in inputs.passed_over[self._passed_over :]],
        )

    def take(self, news: tuple[Any, ...]) -> None:
        found, texts, counts, skipped, passed_over = news
        findings, inputs = self._findings, self._findings.inputs
        for item in found:
            findings.add(_finding(item))
        findings.texts.update(texts)
        for name, number in zip(_COUNTS, counts, strict=True):
            setattr(inputs, name, getattr(inputs, name) + number)
        for reason, files in skipped.items():
            for file in files:
                inputs.skip(reason, file)
        inputs.passed_over += [Place(*place) for place in passed_over]


def size_of(news: tuple[Any, ...]) -> int:
    """The bytes that were read."""
    return int(news[2][_COUNTS.index("size")])


def _counts(inputs: Inputs) -> list[int]:
    return [getattr(inputs, name) for name in _COUNTS]


def _plain(finding: Finding) -> tuple[Any, ...]:
    place = None if finding.place is None else _plain_place(finding.place)
    related = [_plain_place(other) for other in finding.related]
    told = (finding.slug, finding.severity, finding.message, place, finding.hint)
    change = None if finding.change is None else finding.change.plain()
    return (*told, finding.path, finding.subject, related, finding.points, change, finding.made, finding.aside)


def _plain_place(place: Place) -> tuple[str, int, int, str | None]:
    return (place.file, place.line, place.column, place.source)


def _finding(data: tuple[Any, ...]) -> Finding:
    slug, severity, message, place, hint, path, subject, related, points, change, made, aside = data
    finding = Finding(
        slug,
        message,
        severity=severity,
        place=None if place is None else Place(*place),
        hint=hint,
        path=path,
        subject=subject,
        related=tuple(Place(*other) for other in related),
    )
    finding.points = points
    finding.made = made
    finding.aside = aside
    if change is not None:
        finding.change = Change(*change)
    return finding

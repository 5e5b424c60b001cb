"""What `dynamoc.diff` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamoc.compare.changed_input import ChangedLine
    from dynamoc.compare.conditions import Conditions
    from dynamoc.compare.renderings import Rendered
    from dynamoc.compare.result import Amount, Comparison, ObjectChange, RefusedUpdate
    from dynamoc.compare.uncompared import Skipped
    from dynamoc.diagnostics.finding import Finding


class Difference:
    """Two renderings side by side. It is true where something differs.

    objects   those that differ, in install order, each with its `changes`, its `effect` and its `parts`
    refused   changes of the input that the API server takes on creation only
    skipped   documents of the old side that could not be rendered
    findings  errors of the old side, and warnings and notes that the new side brings
    """

    __slots__ = ("_comparison", "_sides", "findings")

    def __init__(self, comparison: Comparison, findings: list[Finding], before: Rendered, after: Rendered) -> None:
        self._comparison = comparison
        self._sides = before, after
        self.findings = findings

    def __bool__(self) -> bool:
        return not self._comparison.same

    @property
    def objects(self) -> list[ObjectChange]:
        return self._comparison.objects

    @property
    def refused(self) -> list[RefusedUpdate]:
        return self._comparison.refused

    @property
    def skipped(self) -> list[Skipped]:
        return self._comparison.skipped

    @property
    def restarted(self) -> Amount:
        """Pods that restart, and their GPUs."""
        return self._comparison.total("restarted")

    @property
    def started(self) -> Amount:
        """New pods, and their GPUs."""
        return self._comparison.total("started")

    @property
    def stopped(self) -> Amount:
        """Pods that stop and are not replaced, and their GPUs."""
        return self._comparison.total("stopped")

    @property
    def lines(self) -> list[ChangedLine] | None:
        """What each changed line of the input costs; None where a side is an export of a cluster."""
        from dynamoc.compare.line_costs import line_costs

        if self._comparison.lines is None:
            self._comparison.lines = line_costs(*self._sides, self._comparison)
        return self._comparison.lines

    def _conditions(self) -> Conditions:
        from dynamoc.compare.conditions import Conditions, target_text

        after = self._sides[1]
        target = target_text(after.options.target, after.objects)
        return Conditions(after.options.release.name, target, self.findings)

    def to_dict(self) -> dict[str, Any]:
        """What `dynamoc diff -o json` prints below the names of the sides (docs/diff.md)."""
        from dynamoc.compare.line_words import line_records
        from dynamoc.compare.machine import FORMAT, VERSION, comparison_record

        options = self._sides[1].options
        head = {"format": FORMAT, "version": VERSION, "operatorVersion": options.release.name, "target": options.target}
        lines = None if self.lines is None else line_records(self.lines)
        return {**head, **comparison_record(self._comparison), "lines": lines}

    def to_text(self) -> str:
        """What `dynamoc diff` prints, without colours."""
        from dynamoc.compare.text import plain_text, text_lines

        self._comparison.lines = self.lines
        return plain_text(text_lines(self._comparison))

    def to_markdown(self, title: str = "dynamoc diff") -> str:
        """What `dynamoc diff -o markdown` prints."""
        from dynamoc.compare.markdown import markdown

        self._comparison.lines = self.lines
        return markdown(self._comparison, title, conditions=self._conditions())

"""What `dynamoc.diff` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamoc.compare.result import Amount, Comparison, ObjectChange, RefusedUpdate
    from dynamoc.compare.uncompared import Skipped
    from dynamoc.diagnostics.finding import Finding
    from dynamoc.options import Options


class Difference:
    """Two renderings side by side. It is true where something differs.

    objects   those that differ, in install order, each with its `changes`, its `effect` and its `parts`
    refused   changes of the input that the API server takes on creation only
    skipped   documents of the old side that could not be rendered
    findings  errors of the old side, and warnings and notes that the new side brings
    """

    __slots__ = ("_comparison", "_options", "findings")

    def __init__(self, comparison: Comparison, findings: list[Finding], options: Options) -> None:
        self._comparison = comparison
        self._options = options
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

    def to_dict(self) -> dict[str, Any]:
        """What `dynamoc diff -o json` prints below the names of the sides (docs/diff.md)."""
        from dynamoc.compare.machine import FORMAT, VERSION, comparison_record

        head = {"format": FORMAT, "version": VERSION, "operatorVersion": self._options.release.name}
        return {**head, "target": self._options.target, **comparison_record(self._comparison)}

    def to_text(self) -> str:
        """What `dynamoc diff` prints, without colours."""
        from dynamoc.compare.text import plain_text, text_lines

        return plain_text(text_lines(self._comparison))

    def to_markdown(self, title: str = "dynamoc diff") -> str:
        """What `dynamoc diff -o markdown` prints."""
        from dynamoc.compare.markdown import markdown

        return markdown(self._comparison, title)

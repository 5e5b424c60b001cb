"""From the scalar events of a YAML stream to scalars."""

from __future__ import annotations

from dynamoc.source.scalars import TAG_PREFIX, Unresolvable, json_value, resolve, resolve_tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.source.report import Report
    from dynamoc.source.scalars import Scalar


class ScalarReader:
    """Resolves the scalars of one text."""

    __slots__ = ("_has_slash", "_report", "_text")

    def __init__(self, text: str, report: Report) -> None:
        self._text = text
        self._report = report
        # Rare, so scalars are only searched for it where the text can hold it.
        self._has_slash = "\\/" in text

    def read(self, event: Any) -> Scalar:
        """The scalar as Go resolves it; None where it is refused."""
        text: str = event.value
        if event.tag is not None:
            return self._tagged(event)
        if event.style or not event.implicit[0]:
            if self._has_slash and event.style == '"':
                self._judge_escapes(event)
            return text
        return resolve(text)

    def json(self, value: float, event: Any) -> Scalar:
        """A float as the JSON value that it becomes; None where it is refused."""
        try:
            return json_value(value)
        except Unresolvable as problem:
            hint = "Quote the value if it is meant as a string."
            self._report.error(event.start_mark, "read/number", str(problem), hint)
            return None

    def judge_tag(self, event: Any) -> None:
        # A `!` alone says that the value is text, which is no surprise to anybody.
        if not event.tag.startswith(TAG_PREFIX) and event.tag != "!":
            message = f"Kubernetes does not know the tag `{event.tag}` and reads the value without it."
            self._report.warn(event.start_mark, "read/unknown-tag", message, "Remove the tag.")

    def _tagged(self, event: Any) -> Scalar:
        self.judge_tag(event)
        try:
            return resolve_tagged(event.tag, event.value)
        except Unresolvable as problem:
            hint = "Remove the tag, and quote the value if it is meant as a string."
            self._report.error(event.start_mark, "read/tag", str(problem), hint)
            return None

    def _judge_escapes(self, event: Any) -> None:
        """Go's YAML does not know the escape that JSON has for a slash; its JSON does."""
        source = self._text[event.start_mark.index : event.end_mark.index]
        if "\\/" in source.replace("\\\\", ""):
            message = "Kubernetes doesn't know the escape `\\/` in YAML."
            self._report.error(event.start_mark, "read/escape", message, "Write `/`.")

"""The input as it is written: files with their lines, what is secret left out, and what is to be told of each line."""

from __future__ import annotations

from dynamoc.report.html import Html, escaped, join, prose, tag
from dynamoc.source.confidential import Confidential

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from dynamoc.diagnostics.finding import Finding, Place

    ReadText = Callable[[str], str | None]

    class Linked(Protocol):
        """What knows the lines of files on the page."""

        def link(self, place: Place | None, text: str | None = None) -> Html | None:
            """A place as a link to its line, None without one."""


_HIDDEN = "(hidden)"
#: files that are open when the page is, and those with findings, where these are few
_OPEN, _OPEN_NOTED = 3, 10


class Sources:
    """The files of the input, numbered in their order. `read` gives the text of one.

    Identifiers of lines begin with `letter`.
    """

    def __init__(self, files: Iterable[str], read: ReadText, letter: str = "i") -> None:
        self._letter = letter
        self.files = list(dict.fromkeys(files))
        self._numbers = {file: number for number, file in enumerate(self.files)}
        self._confidential = {file: Confidential(file, read(file)) for file in self.files}
        self._secretive = [hidden for hidden in self._confidential.values() if hidden.has_secrets]
        self._notes: dict[tuple[str, int], list[Html]] = {}

    def lines(self, file: str) -> list[str]:
        """The lines of a file as they may be shown."""
        hidden = self._confidential[file]
        lines = hidden.lines[:-1] if hidden.lines and not hidden.lines[-1] else hidden.lines
        return [_HIDDEN if hidden.hides(at) else hidden.redacted(line) for at, line in enumerate(lines)]

    def redacted(self, text: str) -> str:
        """A text of the output without what is secret in the input."""
        for hidden in self._secretive:
            text = hidden.redacted(text)
        return text

    def number(self, place: Place) -> int | None:
        return self._numbers.get(place.file)

    def anchor(self, place: Place) -> str | None:
        """The identifier of a line on the page."""
        number = self._numbers.get(place.file)
        return None if number is None else f"{self._letter}{number}-{place.line}"

    def link(self, place: Place | None, text: str | None = None) -> Html | None:
        """A place as a link to its line."""
        if place is None:
            return None
        anchor, shown = self.anchor(place), text or f"{place.file}:{place.line}"
        return tag("a", shown, href=f"#{anchor}", class_="to") if anchor else join(shown)

    def note(self, place: Place | None, note: Html) -> None:
        """Puts a remark below a line."""
        if place is not None and place.file in self._numbers:
            self._notes.setdefault((place.file, place.line), []).append(note)

    def note_findings(self, findings: list[Finding]) -> None:
        for item in findings:
            text = join(tag("b", item.severity), " ", prose(item.message), " ", tag("code", item.slug))
            self.note(item.place, tag("div", text, class_=f"remark {item.severity}"))

    def notes(self, file: str, line: int) -> list[Html]:
        return self._notes.get((file, line), [])

    def html(self) -> Html:
        """All files."""
        noted: dict[str, int] = {}
        for (file, _), notes in self._notes.items():
            noted[file] = noted.get(file, 0) + len(notes)
        opened = {*self.files[:_OPEN], *(noted if len(noted) <= _OPEN_NOTED else ())}
        return join(
            *(
                self._file(number, file, noted.get(file, 0), is_open=file in opened)
                for number, file in enumerate(self.files)
            )
        )

    def _file(self, number: int, file: str, notes: int, *, is_open: bool) -> Html:
        lines = [self._line(number, file, at, text) for at, text in enumerate(self.lines(file), 1)]
        body = tag("div", *lines, class_="code", role="group", aria_label=f"Lines of {file}")
        count = tag("span", notes, class_="badge", title="remarks") if notes else None
        return tag("details", tag("summary", tag("code", file), count), body, class_="file", open=is_open)

    def _line(self, number: int, file: str, at: int, text: str) -> Html:
        # A page has more of these than of all else.
        name = f"{self._letter}{number}-{at}"
        line = f'<div class="l" id="{name}" tabindex="-1"><i>{at}</i><span>{escaped(text)}</span></div>'
        return join(Html(line), *self.notes(file, at))

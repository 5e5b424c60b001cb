"""Two texts side by side, as the rows of a table."""

from __future__ import annotations

from dynamoc.compare.opcodes import grouped, opcodes
from dynamoc.compare.text import effect_text, object_name
from dynamoc.compare.unified import field_of, texts_of
from dynamoc.report.html import Html, join, tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamoc.compare.opcodes import Opcode
    from dynamoc.compare.result import ObjectChange
    from dynamoc.diagnostics.finding import Place
    from dynamoc.report.sources import Sources

    Redact = Callable[[str], str]

#: so many unchanged lines in a row are folded, but for some around what differs
_FOLDED, _AROUND = 20, 3


def object_details(item: ObjectChange, redacted: Redact) -> Html:
    """An object that differs: what happens to it, its notes, and what changes."""
    effect = "stays" if item.changes and not any(change.applied for change in item.changes) else item.effect
    head = tag("summary", tag("code", object_name(item)), tag("span", effect_text(item), class_=f"badge {effect}"))
    notes = dict.fromkeys(change.note for change in item.changes if change.note)
    remarks = tag("ul", *(tag("li", note, class_="faint") for note in notes)) if notes else None
    if item.old is None or item.new is None:
        return tag("details", head, remarks, _whole(item, redacted), class_="change")
    old, new = texts_of(item)
    body = []
    for group in grouped(opcodes(old.lines, new.lines)):
        body.append(tag("tr", tag("th", field_of(group, old, new) or object_name(item), colspan="4", scope="rowgroup")))
        body += _rows(group, [redacted(line) for line in old.lines], [redacted(line) for line in new.lines])
    if not body:
        body = [tag("tr", tag("td", "Only names or the order of a list differ.", colspan="4", class_="faint"))]
    return tag("details", head, remarks, _table(body), class_="change")


def _whole(item: ObjectChange, redacted: Redact) -> Html:
    """An object that only one side has."""
    kind = "gone" if item.new is None else "came"
    lines = (line for text in texts_of(item) for line in text.lines)
    cells = ((tag("td", at, class_="no"), tag("td", redacted(line), class_=kind)) for at, line in enumerate(lines, 1))
    columns = tag("colgroup", tag("col", class_="no"), tag("col"))
    return tag("table", columns, tag("tbody", *(tag("tr", *cell) for cell in cells)), class_="side")


def _table(body: list[Html]) -> Html:
    columns = tag("colgroup", *(tag("col", class_=kind) for kind in ("no", None, "no", None)))
    return tag("table", columns, tag("tbody", *body), class_="side")


def _rows(group: list[Opcode], old: list[str], new: list[str]) -> Iterator[Html]:
    for kind, i1, i2, j1, j2 in group:
        for at in range(max(i2 - i1, j2 - j1)):
            i, j = i1 + at, j1 + at
            left, right = (i if i < i2 else None), (j if j < j2 else None)
            yield _row(kind == "equal", (left, old), (right, new))


def _row(
    same: bool,
    left: tuple[int | None, list[str]],
    right: tuple[int | None, list[str]],
    names: tuple[str | None, str | None] = (None, None),
) -> Html:
    cells: list[Html] = []
    for (at, lines), style, name in ((left, "gone", names[0]), (right, "came", names[1])):
        if at is None:
            cells += [tag("td", class_="no void"), tag("td", class_="void")]
            continue
        kind = ("same-old" if style == "gone" else None) if same else style
        cells += [tag("td", at + 1, class_="no"), tag("td", lines[at], class_=kind, id=name)]
    return tag("tr", *cells)


def _folded(body: list[Html]) -> Html:
    return tag("details", tag("summary", f"{len(body)} unchanged lines", class_="faint"), _table(body))


class Inputs:
    """The files of both sides, each beside its counterpart."""

    def __init__(self, old: Sources, new: Sources, pairs: list[tuple[str | None, str | None]]) -> None:
        self._old = old
        self._new = new
        self._pairs = pairs

    def link(self, place: Place | None, text: str | None = None) -> Html | None:
        """A place as a link to its line, on the side that has it."""
        if place is None:
            return None
        side = self._new if self._new.anchor(place) else self._old
        return side.link(place, text)

    def redacted(self, text: str) -> str:
        return self._old.redacted(self._new.redacted(text))

    def html(self) -> Html:
        return join(*(self._file(old, new) for old, new in self._pairs))

    def _file(self, old: str | None, new: str | None) -> Html:
        left = self._old.lines(old) if old else []
        right = self._new.lines(new) if new else []
        numbers = (self._old.files.index(old) if old else -1, self._new.files.index(new) if new else -1)
        parts: list[Html] = []
        body: list[Html] = []
        for kind, i1, i2, j1, j2 in opcodes(left, right):
            folds = kind == "equal" and i2 - i1 > _FOLDED
            for at in range(max(i2 - i1, j2 - j1)):
                if folds and at in (_AROUND, i2 - i1 - _AROUND):
                    parts.append(_table(body) if at == _AROUND else _folded(body))
                    body = []
                i, j = (i1 + at if i1 + at < i2 else None), (j1 + at if j1 + at < j2 else None)
                names = (
                    None if i is None else f"j{numbers[0]}-{i + 1}",
                    None if j is None else f"i{numbers[1]}-{j + 1}",
                )
                body.append(_row(kind == "equal", (i, left), (j, right), names))
                notes = [
                    *(self._old.notes(old, i + 1) if old and i is not None else ()),
                    *(self._new.notes(new, j + 1) if new and j is not None else ()),
                ]
                body += [tag("tr", tag("td", note, colspan="4")) for note in notes]
        title = join(tag("code", old or "none"), " → ", tag("code", new or "none")) if old != new else tag("code", new)
        return tag("details", tag("summary", title), *parts, _table(body), class_="file", open=left != right)

"""The comments of a YAML document: which entry each belongs to, and putting them beside entries of another document.

An entry is a key of a map or an item of a list. A comment on lines of its own belongs to the entry that follows, unless
it stands deeper than that one: then it ends the list or map before. A comment behind something belongs to that.
Blank lines count as comments without a text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dynamoc.diagnostics.finding import Path

BEFORE = "before"
BEHIND = "behind"
AFTER = "after"


class Entry:
    """Where an entry of a document stands.

    line, column    its key or its dash, counted from 0
    behind          the line at whose end a comment on the entry can stand
    """

    __slots__ = ("behind", "column", "line", "path")

    def __init__(self, path: Path, line: int, column: int, behind: int) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.behind = behind


class Comment:
    """A comment, `#` included, or "" for a blank line, and its place beside an entry.

    Behind an entry, its text begins with the blanks in front of it.
    """

    __slots__ = ("path", "side", "text")

    def __init__(self, path: Path, side: str, text: str) -> None:
        self.path = path
        self.side = side
        self.text = text


def collect(lines: list[str], entries: list[Entry], opaque: Callable[[int, int], bool]) -> list[Comment]:
    """All comments of a document. `opaque(line, column)` says what lies inside of a scalar."""
    found: list[Comment] = []
    for number, line in enumerate(lines):
        column = _comment_column(line, number, opaque)
        text = line[column:].rstrip() if column is not None else ""
        if column is None and (line.strip() or opaque(number, 0)):
            continue
        if column is not None and line[:column].strip():
            gap = len(line[:column]) - len(line[:column].rstrip())
            found.append(Comment(_behind(entries, number, column), BEHIND, " " * gap + text))
        else:
            found.append(_own_line(entries, number, column, text))
    while found and not found[-1].text:
        found.pop()
    return found


def _comment_column(line: str, number: int, opaque: Callable[[int, int], bool]) -> int | None:
    column = line.find("#")
    while column >= 0:
        if (column == 0 or line[column - 1] in " \t") and not opaque(number, column):
            return column
        column = line.find("#", column + 1)
    return None


def _behind(entries: list[Entry], number: int, column: int) -> Path:
    """The innermost entry that starts before, on this line or above."""
    before = [entry for entry in entries if (entry.line, entry.column) < (number, column)]
    return before[-1].path if before else ()


def _own_line(entries: list[Entry], number: int, column: int | None, text: str) -> Comment:
    following = next((entry for entry in entries if entry.line > number), None)
    if following is not None and (column is None or column <= following.column):
        return Comment(following.path, BEFORE, text)
    above = [entry for entry in entries if entry.line < number]
    if column is not None:
        above = [entry for entry in above if entry.column <= column]
    if not above:
        return Comment(() if following is None else following.path, BEFORE, text)
    return Comment(above[-1].path if column else (), AFTER, text)


def place(lines: list[str], entries: list[Entry], comments: Iterable[Comment], *, blanks: bool = True) -> list[str]:
    """The lines with the comments beside the entries of the same paths; a path without an entry is the document's."""
    by_path = {entry.path: index for index, entry in enumerate(entries)}
    above: dict[int, list[str]] = {}
    below: dict[int, list[str]] = {}
    out = list(lines)
    for comment in comments:
        index = by_path.get(comment.path)
        entry = None if index is None else entries[index]
        if entry is None or index is None:
            where = below.setdefault(len(lines) - 1, []) if comment.side == AFTER else above.setdefault(0, [])
            where.append(comment.text.strip())
        elif comment.side == BEHIND and " #" not in out[entry.behind]:
            out[entry.behind] += comment.text
        elif comment.side == AFTER:
            below.setdefault(_last_line(entries, index, len(lines)), []).append(_indented(entry, comment, lines))
        elif comment.text.strip() or (blanks and not _is_first(entries, index)):
            above.setdefault(entry.line, []).append(_indented(entry, comment, lines))
    return [text for number, line in enumerate(out) for text in (*above.get(number, ()), line, *below.get(number, ()))]


def _indented(entry: Entry, comment: Comment, lines: list[str]) -> str:
    """In line with the entry, or with the line that holds it inside of a flow map or list."""
    line = lines[entry.line]
    column = min(entry.column, len(line) - len(line.lstrip(" ")))
    return " " * column + comment.text.strip() if comment.text else ""


def _last_line(entries: list[Entry], index: int, count: int) -> int:
    path = entries[index].path
    for entry in entries[index + 1 :]:
        if entry.path[: len(path)] != path:
            return entry.line - 1
    return count - 1


def _is_first(entries: list[Entry], index: int) -> bool:
    """Whether nothing but the opening of its map or list stands above the entry."""
    return index == 0 or entries[index - 1].path == entries[index].path[:-1]

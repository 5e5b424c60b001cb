"""An output directory that knows its files: those of objects that are gone go, those of others are never touched."""

from __future__ import annotations

import os

from dynamoc.emit.directory import STAGED, Alone, NotPlain, Staged, content_of, exists, is_interrupted
from dynamoc.emit.index import INDEX, WRITTEN, BadIndex, digest, format_index, parse_index, same
from dynamoc.limits import limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

#: what is wrong with a file
MISSING = "missing"
OUTDATED = "outdated"
EDITED = "edited"
FOREIGN = "foreign"
LEFT_OVER = "left over"
ABANDONED = "abandoned"
INTERRUPTED = "interrupted"

Faults = list[tuple[str, str]]
"""(name below the directory, what is wrong with the file)"""


class InTheWay(Exception):
    """Files that dynamoc did not write, or that were edited since, are where others belong."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self.faults = faults


class Tracked(Staged):
    """A directory with an index. `texts` is all that it is to hold.

    record   what the directory is rendered from: the rest of the index
    before   the index that the run was asked to repeat
    removed  after `commit`, files of objects that are gone, and were removed
    left     after `commit`, those of them that were edited since, or that dynamoc did not write: they stay
    """

    def __init__(self, directory: str, *, before: Tree | None = None) -> None:
        super().__init__(directory)
        self.record: Tree = {}
        self.before = before
        self.removed: list[str] = []
        self.left: Faults = []

    def drift(self) -> Faults:
        """How the directory differs from what `commit` would make of it; nothing is written."""
        try:
            root = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            return [(name, MISSING) for name in sorted([*self._wanted(), INDEX])]
        try:
            with Alone(root):
                return self._drift(root)
        finally:
            os.close(root)

    def _drift(self, root: int) -> Faults:
        if is_interrupted(root):
            return [(STAGED, INTERRUPTED)]
        before = _read(root)
        plan = _Plan(root, self._wanted(), before)
        faults = [*plan.blocked, *plan.outdated, *plan.left, *((name, LEFT_OVER) for name in plan.removed)]
        if before is None:
            faults.append((INDEX, MISSING))
        elif not faults and not same(before, parse_index(self._index(plan).encode())):
            faults.append((INDEX, OUTDATED))
        return sorted(faults)

    def _wanted(self) -> dict[str, bytes]:
        return {name: text.encode() for name, text in self.texts.items() if text is not None}

    def _changed(self, root: int) -> dict[str, str | None]:
        """What is to be written and removed, with the index. Raises InTheWay."""
        before = _read(root)
        plan = _Plan(root, self._wanted(), before)
        if plan.blocked:
            raise InTheWay(plan.blocked)
        self.removed, self.left = plan.removed, plan.left
        known = (before or {}).get(WRITTEN, {})
        for name, text in self.texts.items():
            if text is None and name not in known and _content(root, name) is not None:
                self.left.append((name, FOREIGN))
        changed: dict[str, str | None] = {name: self.texts[name] for name, _ in plan.outdated}
        changed |= dict.fromkeys(plan.removed)
        index = self._index(plan)
        if content_of(root, INDEX) != index.encode():
            changed[INDEX] = index
        return changed

    def _index(self, plan: _Plan) -> str:
        return format_index(self.record, plan.written)


class _Plan:
    """What a run does to the files of a directory.

    outdated  files to write; `blocked` are those of them that may not be written
    removed   files to remove; `left` are those of them that stay
    written   the files that dynamoc has written then, with their digests
    """

    def __init__(self, root: int, wanted: dict[str, bytes], before: Tree | None) -> None:
        known: dict[str, str] = {} if before is None else before[WRITTEN]
        self.written = {name: digest(data) for name, data in wanted.items()}
        self.blocked: Faults = []
        self.outdated: Faults = []
        self.removed: list[str] = []
        self.left: Faults = []
        for name, data in wanted.items():
            self._write(name, data, _content(root, name), known.get(name))
        for name in sorted(known.keys() - wanted.keys()):
            self._remove(name, _content(root, name), known[name])

    def _write(self, name: str, data: bytes, found: bytes | bool | None, known: str | None) -> None:
        if found is None:
            self.outdated.append((name, MISSING))
        elif found != data:
            if isinstance(found, bytes) and digest(found) == known:
                self.outdated.append((name, OUTDATED))
            else:
                self.blocked.append((name, FOREIGN if known is None else EDITED))

    def _remove(self, name: str, found: bytes | bool | None, known: str) -> None:
        if isinstance(found, bytes) and digest(found) == known:
            self.removed.append(name)
        elif found is not None:
            self.left.append((name, ABANDONED))
            self.written[name] = known


def _content(root: int, name: str) -> bytes | bool | None:
    """What a file holds, None where it is missing, False where something else is in its place."""
    try:
        return content_of(root, name)
    except NotPlain:
        return False


def _read(root: int) -> Tree | None:
    """The index of a directory. OSError where what has its name is none."""
    try:
        if exists(root, INDEX) and os.stat(INDEX, dir_fd=root, follow_symlinks=False).st_size > limit("file-bytes"):
            raise BadIndex(f"it is larger than {limit('file-bytes'):,} bytes, the limit `file-bytes`")
        data = content_of(root, INDEX)
        return None if data is None else parse_index(data)
    except (BadIndex, NotPlain) as error:
        problem = f"{error}; remove it, and render into an empty directory"
        raise OSError(0, problem, INDEX) from None


def read_index(directory: str) -> Tree:
    """The index of a directory. OSError where it has none that can be read."""
    root = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found = _read(root)
    except OSError as error:
        error.filename = os.path.join(directory, INDEX)
        raise
    finally:
        os.close(root)
    if found is None:
        raise OSError(0, "the directory has no index: `render --output-dir` writes it", directory)
    return found

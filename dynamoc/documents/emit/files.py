"""Output directories with an index: of what they were rendered from, and of the files that dynamoc wrote.

Files of objects that are gone go; files of others are never touched. The index holds no times and no paths of the
machine, so that the same inputs give the same bytes, and kubectl, Argo CD and kubeconform do not read its name.
"""

from __future__ import annotations

import contextlib
import json
import os

from dynamoc.documents.emit.directory import (
    NEW,
    READ,
    ROOT,
    STAGED,
    Alone,
    NotPlain,
    Staged,
    content_of,
    exists,
    is_inside,
    is_interrupted,
    refuse_system,
)
from dynamoc.kube.limits import limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import hex_digest

INDEX = ".dynamoc-index"
FORMAT = "dynamoc-index"
VERSION = 1
WRITTEN = "written"
#: says which dynamoc wrote the directory, and no more
PROGRAM = "dynamoc"


class BadIndex(ValueError):
    """Why an index cannot be used."""


def index_name(part: str) -> str:
    """The index of a whole directory, or of the files that one part of a run wrote, such as `3/16`."""
    return f"{INDEX}.{part.replace('/', '-of-')}" if part else INDEX


def digest(data: bytes) -> str:
    return "sha256:" + hex_digest(data)


def format_index(record: Tree, written: dict[str, str]) -> str:
    """The text of an index; `record` says what the directory was rendered from, `written` has digests by name."""
    whole = {"format": FORMAT, "version": VERSION, **record, WRITTEN: written}
    text = json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    # Names of files are bytes; those that are no text are escaped, and read back as they were.
    return text.encode(errors="backslashreplace").decode()


def parse_index(data: bytes) -> Tree:
    """The index, whose files lie below the directory. BadIndex where it is malformed: others may write it."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise BadIndex("it is not JSON") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadIndex("it is not an index of dynamoc")
    if found.get("version") != VERSION:
        raise BadIndex(f"its version is {found.get('version')}, and this dynamoc reads {VERSION}")
    written = found.get(WRITTEN)
    if not isinstance(written, dict) or not all(map(_is_entry, written.items())):
        raise BadIndex("`written` names something else than files of the directory")
    return found


def same(old: Tree, new: Tree) -> bool:
    """Whether two indexes say the same, whichever dynamoc wrote them."""
    return {**old, PROGRAM: None} == {**new, PROGRAM: None}


def _is_entry(entry: tuple[str, object]) -> bool:
    name, value = entry
    return is_below(name) and isinstance(value, str)


def is_below(name: str) -> bool:
    """Whether a name leads to a file of the directory that is not dynamoc's own."""
    return is_inside(name) and not name.startswith(".dynamoc-")


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
    part     `3/16` where other runs write the rest of the directory, each with its own index
    removed  after `commit`, files of objects that are gone, and were removed
    left     after `commit`, those of them that were edited since, or that dynamoc did not write: they stay
    """

    def __init__(self, directory: str, *, before: Tree | None = None, part: str = "") -> None:
        super().__init__(directory)
        self._name = index_name(part)
        self.record: Tree = {}
        self.before = before
        self.removed: list[str] = []
        self.left: Faults = []

    def drift(self) -> Faults:
        """How the directory differs from what `commit` would make of it; nothing is written."""
        try:
            root = os.open(self.directory, ROOT)
        except FileNotFoundError:
            return [(name, MISSING) for name in sorted([*self._wanted(), self._name])]
        try:
            with Alone(root):
                return self._drift(root)
        finally:
            os.close(root)

    def _drift(self, root: int) -> Faults:
        if is_interrupted(root):
            return [(STAGED, INTERRUPTED)]
        before = _read(root, self._name)
        plan = _Plan(root, self._wanted(), before, _beside(root, self._name))
        faults = [*plan.blocked, *plan.outdated, *plan.left, *((name, LEFT_OVER) for name in plan.removed)]
        if before is None:
            faults.append((self._name, MISSING))
        elif not faults and not same(before, parse_index(self._index(plan).encode())):
            faults.append((self._name, OUTDATED))
        return sorted(faults)

    def _wanted(self) -> dict[str, bytes]:
        return {name: text.encode() for name, text in self.texts.items() if text is not None}

    def _changed(self, root: int) -> dict[str, str | None]:
        """What is to be written and removed, with the index. Raises InTheWay."""
        before = _read(root, self._name)
        plan = _Plan(root, self._wanted(), before, _beside(root, self._name))
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
        if content_of(root, self._name) != index.encode():
            changed[self._name] = index
        return changed

    def _index(self, plan: _Plan) -> str:
        return format_index(self.record, plan.written)


class _Plan:
    """What a run does to the files of a directory.

    outdated  files to write; `blocked` are those of them that may not be written
    removed   files to remove; `left` are those of them that stay
    written   the files that dynamoc has written then, with their digests

    `beside` are files that other parts of the run wrote: an object that several need stays as long as one needs it.
    """

    def __init__(self, root: int, wanted: dict[str, bytes], before: Tree | None, beside: dict[str, str]) -> None:
        known: dict[str, str] = {} if before is None else before[WRITTEN]
        self.written = {name: digest(data) for name, data in wanted.items()}
        self.blocked: Faults = []
        self.outdated: Faults = []
        self.removed: list[str] = []
        self.left: Faults = []
        for name, data in wanted.items():
            self._write(name, data, _content(root, name), known.get(name, beside.get(name)))
        for name in sorted(known.keys() - wanted.keys() - beside.keys()):
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


def _beside(root: int, own: str) -> dict[str, str]:
    """The files of all other indexes. OSError where the directory is divided in another way than the run."""
    found: dict[str, str] = {}
    for name in os.listdir(root):
        if (name == INDEX or name.startswith(f"{INDEX}.")) and name != own:
            if own.rpartition("-of-")[2] != name.rpartition("-of-")[2]:
                raise OSError(0, f"the directory has {name}: use the same --shard count, or an empty directory")
            found |= (_read(root, name) or {}).get(WRITTEN, {})
    return found


def _read(root: int, name: str) -> Tree | None:
    """An index of a directory. OSError where the file of its name cannot be one."""
    try:
        if exists(root, name) and os.stat(name, dir_fd=root, follow_symlinks=False).st_size > limit("file-bytes"):
            raise BadIndex(f"it is larger than {limit('file-bytes'):,} bytes, the limit `file-bytes`")
        data = content_of(root, name)
        return None if data is None else parse_index(data)
    except (BadIndex, NotPlain) as error:
        problem = f"{error}; remove it, and render into an empty directory"
        raise OSError(0, problem, name) from None


def read_index(directory: str, part: str = "") -> Tree:
    """The index of a directory. OSError where it has none that can be read."""
    root = os.open(directory, ROOT)
    try:
        found = _read(root, index_name(part))
    except OSError as error:
        error.filename = os.path.join(directory, index_name(part))
        raise
    finally:
        os.close(root)
    if found is None:
        raise OSError(0, "the directory has no index: `render --output-dir` writes it", directory)
    return found


def replace_file(file: str, data: bytes) -> None:
    """Puts the content in the place of a file's at once, with its name, owner and mode. A link keeps pointing to it.

    OSError where that is not possible: a file with several names would lose all but one, and another owner's file its
    owner.
    """
    path = os.path.realpath(file)
    refuse_system(file)
    parent = os.open(os.path.dirname(path), ROOT)
    try:
        _replace(parent, os.path.basename(path), file, data)
    except OSError as error:
        error.filename = file
        raise
    finally:
        os.close(parent)


def write_file(file: str, data: bytes) -> None:
    """The same for a file that need not be there yet. OSError as `replace_file`."""
    replace_file(file, data)


def _replace(parent: int, name: str, file: str, data: bytes) -> None:
    before = _status(parent, name)
    if before is not None and before.st_nlink > 1:
        raise OSError(0, f"the file has {before.st_nlink} names (hard links), and would lose all but one", file)
    # The name follows from the file's, so that the next run finds what a killed one left, and nothing else.
    temporary = f".dynamoc-{hex_digest(os.fsencode(name))[:16]}"
    handle = _new_file(parent, temporary, 0o666 if before is None else 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            if before is not None:
                if (before.st_uid, before.st_gid) != (os.fstat(handle).st_uid, os.fstat(handle).st_gid):
                    os.fchown(handle, before.st_uid, before.st_gid)
                os.fchmod(handle, before.st_mode & 0o7777)
            stream.flush()
            os.fsync(handle)
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        os.unlink(temporary, dir_fd=parent)
        raise


def _status(parent: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _new_file(parent: int, name: str, mode: int) -> int:
    """A new file, locked for as long as its handle is open. What a killed run left under its name goes away."""
    while True:
        try:
            handle = os.open(name, NEW, mode, dir_fd=parent)
        except FileExistsError:
            _remove_left(parent, name)
            continue
        _lock(handle)
        if _is_still(handle, parent, name):
            return handle
        os.close(handle)


def _remove_left(parent: int, name: str) -> None:
    """Removes a file once the run that writes it has ended. A link is removed, and not followed."""
    try:
        handle = os.open(name, READ, dir_fd=parent)
    except FileNotFoundError:
        return
    except OSError:
        os.unlink(name, dir_fd=parent)
        return
    try:
        _lock(handle)
        if _is_still(handle, parent, name):
            os.unlink(name, dir_fd=parent)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Waits for others; where the file system has no locks, nothing is waited for."""
    from fcntl import LOCK_EX, flock

    with contextlib.suppress(OSError):
        flock(handle, LOCK_EX)


def _is_still(handle: int, parent: int, name: str) -> bool:
    found = _status(parent, name)
    return found is not None and os.path.samestat(found, os.fstat(handle))

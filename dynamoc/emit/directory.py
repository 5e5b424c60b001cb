"""An output directory that is the old state or the new one, whatever ends the run that writes it.

New files wait in the folder `.dynamoc-staged` of the directory. Once all are on the disk, a journal there lists where
they go; from then on the new state counts, and whoever finds the journal finishes what it says. Everything is opened
below the directory's own handle, and nothing through a link: files of a stranger may already be there.
"""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STAGED = ".dynamoc-staged"
_JOURNAL = "journal"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
#: above this, one sync of all file systems takes less time than one of each file
_SYNCED_ONE_BY_ONE = 32

Entry = tuple[str, str | None]
"""(name below the directory, name of the staged file or None where the file goes away)"""


class Staged:
    """Files that are to appear in a directory together: nothing is touched before `commit`."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.texts: dict[str, str | None] = {}

    def write(self, name: str, text: str) -> None:
        self.texts[name] = text

    def remove(self, name: str) -> None:
        """The file of an earlier run must not stand for an input that is refused now."""
        self.texts[name] = None

    def settle(self) -> None:
        """Finishes what an earlier run left, before the work of this one begins."""
        if os.path.lexists(os.path.join(self.directory, STAGED)):
            Staged(self.directory).commit()

    def commit(self) -> None:
        """Makes the directory what was asked for. OSError, with the directory as it was, where it cannot be written."""
        os.makedirs(self.directory, exist_ok=True)
        root = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with Alone(root):
                self._commit(root)
        except OSError as error:
            error.filename = error.filename or self.directory
            raise
        finally:
            os.close(root)

    def _commit(self, root: int) -> None:
        _finish_interrupted(root)
        changed = self._changed(root)
        if not changed:
            return
        _make_folders(root, changed)
        os.mkdir(STAGED, 0o777, dir_fd=root)
        folder = os.open(STAGED, _FOLDER, dir_fd=root)
        try:
            entries = _stage(folder, changed)
            _write(folder, f"{_JOURNAL}.new", json.dumps(entries).encode(), durable=True)
            with _Uninterrupted():
                os.rename(f"{_JOURNAL}.new", _JOURNAL, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
                _apply(root, folder, entries)
        finally:
            if not exists(folder, _JOURNAL):
                _clear(root, folder)
            os.close(folder)

    def _changed(self, root: int) -> dict[str, str | None]:
        """What differs from what the directory holds."""
        return {name: text for name, text in self.texts.items() if not _is_same(root, name, text)}


class NotPlain(OSError):
    """Something else than a file has the name of one."""


def content_of(root: int, name: str) -> bytes | None:
    """What a file below a directory holds, None where it is missing. Raises NotPlain; links are not followed."""
    try:
        with _Parent(root, name, make=False) as parent:
            base = os.path.basename(name)
            if parent.handle < 0 or not exists(parent.handle, base):
                return None
            mode = os.stat(base, dir_fd=parent.handle, follow_symlinks=False).st_mode
            if not stat.S_ISREG(mode):
                raise NotPlain(0, "it is not a plain file", name)
            with open(os.open(base, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent.handle), "rb") as file:
                return file.read()
    except NotPlain:
        raise
    except OSError as error:
        raise NotPlain(error.errno, error.strerror, name) from None


class Alone:
    """Keeps other runs away from the directory; where its file system has no locks, they are not kept away."""

    def __init__(self, root: int) -> None:
        self._root = root

    def __enter__(self) -> None:
        from fcntl import LOCK_EX, flock

        try:
            flock(self._root, LOCK_EX)
        except OSError:
            return

    def __exit__(self, *_: object) -> None:
        """The lock ends with the handle."""


class _Uninterrupted:
    """Signals that end the run wait for as long as this lasts."""

    def __enter__(self) -> None:
        import signal

        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))

    def __exit__(self, *_: object) -> None:
        import signal

        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _make_folders(root: int, changed: dict[str, str | None]) -> None:
    """Once the journal is there, nothing must be left that can fail."""
    for name, text in changed.items():
        if text is not None:
            with _Parent(root, name, make=True):
                pass


def _stage(folder: int, changed: dict[str, str | None]) -> list[Entry]:
    """Writes the files under numbers, and has them on the disk."""
    # Whatever is left of a killed run is no part of a commit.
    _write(folder, ".gitignore", b"*\n")
    one_by_one = len(changed) <= _SYNCED_ONE_BY_ONE
    entries: list[Entry] = []
    for number, (name, text) in enumerate(changed.items()):
        if text is not None:
            _write(folder, str(number), text.encode(), durable=one_by_one)
        entries.append((name, None if text is None else str(number)))
    if not one_by_one:
        os.sync()
    return entries


def _write(folder: int, name: str, data: bytes, *, durable: bool = False) -> None:
    handle = os.open(name, _NEW, 0o666, dir_fd=folder)
    with open(handle, "wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(handle)


def _apply(root: int, folder: int, entries: list[Entry]) -> None:
    """Moves staged files to their places; what was moved before stays. The journal goes last."""
    for name, staged in entries:
        with _Parent(root, name, make=staged is not None) as parent:
            base = os.path.basename(name)
            if staged is not None:
                if exists(folder, staged):
                    os.rename(staged, base, src_dir_fd=folder, dst_dir_fd=parent.handle)
            elif parent.handle >= 0 and exists(parent.handle, base):
                os.unlink(base, dir_fd=parent.handle)
    os.sync()
    os.unlink(_JOURNAL, dir_fd=folder)


class _Parent:
    """The folder that a name stands in, opened step by step; `handle` is -1 where it is missing and not made."""

    def __init__(self, root: int, name: str, *, make: bool) -> None:
        self.handle = os.dup(root)
        for part in os.path.dirname(name).split("/") if "/" in name else ():
            self._enter(part, name, make=make)
            if self.handle < 0:
                return

    def _enter(self, part: str, name: str, *, make: bool) -> None:
        outer = self.handle
        try:
            if make and not exists(outer, part):
                os.mkdir(part, 0o777, dir_fd=outer)
            self.handle = os.open(part, _FOLDER, dir_fd=outer)
        except FileNotFoundError:
            self.handle = -1
        except NotADirectoryError:
            self.handle = -1
            raise OSError(0, f"{part} is a link or a file, and nothing is written through it", name) from None
        finally:
            os.close(outer)

    def __enter__(self) -> _Parent:
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle >= 0:
            os.close(self.handle)


def _finish_interrupted(root: int) -> None:
    """What an earlier run left: its new state where it had come so far, else the old one."""
    try:
        folder = os.open(STAGED, _FOLDER, dir_fd=root)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise OSError(0, f"{STAGED} is not a folder of dynamoc; remove it") from None
    try:
        if exists(folder, _JOURNAL):
            _apply(root, folder, list(_journal(folder)))
        _clear(root, folder)
    finally:
        os.close(folder)


def _journal(folder: int) -> Iterator[Entry]:
    """Its entries; names that lead out of the directory are no work of dynamoc."""
    with open(os.open(_JOURNAL, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), encoding="utf-8") as file:
        try:
            entries = json.load(file)
            for name, staged in entries:
                parts = name.split("/")
                if staged is not None and not staged.isdigit():
                    raise ValueError(staged)
                if not {"", os.curdir, os.pardir, STAGED}.isdisjoint(parts):
                    raise ValueError(name)
                yield name, staged
        except (ValueError, TypeError, AttributeError):
            raise OSError(0, f"the journal in {STAGED} cannot be read; remove that folder") from None


def _is_same(root: int, name: str, text: str | None) -> bool:
    """Whether a file is already what it is to become."""
    with _Parent(root, name, make=False) as parent:
        base = os.path.basename(name)
        if parent.handle < 0 or not exists(parent.handle, base):
            return text is None
        if stat.S_ISDIR(os.stat(base, dir_fd=parent.handle, follow_symlinks=False).st_mode):
            raise IsADirectoryError(0, "a folder is where this file is to be written", name)
        if text is None:
            return False
        try:
            handle = os.open(base, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent.handle)
        except OSError:
            return False
        with open(handle, "rb") as file:
            wanted = text.encode()
            return os.fstat(handle).st_size == len(wanted) and file.read() == wanted


def exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _clear(root: int, folder: int) -> None:
    for name in os.listdir(folder):
        os.unlink(name, dir_fd=folder)
    os.rmdir(STAGED, dir_fd=root)

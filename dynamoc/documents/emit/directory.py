"""An output directory that is the old state or the new one, whatever ends the run that writes it.

New files wait in the folder `.dynamoc-staged` of the directory. Once all are on the disk, a journal there lists where
they go; from when it is vouched for, the new state counts, and whoever finds the journal finishes what it says.
Everything is opened below the directory's own handle, and nothing through a link: files of a stranger may be there.

Such a folder may also come with a checkout, so a journal proves nothing by its content. `FILE.own` vouches for FILE:
it holds the inode number of FILE and the time when it changed last, to the nanosecond. The kernel sets both, and a
checkout, an archive or a copy cannot. A folder that nothing vouches for is renamed, and nothing in it is done.
"""

from __future__ import annotations

import json
import os
import signal
import stat
from dataclasses import dataclass, field

from dynamoc.kube.text import hex_digest

STAGED = ".dynamoc-staged"
#: what the name of a folder that is not of a run of dynamoc becomes, with a number at random
SET_ASIDE = ".dynamoc-set-aside-"
_JOURNAL = "journal"
#: Whatever is left of a killed run is not a part of a commit.
_IGNORE = ".gitignore"
_IGNORE_TEXT = b"*\n"
_VOUCHER = ".own"
# Windows has none of these, and `refuse_system` says so before a file is touched.
_NO_LINK, _DIRECTORY = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_DIRECTORY", 0)
_BELOW_A_HANDLE = os.open in os.supports_dir_fd
ROOT = os.O_RDONLY | _DIRECTORY
_FOLDER = ROOT | _NO_LINK
READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
#: above this, one sync of all file systems takes less time than one of each file
_SYNCED_ONE_BY_ONE = 32
Entry = tuple[str, str | None, str | None, str | None]
"""(name below the directory, name of the staged file or None where the file goes away, digest of the staged file, what
`_state_of` says of the file before)"""


def refuse_system(what: str) -> None:
    """OSError where the system cannot open a file below a folder that it holds, and so cannot replace files safely."""
    if not _BELOW_A_HANDLE:
        raise OSError(0, "dynamoc writes no files on this system; use WSL, or stdout", what)


@dataclass(eq=False)
class Staged:
    """Files that are to appear in a directory together: nothing is touched before `commit`."""

    directory: str
    texts: dict[str, str | None] = field(default_factory=dict, init=False)
    #: the new name of what had the name of the staging folder, and was not left by a run
    set_aside: list[str] = field(default_factory=list, init=False)

    def write(self, name: str, text: str) -> None:
        self.texts[name] = text

    def remove(self, name: str) -> None:
        """The file of an earlier run must not stand for an input that is refused now."""
        self.texts[name] = None

    def settle(self) -> None:
        """Finishes what an earlier run left, before the work of this one begins."""
        if os.path.lexists(os.path.join(self.directory, STAGED)):
            earlier = Staged(self.directory)
            earlier.commit()
            self.set_aside += earlier.set_aside

    def commit(self) -> None:
        """Makes the directory what was asked for. OSError, with the directory as it was, where it cannot be written."""
        refuse_system(self.directory)
        os.makedirs(self.directory, exist_ok=True)
        root = os.open(self.directory, ROOT)
        try:
            with Alone(root):
                self._commit(root)
        except OSError as error:
            error.filename = error.filename or self.directory
            raise
        finally:
            os.close(root)

    def _commit(self, root: int) -> None:
        self._finish_interrupted(root)
        changed = self._changed(root)
        if not changed:
            return
        _refuse_git(changed)
        _make_folders(root, changed)
        os.mkdir(STAGED, 0o777, dir_fd=root)
        folder = os.open(STAGED, _FOLDER, dir_fd=root)
        try:
            entries = _stage(root, folder, changed)
            _write(folder, _JOURNAL, json.dumps(entries).encode(), durable=True)
            with _Uninterrupted():
                _vouch(folder, _JOURNAL, durable=True)
                os.fsync(folder)
                _apply(root, folder, entries)
        finally:
            if not exists(folder, _JOURNAL + _VOUCHER):
                _clear(root, folder)
            os.close(folder)

    def _finish_interrupted(self, root: int) -> None:
        """What an earlier run left: its new state where it had come so far, else the old one."""
        if not exists(root, STAGED):
            return
        try:
            folder = os.open(STAGED, _FOLDER, dir_fd=root)
        except OSError:  # a file, a link
            self._put_aside(root)
            return
        try:
            if is_vouched(folder, _JOURNAL):
                _apply(root, folder, _still_due(root, folder))
            if not _is_of_a_run(folder):
                self._put_aside(root)
                return
            _clear(root, folder)
        except (NotPlain, ValueError, TypeError, AttributeError, RecursionError):
            self._put_aside(root)
        finally:
            os.close(folder)

    def _put_aside(self, root: int) -> None:
        name = SET_ASIDE + os.urandom(4).hex()
        os.rename(STAGED, name, src_dir_fd=root, dst_dir_fd=root)
        self.set_aside.append(name)

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
                raise NotPlain(-stat.S_IFMT(mode), "it is not a plain file", name)
            with open(os.open(base, READ, dir_fd=parent.handle), "rb") as file:
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
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _make_folders(root: int, changed: dict[str, str | None]) -> None:
    """Once the journal is there, nothing must be left that can fail."""
    for name, text in changed.items():
        if text is not None:
            with _Parent(root, name, make=True):
                pass


def _stage(root: int, folder: int, changed: dict[str, str | None]) -> list[Entry]:
    """Writes the files under numbers, and has them on the disk."""
    _write(folder, _IGNORE, _IGNORE_TEXT)
    _vouch(folder, _IGNORE, durable=False)
    one_by_one = len(changed) <= _SYNCED_ONE_BY_ONE
    entries: list[Entry] = []
    for number, (name, text) in enumerate(changed.items()):
        before = _state_of(root, name)
        if text is None:
            entries.append((name, None, None, before))
            continue
        data = text.encode()
        _write(folder, str(number), data, durable=one_by_one)
        entries.append((name, str(number), hex_digest(data), before))
    if not one_by_one:
        os.sync()
    return entries


def _state_of(root: int, name: str) -> str | None:
    """The digest of a file, None where it is missing; of anything else, such as a link, its kind."""
    try:
        data = content_of(root, name)
    except NotPlain as error:
        return f"not plain: {error.errno}"
    return None if data is None else hex_digest(data)


def _write(folder: int, name: str, data: bytes, *, durable: bool = False) -> None:
    handle = os.open(name, NEW, 0o666, dir_fd=folder)
    with open(handle, "wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(handle)


def _vouch(folder: int, name: str, *, durable: bool) -> None:
    """From here on, a file is known to be written here by this user, as it is. It must not change any more."""
    voucher = name + _VOUCHER
    sign = _sign_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    _write(folder, f"{voucher}.new", sign, durable=durable)
    os.rename(f"{voucher}.new", voucher, src_dir_fd=folder, dst_dir_fd=folder)


def _sign_of(found: os.stat_result) -> bytes:
    # Not the device: its number may be another one after a restart.
    return b"%d %d\n" % (found.st_ino, found.st_ctime_ns)


def is_vouched(folder: int, name: str) -> bool:
    """Whether a run of this user left a file of the staging folder as it is."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return content_of(folder, name + _VOUCHER) == _sign_of(found) and _is_own(found)
    except OSError:
        return False


def _is_own(found: os.stat_result) -> bool:
    """Whether a status is that of a file as staging writes it."""
    is_data = stat.S_ISREG(found.st_mode) and not found.st_mode & 0o111
    return is_data and found.st_uid == os.geteuid() and found.st_nlink == 1


def _apply(root: int, folder: int, entries: list[Entry]) -> None:
    """Moves staged files to their places. What vouches for the journal goes last, and ends the commit."""
    for name, staged, _, _ in entries:
        with _Parent(root, name, make=staged is not None) as parent:
            base = os.path.basename(name)
            if staged is not None:
                os.rename(staged, base, src_dir_fd=folder, dst_dir_fd=parent.handle)
            elif parent.handle >= 0 and exists(parent.handle, base):
                os.unlink(base, dir_fd=parent.handle)
    os.sync()
    os.unlink(_JOURNAL + _VOUCHER, dir_fd=folder)


def _still_due(root: int, folder: int) -> list[Entry]:
    """What an interrupted run has yet to do. ValueError, TypeError or RecursionError where its journal is damaged.

    What was moved before stays, and so do files that changed since: a user changed them.
    """
    due: list[Entry] = []
    for name, staged, after, before in json.loads(content_of(folder, _JOURNAL) or b""):
        if not is_inside(name):
            raise ValueError(name)
        if staged is not None:
            if not (staged.isascii() and staged.isdigit()):
                raise ValueError(staged)
            if not exists(folder, staged):
                continue
            is_own = _is_own(os.stat(staged, dir_fd=folder, follow_symlinks=False))
            if not is_own or _state_of(folder, staged) != after:
                raise ValueError(staged)
        if _state_of(root, name) == before:
            due.append((name, staged, after, before))
    return due


def is_inside(name: str) -> bool:
    """Whether a name leads to a file below the directory, and to none of git's, which may run or decide what runs."""
    parts = name.split("/")
    plain = {"", os.curdir, os.pardir, STAGED}.isdisjoint(parts) and "\0" not in name
    return plain and not any(part.lower().startswith(".git") for part in parts)


def _refuse_git(names: dict[str, str | None]) -> None:
    for name in names:
        if not is_inside(name):
            raise OSError(0, "the path has a part that starts with .git, and dynamoc writes no such files", name)


class _Parent:
    """The folder that a name is in, opened step by step; `handle` is -1 where it is missing and not made."""

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


def is_interrupted(root: int) -> bool:
    """Whether a run ended while it made the directory what was asked for."""
    try:
        folder = os.open(STAGED, _FOLDER, dir_fd=root)
    except OSError:
        return False
    try:
        return is_vouched(folder, _JOURNAL)
    finally:
        os.close(folder)


def _is_same(root: int, name: str, text: str | None) -> bool:
    """Whether a file is already what it will become."""
    with _Parent(root, name, make=False) as parent:
        base = os.path.basename(name)
        if parent.handle < 0 or not exists(parent.handle, base):
            return text is None
        if stat.S_ISDIR(os.stat(base, dir_fd=parent.handle, follow_symlinks=False).st_mode):
            raise IsADirectoryError(0, "a folder is where this file is to be written", name)
        if text is None:
            return False
        try:
            handle = os.open(base, READ, dir_fd=parent.handle)
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
    """Removes the staging folder; what says that it is a run's goes last."""
    last = (_IGNORE + _VOUCHER, _IGNORE)
    for name in sorted(os.listdir(folder), key=lambda name: last.index(name) if name in last else -1):
        os.unlink(name, dir_fd=folder)
    os.rmdir(STAGED, dir_fd=root)


def _is_of_a_run(folder: int) -> bool:
    """Whether all that is in a staging folder is what a run leaves there."""
    names = os.listdir(folder)
    # This file means that the journal counts, and was found not to.
    if _JOURNAL + _VOUCHER in names:
        return False
    if not all(_is_own(os.stat(name, dir_fd=folder, follow_symlinks=False)) for name in names):
        return False
    if is_vouched(folder, _IGNORE):
        return all(name.isdigit() or name.split(_VOUCHER)[0] in (_IGNORE, _JOURNAL) for name in names)
    # A run that had just begun, or was about to end.
    return {_IGNORE, f"{_IGNORE}{_VOUCHER}.new"}.issuperset(names)

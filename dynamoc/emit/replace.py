"""One file in the place of another."""

from __future__ import annotations

import contextlib
import os

from dynamoc.kube.sha256 import hex_digest


def replace_file(file: str, data: bytes) -> None:
    """Puts the content in the place of a file's at once, with its name, owner and mode. A link keeps pointing to it.

    OSError where that is not possible: a file with several names would lose all but one, and another owner's file its
    owner.
    """
    path = os.path.realpath(file)
    parent = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
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
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=parent)
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
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
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
    """Waits for others; where the file system has no locks, nobody is waited for."""
    from fcntl import LOCK_EX, flock

    with contextlib.suppress(OSError):
        flock(handle, LOCK_EX)


def _is_still(handle: int, parent: int, name: str) -> bool:
    found = _status(parent, name)
    return found is not None and os.path.samestat(found, os.fstat(handle))

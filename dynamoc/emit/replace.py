"""One file in the place of another."""

from __future__ import annotations

import os


def replace_file(file: str, data: bytes) -> None:
    """Puts the content in the place of a file's at once, with its name, owner and mode. A link keeps pointing to it.

    OSError where that is not possible: a file with several names would lose all but one, and another owner's file its
    owner.
    """
    path = os.path.realpath(file)
    parent = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        _replace(parent, os.path.basename(path), file, data)
    finally:
        os.close(parent)


def write_file(file: str, data: bytes) -> None:
    """The same for a file that need not be there yet. OSError as `replace_file`."""
    if not os.path.lexists(file):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))
    replace_file(file, data)


def _replace(parent: int, name: str, file: str, data: bytes) -> None:
    before = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if before.st_nlink > 1:
        raise OSError(0, f"the file has {before.st_nlink} names (hard links), and would lose all but one", file)
    # Nobody can know the name before, and nothing that waits under it is opened.
    temporary = f".dynamoc-{os.urandom(8).hex()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=parent)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            if (before.st_uid, before.st_gid) != (os.fstat(handle).st_uid, os.fstat(handle).st_gid):
                os.fchown(handle, before.st_uid, before.st_gid)
            os.fchmod(handle, before.st_mode & 0o7777)
            stream.flush()
            os.fsync(handle)
        os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException as error:
        os.unlink(temporary, dir_fd=parent)
        if isinstance(error, OSError):
            error.filename = file
        raise

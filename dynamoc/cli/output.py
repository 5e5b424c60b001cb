"""Writing to stdout."""

from __future__ import annotations


def write_stdout(*texts: str) -> None:
    """UTF-8 whatever the locale says; bytes of file names that are no text are escaped.

    Raises BrokenPipeError where the reader has gone, OSError on a full disk.
    """
    try:
        with open(1, "wb", closefd=False) as stdout:
            stdout.writelines(text.encode(errors="backslashreplace") for text in texts)
    except OSError as error:
        if error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno, error.strerror, "stdout") from None

"""Writing: stdout, and files that appear whole or not at all."""

from __future__ import annotations

import os


def write_stdout(text: str) -> None:
    """UTF-8 whatever the locale says. Raises BrokenPipeError where the reader has gone, OSError on a full disk."""
    with open(1, "wb", closefd=False) as stdout:
        stdout.write(text.encode())


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

    def commit(self) -> None:
        """Write all to temporary names first, so that a full disk leaves the directory as it was; then rename."""
        os.makedirs(self.directory, exist_ok=True)
        waiting: dict[str, str] = {}
        try:
            for name, text in self.texts.items():
                if text is not None:
                    waiting[name] = self._temporary(name)
                    with open(waiting[name], "wb") as file:
                        file.write(text.encode())
            for name, text in self.texts.items():
                path = os.path.join(self.directory, name)
                if text is not None:
                    os.replace(waiting[name], path)
                    del waiting[name]
                elif os.path.lexists(path):
                    os.unlink(path)
        finally:
            for path in waiting.values():
                if os.path.exists(path):
                    os.unlink(path)

    def _temporary(self, name: str) -> str:
        """A hidden name beside the final one: a rename is atomic only inside one file system."""
        folder, base = os.path.split(os.path.join(self.directory, name))
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, f".{base}.{os.getpid()}.tmp")

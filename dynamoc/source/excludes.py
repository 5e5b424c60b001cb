"""`.dynamocignore` and `--exclude`: patterns of files to leave out, in the language of .gitignore.

`#` starts a comment, `!` takes a file in again, `/` at the end means directories. A pattern with a slash elsewhere
starts at the directory of its file, any other holds at any depth below. `*`, `?` and `[...]` stay within one name, `**`
does not. The last pattern that fits decides, the one of the nearer directory last. What lies in a directory that is
left out cannot be taken in again.
"""

from __future__ import annotations

import os

from dynamoc.limits import limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

NAME = ".dynamocignore"


class Rules:
    """The patterns of one directory."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = [rule for rule in map(_rule, lines) if rule is not None]

    def verdict(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether a path, from the directory of the patterns, is left out; None where no pattern fits."""
        found: bool | None = None
        for pattern, leaves_out, directories_only in self._rules:
            if (is_directory or not directories_only) and pattern.fullmatch(path):
                found = leaves_out
        return found

    def leaves_out(self, path: str) -> bool:
        """Whether a file is left out, or a directory that it lies in."""
        steps = path.split("/")
        for depth in range(1, len(steps) + 1):
            if self.verdict("/".join(steps[:depth]), is_directory=depth < len(steps)):
                return True
        return False


class Ignores:
    """The .dynamocignore files of directories, each read once."""

    def __init__(self) -> None:
        self._rules: dict[str, Rules | None] = {}
        #: whether there is such a file
        self.any = False

    def leaves_out(self, file: str, root: str) -> bool:
        """Whether a file below `root`, which was given and is never left out itself, is left out.

        The files from the current directory on count, or from `root` on where it lies elsewhere.
        """
        file, root, top = os.path.abspath(file), os.path.abspath(root), os.getcwd()
        if os.path.commonpath((top, root)) != top:
            top = root
        steps = os.path.relpath(file, top).split("/")
        given = 0 if root == top else len(os.path.relpath(root, top).split("/"))
        return any(self._verdict(top, steps, depth) for depth in range(given + 1, len(steps) + 1))

    def _verdict(self, top: str, steps: list[str], depth: int) -> bool:
        """What the files above one step of a path say of it."""
        found, directory = False, top
        for level in range(depth):
            rules = self._read(directory)
            if rules is not None:
                said = rules.verdict("/".join(steps[level:depth]), is_directory=depth < len(steps))
                found = found if said is None else said
            directory = os.path.join(directory, steps[level])
        return found

    def _read(self, directory: str) -> Rules | None:
        if directory not in self._rules:
            path = os.path.join(directory, NAME)
            self._rules[directory] = None
            if os.path.isfile(path):
                self.any = True
                with open(path, encoding="utf-8-sig", errors="replace") as stream:
                    self._rules[directory] = Rules(stream.read(limit("file-bytes")).splitlines())
        return self._rules[directory]


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """A pattern, whether it leaves out, and whether it means directories only; None for empty lines and comments."""
    import re

    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    leaves_out = not text.startswith("!")
    text = text if leaves_out else text[1:]
    directories_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    expression = _expression(text.removeprefix("/"))
    return re.compile(expression if anchored else f"(?:.*/)?{expression}", re.DOTALL), leaves_out, directories_only


def _expression(pattern: str) -> str:
    import re

    out, at = "", 0
    while at < len(pattern):
        rest = pattern[at:]
        if rest.startswith("**/") and (at == 0 or pattern[at - 1] == "/"):
            out, at = out + "(?:.*/)?", at + 3
        elif rest == "**" and (at == 0 or pattern[at - 1] == "/"):
            out, at = out + ".+", at + 2
        elif rest[0] == "*":
            out, at = out + "[^/]*", at + 1
        elif rest[0] == "?":
            out, at = out + "[^/]", at + 1
        elif rest[0] == "[" and (end := rest.find("]", 2)) > 0:
            inner = rest[1:end].replace("\\", "\\\\")
            inner = "^/" + inner[1:] if inner[0] in "!^" else inner
            out, at = out + f"[{inner}]", at + end + 1
        else:
            escaped = rest[0] == "\\" and len(rest) > 1
            out, at = out + re.escape(rest[escaped]), at + 1 + escaped
    return out

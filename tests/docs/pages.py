"""Pages of the documentation: the files that they show, and the commands with their output.

In the Markdown, a comment makes a file of a page:

    <!-- file: chat.yaml -->                                   the code block that follows it
    <!-- file: graph.yaml = examples/llama.yaml -->            a copy, of a file of examples/ too
    <!-- file: new.yaml = chat.yaml, with `a` for `b` -->      a copy with another text
    <!-- file: chart/Chart.yaml                                its own text, which readers do not see
    name: chat
    -->

A line `...` of an output stands for lines that the page leaves out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "how-to").glob("*.md")])
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"<!-- file: ([^\s=]+)(?: = ([^\s,]+)((?:, with `[^`]*` for `[^`]*`)*))? *(-->|\n.*?-->)", re.DOTALL)
_CHANGE = re.compile(r", with `([^`]*)` for `([^`]*)`")


class Shown(NamedTuple):
    """A command of a page and what the page shows below it."""

    command: str
    output: str


def write_files(page: Path, folder: Path) -> None:
    """The files of a page, and the examples of the project, in `folder`."""
    for example in (ROOT / "examples").rglob("*.yaml"):
        _write(folder / example.relative_to(ROOT), example.read_text())
    text = page.read_text()
    for found in _FILE.finditer(text):
        name, origin, changes, own = found.groups()
        if origin:
            content = (folder / origin).read_text()
            for new, old in _CHANGE.findall(changes):
                assert old in content, (page.name, old)
                content = content.replace(old, new)
        elif own != "-->":
            content = own.removeprefix("\n").removesuffix("-->")
        else:
            block = _BLOCK.search(text, found.end())
            assert block is not None, (page.name, name)
            content = block[2]
        _write(folder / name, content)


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def sessions(page: Path) -> list[Shown]:
    """The commands in the `console` blocks of a page, in order."""
    found = []
    for language, block in _BLOCK.findall(page.read_text()):
        if language == "console":
            parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
            assert not parts[0], (page.name, parts[0])
            found += [Shown(*pair) for pair in zip(parts[1::2], parts[2::2], strict=True)]
    return found


def shows(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, up to the lines that `...` leaves out."""
    pattern = "".join(r"(?:.*\n)+?" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None

"""The commands of a page, run by a shell in a folder of its own, as a reader runs them one after the other.

`python -m tests.flows.page_run PAGE` prints them with their output, to write a page with.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import ROOT, Shown, sessions, shows, write_files

BIN = Path(sys.executable).parent
"""Where the console scripts of this environment are."""


def environment(**more: str) -> dict[str, str]:
    """This process's variables, with the console scripts of this environment first on the PATH."""
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1", **more}


def printed(page: Path, folder: Path, env: dict[str, str]) -> Iterator[tuple[Shown, str]]:
    """Each command of the page with what the page shows, and what it printed on both streams."""
    write_files(page, folder)
    for shown in sessions(page):
        words = shlex.split(shown.command)
        if words[0] == "export":
            env |= dict(word.split("=", 1) for word in words[1:])
            yield shown, ""
            continue
        if words[0] == "cd":
            folder /= words[1]
            yield shown, ""
            continue
        done = subprocess.run(
            ["bash", "-c", shown.command], cwd=folder, env=env, text=True, check=False, stdout=-1, stderr=-2
        )
        yield shown, done.stdout


def assert_page(name: str, folder: Path, env: dict[str, str]) -> None:
    """The page in docs/ prints what it shows."""
    for shown, output in printed(ROOT / "docs" / name, folder, env):
        assert shows(shown.output, output), (shown.command, output)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for shown, output in printed(Path(sys.argv[1]), Path(name), environment()):
            print(f"$ {shown.command}\n{output}", end="")

"""Each program of the development that a page, a docstring or a step of CI names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("benchmarks", "docs", "dynamoc", "tests", "tools")
#: a line may break before the name
_RUN = re.compile(r"python -m\s+((?:benchmarks|dynamoc|tests|tools)[\w.]*\w)")


def texts() -> Iterator[Path]:
    yield from (ROOT / ".ci" / "run", ROOT / "Makefile", ROOT / "README.md")
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".md", ".py", ".toml"):
                yield path


def test_each_program_that_is_named_exists() -> None:
    named = {(name, path) for path in texts() for name in _RUN.findall(path.read_text())}
    assert len({name for name, _ in named}) > 10
    assert [(name, str(path)) for name, path in sorted(named) if not is_program(name)] == []


def is_program(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    file = path.with_suffix(".py")
    return '__name__ == "__main__"' in file.read_text() if file.is_file() else (path / "__main__.py").is_file()

"""Writes the table of rooms in docs/architecture.md: `python -m tests.docs.architecture`."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
_TABLE = re.compile(r"<!-- packages.*?-->\n.*?<!-- end -->\n", re.DOTALL)


def with_table(text: str) -> str:
    """The page with the table as the source has it."""
    rows = [f"| `{room}/` | {_summary(room)} {_packages(room)} |".replace("  ", " ") for room in _rooms()]
    lines = ["<!-- packages: written by `python -m tests.docs.architecture` -->"]
    lines += ["| in `dynamoc/` | what it holds |", "| --- | --- |", *rows, "<!-- end -->\n"]
    return _TABLE.sub(lambda _: "\n".join(lines), text)


def _rooms() -> list[str]:
    """The packages of dynamoc/, in the order in which they import each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["id"] == "layers"]
    found = {path.parent.name for path in (ROOT / "dynamoc").glob("*/__init__.py")}
    if found != set(layers):
        raise AssertionError(f"layers and packages differ: {', '.join(sorted(found ^ set(layers)))}")
    return [str(name) for name in layers]


def _packages(room: str) -> str:
    found = sorted(path.parent.name for path in (ROOT / "dynamoc" / room).glob("*/__init__.py"))
    return " ".join(f"`{name}`: {_uncapitalized(_summary(f'{room}/{name}'))}" for name in found)


def _uncapitalized(text: str) -> str:
    return text if text[1].isupper() else text[0].lower() + text[1:]


def _summary(package: str) -> str:
    """The first paragraph of a package's docstring."""
    source = (ROOT / "dynamoc" / package / "__init__.py").read_text()
    return " ".join((ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].split())


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))

"""Writes the table of packages in docs/architecture.md: `python -m tests.docs.architecture`."""

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
    rows = [f"| `{_shown(name)}` | {_first_paragraph(name)} |" for name in _modules()]
    lines = ["<!-- packages: written by `python -m tests.docs.architecture` -->"]
    lines += ["| in `dynamoc/` | what it holds |", "| --- | --- |", *rows, "<!-- end -->\n"]
    return _TABLE.sub(lambda _: "\n".join(lines), text)


def _modules() -> list[str]:
    """Packages and modules below dynamoc/, as the layers of imports have them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["id"] == "layers"]
    named = [name.strip() for layer in layers for name in layer.split("|")]
    found = {path.stem for path in (ROOT / "dynamoc").glob("*.py")} - {"__init__", "__main__"}
    found |= {path.parent.name for path in (ROOT / "dynamoc").glob("*/__init__.py")}
    if found != set(named):
        raise AssertionError(f"layers and modules differ: {', '.join(sorted(found ^ set(named)))}")
    return named


def _shown(name: str) -> str:
    return f"{name}/" if (ROOT / "dynamoc" / name).is_dir() else f"{name}.py"


def _first_paragraph(name: str) -> str:
    path = ROOT / "dynamoc" / name
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
    return " ".join((ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].split())


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))

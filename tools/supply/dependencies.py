"""Writes docs/dependencies.md from uv.lock and installed packages: `python -m tools.supply.dependencies`."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "dependencies.md"
LICENCES = (
    *("MIT", "MIT License", "BSD", "BSD License", "BSD-2-Clause", "BSD-3-Clause"),
    *("Apache-2.0", "PSF-2.0", "ISC", "ISC License (ISCL)"),
)
HEAD = """\
# Dependencies

`render` and `validate` load only PyYAML; the others are for help, completion, schemas and `convert --write`. The extra
`lsp` adds pygls (Apache-2.0), lsprotocol and cattrs (MIT). All licences allow use and redistribution.

| package | version | licence | needed by |
| --- | --- | --- | --- |
"""
TAIL = """
`uv.lock` has the SHA-256 of each file. For pip, and as a bill of materials (`make sbom`):

```sh
uv export --frozen --no-dev --no-emit-project -o requirements.txt   # pip install --require-hashes -r requirements.txt
uv export --frozen --no-dev --format cyclonedx1.5 -o sbom.json
```

Written by `python -m tools.supply.dependencies`.
"""


def locked() -> dict[str, dict[str, Any]]:
    """The packages of uv.lock, by name."""
    return {item["name"]: item for item in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}


def runtime() -> dict[str, list[str]]:
    """What dynamoc needs at run time: name to the packages that need it."""
    packages = locked()
    needed: dict[str, list[str]] = {}
    waiting = ["dynamoc"]
    while waiting:
        parent = waiting.pop(0)
        for item in packages[parent].get("dependencies", ()):
            if item["name"] not in needed:
                waiting.append(item["name"])
            needed.setdefault(item["name"], []).append(parent)
    return needed


def licence(name: str) -> str | None:
    """What an installed package says of itself; None where it is not installed, as on another platform."""
    try:
        data: Any = metadata(name)
    except PackageNotFoundError:
        return None
    expression = data.get("License-Expression")
    classifiers = [
        line.rpartition(" :: ")[2] for line in data.get_all("Classifier", ()) if line.startswith("License ::")
    ]
    said = expression or next(iter(classifiers), None) or (data.get("License") or "unknown").splitlines()[0]
    return said.removesuffix(" Software License")


def _named(parents: list[str]) -> str:
    return ", ".join(parents) + " |"


def page() -> str:
    packages = locked()
    rows = [
        " | ".join((f"| {name}", packages[name]["version"], licence(name) or "other platforms only", _named(parents)))
        for name, parents in sorted(runtime().items())
    ]
    return HEAD + "\n".join(rows) + "\n" + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""How large the program may be. A commit that needs more raises a figure here, and says why beside it."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "dynamoc"
#: figure, and why it was raised last
LINES = (70000, "the goal")
MODULES = (300, "the goal")
#: packages and modules: eight rooms, `__init__` and `__main__`
ENTRIES = (10, "the rooms")
#: of one module; those above it are tables
LENGTH = 400
TABLES = {
    "interfaces/cli/options.py",
    "reference/constants.py",
    "reference/models/v1alpha1.py",
}


def lengths() -> dict[str, int]:
    paths = (path for path in PACKAGE.rglob("*.py") if path.name != "_version.py")
    return {path.relative_to(PACKAGE).as_posix(): len(path.read_text().splitlines()) for path in paths}


def test_the_package_stays_in_its_budget() -> None:
    found = lengths()
    assert sum(found.values()) <= LINES[0]
    assert len(found) <= MODULES[0]
    modules = {path.name for path in PACKAGE.glob("*.py") if path.name != "_version.py"} | {
        path.parent.name for path in PACKAGE.glob("*/*.py")
    }
    assert len(modules) <= ENTRIES[0]


def test_modules_stay_short() -> None:
    assert {name for name, length in lengths().items() if length > LENGTH} <= TABLES

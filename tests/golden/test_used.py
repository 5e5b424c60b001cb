"""No record lies about unused: each file below `golden/` belongs to a case that a test reads."""

from itertools import chain
from pathlib import Path

from tests.golden.cases import GOLDEN, cases

#: cases of conversion, which tests/convert/test_operator.py reads, all of them
CONVERSION = "convert"


def used_files() -> set[Path]:
    """The files that tests read: of a case those that its `case.toml` names."""
    found: set[Path] = set()
    for case in cases():
        found |= {case.folder / "case.toml", case.input, *chain(*map(case.expected, case.targets))}
        if case.operator_config:
            found.add(case.folder / case.operator_config)
    for folder in (GOLDEN / CONVERSION).iterdir():
        found |= {folder / name for name in ("case.toml", "input.yaml", "expected.json")}
    return found


def files() -> list[Path]:
    return sorted(path for path in GOLDEN.rglob("*") if path.is_file())


def test_a_test_reads_each() -> None:
    used = used_files()
    unused = [path.relative_to(GOLDEN).as_posix() for path in files() if path not in used]
    assert unused == [], "no case names these files: remove them, or name them in their case.toml"


def test_every_record_is_there() -> None:
    """Syrupy fails on a missing record too, but tells it as a difference."""
    missing = [path for case in cases() for path in chain(*map(case.expected, case.targets)) if not path.exists()]
    assert not missing

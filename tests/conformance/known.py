"""Recorded cases that dynamoc is known not to match, with the reason."""

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("known.toml")


class Known(NamedTuple):
    """A pattern of `corpus/target/name`, as `fnmatch` reads it, and why its cases differ."""

    pattern: str
    reason: str

    def matches(self, case: str) -> bool:
        return fnmatchcase(case, self.pattern)


def known_differences() -> list[Known]:
    entries = tomllib.loads(_FILE.read_text()).get("known", [])
    return [Known(pattern, entry["reason"]) for entry in entries for pattern in entry["cases"]]


def reason_of(case: str) -> str | None:
    """Why a case differs; None where it must not."""
    return next((known.reason for known in known_differences() if known.matches(case)), None)

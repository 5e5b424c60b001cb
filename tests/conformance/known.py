"""Recorded cases that dynamoc is known not to match, with the reason."""

import tomllib
from pathlib import Path

_FILE = Path(__file__).with_name("known.toml")


def known_differences() -> dict[str, str]:
    """`corpus/target/name` to the reason."""
    return {
        case: entry["reason"] for entry in tomllib.loads(_FILE.read_text()).get("known", []) for case in entry["cases"]
    }

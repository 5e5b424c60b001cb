"""Writes `severities.txt`, the usual severity of each finding, from the catalogue: `python -m tools.severities`."""

from __future__ import annotations

from dynamoc.reference.findings import DIRECTORY, entries

FILE = DIRECTORY.parent / "severities.txt"


def text() -> str:
    """Raises Malformed and ValueError where an entry is not complete."""
    return "".join(f"{slug} {entry.severities[0]}\n" for slug, entry in entries().items())


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

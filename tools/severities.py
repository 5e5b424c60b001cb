"""Writes `severities.txt`, findings below their usual severity, from the catalogue: `python -m tools.severities`."""

from __future__ import annotations

from dynamoc.reference.findings import DIRECTORY, entries

FILE = DIRECTORY.parent / "severities.txt"


def text() -> str:
    """Raises Malformed and ValueError where an entry is not complete."""
    found: dict[str, list[str]] = {}
    for slug, entry in entries().items():
        found.setdefault(entry.severities[0], []).append(f"{slug}\n")
    return "\n".join(f"{severity}\n{''.join(slugs)}" for severity, slugs in found.items())


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

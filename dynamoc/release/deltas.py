"""Data that is written down only for the releases in which it changes.

A table has an entry for each release that differs from the one before; the releases between have what came before them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeVar

    Entry = TypeVar("Entry")

#: the releases, oldest first
ORDER = ("0.4", "0.5", "0.6", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6")


def newest(table: Mapping[str, Entry], release: str) -> Entry:
    """The entry of the newest release up to `release` that has one. KeyError where the release is unknown or older."""
    found = list(entries(table, release))
    if not found:
        raise KeyError(release)
    return found[-1]


def merged(table: Mapping[str, Mapping[str, Any]], release: str) -> dict[str, Any]:
    """All entries up to `release`, later ones over earlier ones. KeyError for an unknown release."""
    values: dict[str, Any] = {}
    for entry in entries(table, release):
        values.update(entry)
    return values


def entries(table: Mapping[str, Entry], release: str) -> Iterator[Entry]:
    """The entries of the releases up to `release`, oldest first. KeyError for an unknown release."""
    if release not in ORDER:
        raise KeyError(release)
    return (table[name] for name in ORDER[: ORDER.index(release) + 1] if name in table)

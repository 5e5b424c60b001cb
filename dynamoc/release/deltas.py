"""Data that is written down only for the releases in which it changes.

A table has an entry for each release that differs from the one before; the releases between have what came before them.
"""

from __future__ import annotations

from dynamoc.release.known_releases import ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeVar

    Entry = TypeVar("Entry")
    Key = TypeVar("Key")

#: in place of a value: the release no longer has it
GONE: Any = type("Gone", (), {"__repr__": lambda _: "GONE", "__slots__": ()})()


def newest(table: Mapping[str, Entry], release: str) -> Entry:
    """The entry of the newest release up to `release` that has one. KeyError where the release is unknown or older."""
    return table[holder(table, release)]


def holder(table: Mapping[str, object], release: str) -> str:
    """The newest release up to `release` that has an entry. KeyError where the release is unknown or older."""
    found = list(_holders(table, release))
    if not found:
        raise KeyError(release)
    return found[-1]


def merged(table: Mapping[str, Mapping[Key, Any]], release: str) -> dict[Key, Any]:
    """All entries up to `release`, later ones over earlier ones, without what is GONE. KeyError for an unknown one."""
    values: dict[Key, Any] = {}
    for name in _holders(table, release):
        values.update(table[name])
    return {key: value for key, value in values.items() if value is not GONE}


def _holders(table: Mapping[str, object], release: str) -> Iterator[str]:
    if release not in ORDER:
        raise KeyError(release)
    return (name for name in ORDER[: ORDER.index(release) + 1] if name in table)

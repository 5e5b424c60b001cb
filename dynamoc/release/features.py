"""Behaviours that exist in some releases and not in others."""

from __future__ import annotations


class Feature:
    """A behaviour with the release it came in, the one it went in (or None), and where that can be read."""

    __slots__ = ("name", "reason", "since", "source", "until")

    def __init__(self, name: str, *, since: str, until: str | None = None, reason: str, source: str) -> None:
        self.name = name
        self.since = since
        self.until = until
        self.reason = reason
        self.source = source

    def in_release(self, index: int, order: tuple[str, ...]) -> bool:
        """Whether the release at `index` of `order` has the feature; `until` is the first one without it."""
        if index < order.index(self.since):
            return False
        return self.until is None or index < order.index(self.until)


FEATURES: tuple[Feature, ...] = ()

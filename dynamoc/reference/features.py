"""Behaviours that exist in some releases and not in others, from `features.txt`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False, slots=True)
class Feature:
    """A behaviour with the release it came in, the one it went in (or None), and where that can be read."""

    name: str
    since: str
    until: str | None
    reason: str
    source: str

    def in_release(self, index: int, order: tuple[str, ...]) -> bool:
        """Whether the release at `index` of `order` has the feature; `until` is the first one without it."""
        if index < order.index(self.since):
            return False
        return self.until is None or index < order.index(self.until)


def read_data(name: str) -> str:
    """The text of a file beside this one, also from a zip file."""
    loader: Any = __spec__.loader
    text: str = loader.get_data(os.path.join(os.path.dirname(__file__), name)).decode()
    return text


def read_rows(name: str) -> list[list[str]]:
    """The words of each line of such a file, without its head."""
    return [line.split() for line in read_data(name).splitlines()[1:]]


def _feature(block: str) -> Feature:
    head, reason, source = block.strip().split("\n")
    name, since, *until = head.split()
    return Feature(name, since, until[0] if until else None, reason.strip(), source.strip())


FEATURES = tuple(map(_feature, read_data("features.txt").split("\n\n")[1:]))

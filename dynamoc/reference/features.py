"""Rows of text: behaviours that exist in some releases only, and fields that v1alpha1 and v1beta1 both have."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

Steps = tuple[str, ...]


@dataclass(eq=False, slots=True)
class Feature:
    """A behaviour with the release it came in, the first one without it (or None), and where that can be read."""

    name: str
    since: str
    until: str | None
    reason: str
    source: str


def read_data(name: str) -> str:
    """The text of a file beside this one, also from a zip file."""
    loader: Any = __spec__.loader
    text: str = loader.get_data(os.path.join(os.path.dirname(__file__), name)).decode()
    return text


def read_rows(name: str) -> list[list[str]]:
    """The words of each line of such a file, without its head."""
    return [line.split() for line in read_data(name).splitlines()[1:]]


def _feature(block: str) -> Feature:
    head, reason, source = block.split("\n  ")
    name, since, *until = head.split()
    return Feature(name, since, until[0] if until else None, reason, source)


FEATURES = tuple(map(_feature, read_data("features.txt").rstrip().split("\n\n")[1:]))


_BOTH: dict[str, list[tuple[str, str]]] = {}
for _part, _alpha, _beta in read_rows("both-versions.txt"):
    _BOTH.setdefault(_part, []).append((_alpha, _beta))


def beta_names(part: str) -> dict[str, str]:
    """v1alpha1's name of each field of a part, such as `graph`, to v1beta1's.

    Conversions, hints and the places of findings read these rows. Source: api/v1alpha1/*_conversion.go of release 1.4.
    """
    return dict(_BOTH[part])


def beta_places(part: str) -> list[tuple[Steps, Steps]]:
    """The same as paths, in the order of the rows."""
    return [(tuple(alpha.split(".")), tuple(beta.split("."))) for alpha, beta in _BOTH[part]]

"""The named behaviours that one of two releases has and the other has not."""

from __future__ import annotations

from dynamoc.release.features import FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Row = dict[str, Any]


def feature_difference(old: Release, new: Release) -> list[Row]:
    """`{"name", "change", "reason", "source"}` of each behaviour that one of the releases has; `came` or `went`."""
    return [
        {
            "name": feature.name,
            "change": "came" if new.has(feature.name) else "went",
            "reason": feature.reason,
            "source": feature.source,
        }
        for feature in FEATURES
        if old.has(feature.name) != new.has(feature.name)
    ]

"""Which fields show a behaviour that came or went between two releases; what both have is never named."""

from __future__ import annotations

from dynamoc.compare.ignore import Pattern, Words
from dynamoc.release.difference import feature_difference
from dynamoc.release.shown_features import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.path import Steps
    from dynamoc.compare.result import Change
    from dynamoc.release import Release

    Row = dict[str, Any]


class FeatureFields:
    """The features that tell two releases apart, by the fields that show them."""

    def __init__(self, old: Release, new: Release) -> None:
        differing: dict[str, Row] = {row["name"]: row for row in feature_difference(old, new)}
        self._found: dict[tuple[str, str, Steps], Row | None] = {}
        self._known = [
            (Pattern(text), differing[name])
            for text, names in FIELDS
            if (name := next((name for name in names if name in differing), None))
        ]

    def of(self, kind: str, name: str, change: Change | None) -> Row | None:
        """The feature behind a change of a field, or behind an object that one release makes (`change` is None)."""
        steps = change.steps if change else ()
        key = kind, name, steps
        if key not in self._found:
            place = Words(steps)
            self._found[key] = next((row for pattern, row in self._known if pattern.matches(kind, name, place)), None)
        return self._found[key]

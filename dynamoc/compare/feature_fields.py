"""Which fields show a behaviour that came or went between two releases; what both have is never named."""

from __future__ import annotations

from dynamoc.compare.ignore import Pattern, Patterns
from dynamoc.release.feature_difference import feature_difference
from dynamoc.release.shown_features import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.result import Change
    from dynamoc.release import Release

    Row = dict[str, Any]


class FeatureFields:
    """The features that tell two releases apart, by the fields that show them."""

    def __init__(self, old: Release, new: Release) -> None:
        differing: dict[str, Row] = {row["name"]: row for row in feature_difference(old, new)}
        self._rows = {
            Pattern(text): differing[name]
            for text, names in FIELDS
            if (name := next((name for name in names if name in differing), None))
        }
        self._patterns = Patterns(list(self._rows))

    def of(self, kind: str, name: str, change: Change | None) -> Row | None:
        """The feature behind a change of a field, or behind an object that one release makes (`change` is None)."""
        pattern = self._patterns.first(kind, name, change.steps if change else ())
        return None if pattern is None else self._rows[pattern]

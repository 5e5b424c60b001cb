"""What differs between two releases, as data: constants, features, and the order of the rules."""

from __future__ import annotations

from dynamoc.release.features import FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Row = dict[str, Any]


def constant_difference(old: Release, new: Release) -> list[Row]:
    """`{"name", "old", "new"}` of each constant whose value is not the same; None stands for none."""
    before, after = old.constants, new.constants
    return [
        {"name": name, "old": before.get(name), "new": after.get(name)}
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


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


def rule_difference(old: Release, new: Release) -> list[Row]:
    """`{"name", "change"}` of each pod rule that came, went, or stands elsewhere among the rules both have."""
    before, after = old.pod_rules, new.pod_rules
    rows = [{"name": name, "change": "came"} for name in after if name not in before]
    rows += [{"name": name, "change": "went"} for name in before if name not in after]
    shared_before = [name for name in before if name in after]
    shared_after = [name for name in after if name in before]
    kept = _longest_common(shared_before, shared_after)
    return rows + [{"name": name, "change": "moved"} for name in shared_after if name not in kept]


def _longest_common(left: list[str], right: list[str]) -> set[str]:
    """Names of a longest subsequence that stands in both lists in the same order."""
    best: list[list[list[str]]] = [[[] for _ in range(len(right) + 1)] for _ in range(len(left) + 1)]
    for i, name in enumerate(left):
        for j, other in enumerate(right):
            longer = max(best[i][j + 1], best[i + 1][j], key=len)
            best[i + 1][j + 1] = [*best[i][j], name] if name == other else longer
    return set(best[-1][-1])

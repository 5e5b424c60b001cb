"""The modules with rules, which register themselves, and all rules."""

from __future__ import annotations

from dynamoc.analysis.check.registry import RULES, Rule


def rules() -> list[Rule]:
    """All rules, each once."""
    return list(dict.fromkeys(RULES.values()))

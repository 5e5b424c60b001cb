"""The modules with rules, which register themselves, and all rules."""

from __future__ import annotations

from dynamoc.analysis.check import (  # noqa: F401 - for the rules in them
    commands,
    containers,
    flags,
    graphs,
    images,
    nodes,
    transfer,
    values,
    variables,
    volumes,
    weights,
)
from dynamoc.analysis.check.registry import RULES, Rule


def rules() -> list[Rule]:
    """All rules, each once."""
    return list(dict.fromkeys(RULES.values()))

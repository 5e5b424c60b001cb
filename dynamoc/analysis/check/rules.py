"""All rules of `dynamoc check`."""

from __future__ import annotations

from dynamoc.analysis.check import (
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

_MODULES = (commands, containers, flags, graphs, images, nodes, transfer, values, variables, volumes, weights)


def rules() -> list[Rule]:
    """Each rule once, module by module."""
    return [rule for module in _MODULES for rule in dict.fromkeys(RULES.values()) if rule.__module__ == module.__name__]

"""The modules with rules, which register themselves, and all rules."""

from __future__ import annotations

from dynamoc.check.registry import RULES
from dynamoc.check.rules import (  # noqa: F401
    autoscaling,
    commands,
    containers,
    flags,
    gangs,
    gpus,
    graphs,
    images,
    names,
    nodes,
    routing,
    sizes,
    transfer,
    units,
    values,
    variables,
    volumes,
    weights,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.check.registry import Rule


def rules() -> list[Rule]:
    """All rules, each once."""
    return list(dict.fromkeys(RULES.values()))

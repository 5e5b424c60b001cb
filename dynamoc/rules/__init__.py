"""Small functions by topic that shape a pod, each known by its name, `topic/what`; `backends/`."""

from __future__ import annotations

from dynamoc.rules.registry import Rule, rule, rules_of

__all__ = ["Rule", "rule", "rules_of"]

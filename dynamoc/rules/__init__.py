"""Small functions by topic. Each sets one thing of a pod and is known by its name, `topic/what`."""

from __future__ import annotations

from dynamoc.rules.registry import Rule, rule, rules_of

__all__ = ["Rule", "rule", "rules_of"]

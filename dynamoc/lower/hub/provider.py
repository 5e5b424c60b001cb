"""Fragments of Grove's objects that a graph brings, put into its PodCliqueSet as they are.

Source: internal/provideroverride/grove.go ComposeGroveOverrides of operator 1.5.
"""

from __future__ import annotations

from dynamoc.model.provider import CONSTRAINT, GROUP, LEADER, constraint_of
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph

    Tree = dict[str, Any]


def compose(template: Tree, graph: Graph) -> None:
    """Writes the constraints of all fragments into a rendered `spec.template`, over the existing ones."""
    root = (graph.value.get("spec") or {}).get("providerOverride")
    if root is not None:
        template[CONSTRAINT] = copy_tree(constraint_of(root))
    for component in graph.components:
        _compose_component(template, component)


def _compose_component(template: Tree, component: Component) -> None:
    name, own = component.name.lower(), component.spec.get("providerOverride")
    if own is not None:
        field = "podCliqueScalingGroups" if own.get("target") == GROUP else "cliques"
        _write(template[field], name, own)
    for role in component.spec.get("roles") or ():
        if role.get("providerOverride") is not None:
            suffix = "ldr" if role["name"] == LEADER else "wkr"
            _write(template["cliques"], f"{name}-{suffix}", role["providerOverride"])


def _write(items: list[Tree], name: str, override: Tree) -> None:
    constraint = constraint_of(override)
    for item in items:
        if item["name"] == name and constraint is not None:
            item[CONSTRAINT] = copy_tree(constraint)

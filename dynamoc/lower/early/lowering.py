"""A checked v1alpha1 document as the objects of releases 0.4 to 0.6."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def lower_document(value: Tree, operator: Operator, written: str) -> list[Tree]:  # noqa: ARG001
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote; there is only one here.

    Raises `Refusal` where the operator fails on the document.
    """
    return _LOWER[value["kind"]](value, operator)


def _graph(value: Tree, operator: Operator) -> list[Tree]:
    from dynamoc.lower.early.graph import lower_graph
    from dynamoc.model.v1alpha1 import graph_from_dgd

    return lower_graph(graph_from_dgd(value), operator)


def _component(value: Tree, operator: Operator) -> list[Tree]:
    from dynamoc.lower.early.deployed import lower_component

    owners = value["metadata"].get("ownerReferences") or []
    owner = next((item["name"] for item in owners if item.get("kind") == "DynamoGraphDeployment"), "")
    return lower_component(value, ("spec",), owner, operator)


_LOWER = {"DynamoGraphDeployment": _graph, "DynamoComponentDeployment": _component}

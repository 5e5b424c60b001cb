"""A checked and admitted document as objects, by the generation of lowering that a release has."""

from __future__ import annotations

from typing import Any

from dynamoc.admission.operator import Operator
from dynamoc.kube.tracing import ALPHA, EARLY, HUB
from dynamoc.rendering.lower import alpha_graph, early_graph, hub_graph

Tree = dict[str, Any]
_LOWERINGS = {
    EARLY: early_graph.lower_document,
    ALPHA: alpha_graph.lower_document,
    HUB: hub_graph.lower_document,
}


def lower_document(value: Tree, operator: Operator, written: str, *alpha: Tree) -> list[Tree]:
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote: findings are placed there. `alpha` is the document as it is stored
    in v1alpha1, where it is. Raises `Refusal` where the operator admits the document and then fails.
    """
    return _LOWERINGS[operator.release["lower"]](value, operator, written, *alpha)

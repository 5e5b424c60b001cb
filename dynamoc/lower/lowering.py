"""A checked and admitted document as objects, by the generation of lowering that a release has."""

from __future__ import annotations

from typing import Any

from dynamoc.lower.alpha import lowering as alpha_lowering
from dynamoc.lower.early import lowering as early_lowering
from dynamoc.lower.hub import lowering as hub_lowering
from dynamoc.model.operator import Operator
from dynamoc.tracing import ALPHA, EARLY, HUB

Tree = dict[str, Any]

_LOWERINGS = {
    EARLY: early_lowering.lower_document,
    ALPHA: alpha_lowering.lower_document,
    HUB: hub_lowering.lower_document,
}


def lower_document(value: Tree, operator: Operator, written: str, *alpha: Tree) -> list[Tree]:
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote: findings are placed there. `alpha` is the document as it is stored
    in v1alpha1, where it is. Raises `Refusal` where the operator admits the document and then fails.
    """
    return _LOWERINGS[operator.release["lower"]](value, operator, written, *alpha)

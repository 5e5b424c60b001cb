"""A checked and admitted document as objects that need no operator."""

from __future__ import annotations

from dynamoc.lower import lowering
from dynamoc.lower.standalone.additions import missing_objects
from dynamoc.lower.standalone.operator_needs import note_losses
from dynamoc.lower.standalone.parts import keep_shared
from dynamoc.lower.standalone.preparation import without_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def lower_document(value: Tree, operator: Operator, written: str, *alpha: Tree) -> list[Tree]:
    """What the operator creates for a canonical document, without what only it reads, and with what is missing.

    Raises `Refusal` where the operator admits the document and then fails.
    """
    standalone = operator.standalone
    if standalone is None:
        raise ValueError("a document is lowered to stand alone, and the operator is there")
    if standalone.leaves_out(value):
        return []
    prepared = [without_waiting(tree, operator) for tree in (value, *alpha)]
    objects = lowering.lower_document(prepared[0], operator, written, *prepared[1:])
    note_losses(prepared[0], objects, operator)
    kept = [item for item in objects if not standalone.leaves_out(item)]
    return keep_shared(kept + missing_objects(kept, operator), operator)

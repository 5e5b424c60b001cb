"""Reading an object as the operator's Go types do."""

from __future__ import annotations

from dynamoc.convert import go_types
from dynamoc.diagnostics.finding import Refusal, format_path
from dynamoc.golang.scalars import Mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

V1ALPHA1, V1BETA1 = "nvidia.com/v1alpha1", "nvidia.com/v1beta1"


def read(value: Tree, kind: str) -> Tree:
    """The object of kind `kind` as a minimal tree. Refusal where the operator could not read it."""
    shape = go_types.beta(kind) if value["apiVersion"] == V1BETA1 else go_types.alpha(kind)
    try:
        tree: Tree = shape.read(value)
    except Mismatch as error:
        path = tuple(reversed(error.path))
        message = f"{format_path(path)} must be {error.wanted}, not {error.value!r:.60}: the operator cannot read it."
        raise Refusal("convert/wrong-type", message, path) from None
    return tree

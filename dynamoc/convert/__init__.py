"""v1alpha1 ⇄ v1beta1 as the operator converts them."""

from __future__ import annotations

from dynamoc.convert import kinds
from dynamoc.convert.kinds import KINDS
from dynamoc.convert.reading import V1ALPHA1, V1BETA1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

__all__ = ["KINDS", "V1ALPHA1", "V1BETA1", "losses", "to_v1alpha1", "to_v1beta1", "unmoved", "view"]


def to_v1beta1(value: Tree, *, lossless: bool = True) -> Tree:
    """A v1alpha1 document of one of KINDS in v1beta1. Refusal where the operator cannot convert it.

    With `lossless` it is the operator's own answer, annotations that keep what v1beta1 cannot hold included; without,
    it is what a person would write: no such annotations, no zero values, quantities in the words of the source.
    """
    return _convert(value, V1BETA1, lossless)


def to_v1alpha1(value: Tree, *, lossless: bool = True) -> Tree:
    """A v1beta1 document in v1alpha1, as `to_v1beta1` does it."""
    return _convert(value, V1ALPHA1, lossless)


def unmoved(written: Tree, defaulted: Tree) -> Tree | None:
    """The v1alpha1 view of a graph that webhooks defaulted in v1beta1, where they have moved nothing; see `kinds`."""
    return kinds.unmoved(written, defaulted, KINDS[written["kind"]])


def view(value: Tree) -> Tree:
    """A stored v1alpha1 document as it comes back from v1beta1."""
    return to_v1alpha1(to_v1beta1(value))


def losses(value: Tree, target: str) -> list[tuple[Path, str]]:
    """What of a document does not survive its conversion to the apiVersion `target` without annotations, and why."""
    from dynamoc.convert.lost_fields import losses_of
    from dynamoc.convert.plain import Conversion

    return [(loss.path, loss.reason) for loss in losses_of(Conversion(value, target))]


def _convert(value: Tree, to: str, lossless: bool) -> Tree:
    kind = KINDS[value["kind"]]
    if lossless:
        convert = kinds.to_beta if to == V1BETA1 else kinds.to_alpha
        return kinds.printed(convert(value, kind), kind)
    from dynamoc.convert.plain import Conversion, Plain

    plain: Tree = Conversion(value, to).build(Plain(value))
    return plain

"""v1alpha1 and v1beta1 documents, each in the other version, as the conversion webhook of operator 1.4 makes them."""

from __future__ import annotations

from dynamoc.convert import document
from dynamoc.convert.document import KINDS, V1ALPHA1, V1BETA1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["KINDS", "V1ALPHA1", "V1BETA1", "to_v1alpha1", "to_v1beta1"]


def to_v1beta1(value: dict[str, Any]) -> dict[str, Any]:
    kind = KINDS[value["kind"]]
    return document.printed(document.to_beta(value, kind), kind)


def to_v1alpha1(value: dict[str, Any]) -> dict[str, Any]:
    kind = KINDS[value["kind"]]
    return document.printed(document.to_alpha(value, kind), kind)

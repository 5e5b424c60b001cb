"""The conversion webhooks of the operators, by the names that the constant `convert` of a release has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dynamoc.convert import first_operator, to_v1alpha1, to_v1beta1, unmoved, view
from dynamoc.release.registry import Release

Tree = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dialect:
    """v1alpha1 and v1beta1 documents, each in the other version.

    unmoved  the v1alpha1 view of a graph that webhooks defaulted in v1beta1, None where they may have moved something
    view     a stored v1alpha1 document as it comes back from v1beta1
    """

    to_v1beta1: Callable[[Tree], Tree]
    to_v1alpha1: Callable[[Tree], Tree]
    unmoved: Callable[[Tree, Tree], Tree | None]
    view: Callable[[Tree], Tree]


_DIALECTS = {
    "first": Dialect(
        first_operator.to_v1beta1, first_operator.to_v1alpha1, first_operator.unmoved, first_operator.view
    ),
    "latest": Dialect(to_v1beta1, to_v1alpha1, unmoved, view),
}


def dialect_of(release: Release) -> Dialect:
    """How a release converts. KeyError where it knows one version only."""
    return _DIALECTS[release["convert"]]

"""DynamoComponentDeployment between the two versions, on minimal trees.

Facts: api/v1alpha1/dynamocomponentdeployment_conversion.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.convert import shared_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]


# The record that says that v1alpha1 had no name of its own: v1beta1 needs one and takes the object's.
UNNAMED = {"path": "serviceName", "nil": True}


def spec_to_beta(alpha: Tree, saved: Tree | None, object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
    """The spec in v1beta1, what v1beta1 cannot hold of it, None if nothing needs an annotation, and its records.

    `saved` are the leftovers of the v1beta1 original that `alpha` was made from, None where it is an original itself.
    """
    beta, leftovers = shared_spec.to_beta(alpha, saved, origins=saved is None)
    if "backendFramework" in alpha:
        beta["backendFramework"] = alpha["backendFramework"]
    if object_name:
        beta.setdefault("name", object_name)
    if saved is not None and "name" not in saved and beta.get("name") == object_name:
        del beta["name"]
    records = [UNNAMED] if "serviceName" not in alpha and object_name and beta.get("name") == object_name else []
    needed = leftovers or records or (saved is None and "podTemplate" in beta)
    return beta, leftovers if needed else None, records


def spec_to_alpha(
    beta: Tree, saved: Tree | None, records: list[Tree], object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    """The spec in v1alpha1, and what v1alpha1 cannot hold of it, None if nothing needs an annotation.

    `saved` and `records` are the leftovers of a v1alpha1 original; `original` says that there never was one.
    """
    alpha, leftovers = shared_spec.to_alpha(beta, saved)
    if "backendFramework" in beta:
        alpha["backendFramework"] = beta["backendFramework"]
    if UNNAMED in records and alpha.get("serviceName", "") == object_name:
        alpha.pop("serviceName", None)
    nameless = "name" not in beta and object_name != ""
    if not (leftovers or nameless or (original and "podTemplate" in beta)):
        return alpha, None
    return alpha, leftovers | ({"name": beta["name"]} if "name" in beta else {})

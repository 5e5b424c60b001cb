"""Claims that components bring themselves, up to 0.5."""

from __future__ import annotations

from dynamoc.lower.graph_objects import claim_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_EFFECT = "the pods that mount it wait until it exists"


def component_claims(name: str, namespace: str, component: Component, operator: Operator) -> list[Tree]:
    """The claim of a DynamoComponentDeployment named `name`, if it asks for one that does not exist yet.

    Source: controller/dynamocomponentdeployment_controller.go reconcilePVC, controller/common.go constructPVC.
    """
    claim = component.spec.get("pvc")
    if claim is None or not operator.release.has("storage/claims-of-components"):
        return []
    claim_name = claim.get("name", name)
    known = operator.cluster.spares if claim.get("create") else operator.cluster.exists
    if known("PersistentVolumeClaim", namespace, claim_name):
        return []
    path = (*component.path, "pvc")
    if not claim.get("create"):
        effect = "the operator creates no pods of this component until it exists"
        operator.unknown("PersistentVolumeClaim", namespace, claim_name, effect, path)
        return []
    return [claim_object(claim_name, namespace, claim)]


def tell_unmade_claims(namespace: str, component: Component, operator: Operator) -> None:
    """Under Grove, nothing creates the claims."""
    claim = component.spec.get("pvc")
    if claim is None or operator.cluster.get("PersistentVolumeClaim", namespace, claim.get("name", "")) is not None:
        return
    path = (*component.path, "pvc")
    if not claim.get("create"):
        operator.unknown("PersistentVolumeClaim", namespace, claim.get("name", ""), _EFFECT, path)
        return
    operator.warn(
        "storage/claim-not-made",
        f"Under Grove, the operator does not create the claim {claim.get('name', '')}: {_EFFECT}.",
        (*path, "create"),
        "Create the PersistentVolumeClaim yourself.",
    )

"""A checked and admitted document, converted to v1beta1, as objects."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def lower_document(value: Tree, operator: Operator, written: str) -> list[Tree]:
    """The objects that the operator makes of a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote: findings are placed there.
    Raises `Refusal` where the operator admits the document and then fails.
    """
    return _LOWER[value["kind"]](without_nulls(value), operator, written)


def without_nulls(value: Any) -> Any:
    """The tree without fields that are null, as Go prints lists and maps that are not there.

    An EPP's configuration keeps them: they go into its ConfigMap.
    """
    if value.__class__ is dict:
        return {
            key: item if key == "eppConfig" else without_nulls(item) for key, item in value.items() if item is not None
        }
    return [without_nulls(item) for item in value] if value.__class__ is list else value


def _graph(value: Tree, operator: Operator, written: str) -> list[Tree]:
    from dynamoc.convert.document import KINDS, V1ALPHA1, to_alpha
    from dynamoc.lower.hub.graph import lower_graph
    from dynamoc.model.v1beta1 import graph_from_dgd

    alpha = to_alpha(value, KINDS["DynamoGraphDeployment"])
    return lower_graph(graph_from_dgd(value, alpha, submitted_alpha=written == V1ALPHA1), operator)


def _component(value: Tree, operator: Operator, written: str) -> list[Tree]:
    from dynamoc.convert.document import KINDS, V1ALPHA1, to_alpha
    from dynamoc.lower.hub.deployed import DeployedComponent
    from dynamoc.lower.hub.workload import lower_component
    from dynamoc.model.v1beta1 import component_from_spec

    alpha = to_alpha(value, KINDS["DynamoComponentDeployment"])
    component = component_from_spec(
        value.get("spec") or {}, alpha.get("spec") or {}, ("spec",), submitted_alpha=written == V1ALPHA1
    )
    owners = value["metadata"].get("ownerReferences") or []
    owner = next((item["name"] for item in owners if item.get("kind") == "DynamoGraphDeployment"), "")
    return lower_component(DeployedComponent(value, component, owner=owner), operator)


def _checkpoint(value: Tree, operator: Operator, written: str) -> list[Tree]:  # noqa: ARG001
    from dynamoc.lower.hub.checkpoint import lower_checkpoint

    return lower_checkpoint(value, operator)


_LOWER = {
    "DynamoGraphDeployment": _graph,
    "DynamoComponentDeployment": _component,
    "DynamoCheckpoint": _checkpoint,
}

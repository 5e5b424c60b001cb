"""A checked and admitted v1alpha1 document as objects."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def lower_document(value: Tree, operator: Operator, written: str) -> list[Tree]:  # noqa: ARG001
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote; there is only one here.

    Raises `Refusal` where the operator admits the document and then fails.
    """
    return _LOWER[value["kind"]](value, operator)


def _graph(value: Tree, operator: Operator) -> list[Tree]:
    from dynamoc.lower.alpha.graph import lower_graph
    from dynamoc.model.v1alpha1 import graph_from_dgd

    return lower_graph(graph_from_dgd(value), operator)


def _component(value: Tree, operator: Operator) -> list[Tree]:
    from dynamoc.lower.alpha.pod_template import DeployedComponent
    from dynamoc.lower.alpha.workload import lower_component
    from dynamoc.lower.ignored import tell_ignored, tell_no_epp_config
    from dynamoc.model.v1alpha1 import component_from_spec

    spec = value["spec"]
    component = component_from_spec(spec.get("serviceName", ""), spec, ("spec",))
    tell_ignored(component, operator)
    tell_no_epp_config(component, operator)
    owners = value["metadata"].get("ownerReferences") or []
    owner = next((item["name"] for item in owners if item.get("kind") == "DynamoGraphDeployment"), "")
    return lower_component(DeployedComponent(value, component, owner=owner), operator)


def _checkpoint(value: Tree, operator: Operator) -> list[Tree]:
    if operator.release.has("snapshots/by-agent"):
        from dynamoc.lower.snapshots.checkpoint import lower_checkpoint

        return lower_checkpoint(value, operator)
    from dynamoc.lower.snapshots.first import checkpoint_job

    return [value, checkpoint_job(value, operator)]


_LOWER = {
    "DynamoGraphDeployment": _graph,
    "DynamoComponentDeployment": _component,
    "DynamoCheckpoint": _checkpoint,
}

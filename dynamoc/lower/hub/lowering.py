"""A checked and admitted document, converted to v1beta1, as objects."""

from __future__ import annotations

from dynamoc.tracing import restoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


V1ALPHA1 = "nvidia.com/v1alpha1"
#: annotations in which a conversion keeps what v1beta1 cannot say
_LEFTOVERS = frozenset(("nvidia.com/dgd-spec", "nvidia.com/dcd-spec"))


#: fields whose values are handed through
_KEPT_WHOLE = ("eppConfig", "providerOverride")


def lower_document(value: Tree, operator: Operator, written: str, alpha: Tree | None = None) -> list[Tree]:
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote: findings are placed there. `alpha` is the document as it is stored
    in v1alpha1, where it is; else its v1alpha1 view is made of `value`.
    Raises `Refusal` where the operator admits the document and then fails.
    """
    return _LOWER[value["kind"]](without_nulls(value), operator, written, alpha)


def without_nulls(value: Any) -> Any:
    """The tree without null fields, as Go prints lists and maps that do not exist.

    An EPP's configuration keeps them: they go into its ConfigMap. So do fragments of Grove's objects.
    """
    if value.__class__ is dict:
        return {
            key: item if key in _KEPT_WHOLE else without_nulls(item) for key, item in value.items() if item is not None
        }
    return [without_nulls(item) for item in value] if value.__class__ is list else value


def _graph(value: Tree, operator: Operator, written: str, alpha: Tree | None) -> list[Tree]:
    from dynamoc.lower.hub.graph import lower_graph
    from dynamoc.model.v1beta1 import graph_from_dgd

    view = _alpha_view(value, written) if alpha is None else alpha
    graph = graph_from_dgd(value, view, submitted_alpha=written == V1ALPHA1)
    return lower_graph(graph, operator)


def _component(value: Tree, operator: Operator, written: str, alpha: Tree | None) -> list[Tree]:
    from dynamoc.lower.hub.deployed import DeployedComponent
    from dynamoc.lower.hub.workload import lower_component
    from dynamoc.lower.ignored import tell_ignored, tell_no_epp_config
    from dynamoc.model.v1beta1 import component_from_spec

    view = _alpha_view(value, written) if alpha is None else alpha
    component = component_from_spec(
        value.get("spec") or {}, view.get("spec") or {}, ("spec",), submitted_alpha=written == V1ALPHA1
    )
    tell_ignored(component, operator)
    tell_no_epp_config(component, operator)
    owners = value["metadata"].get("ownerReferences") or []
    owner = next((item["name"] for item in owners if item.get("kind") == "DynamoGraphDeployment"), "")
    return lower_component(DeployedComponent(value, component, owner=owner), operator)


@restoring
def _alpha_view(value: Tree, written: str) -> Tree:
    """The document in v1alpha1, as far as rendering needs it.

    One that always was v1beta1 says nothing there that it doesn't say itself, but for the sub type of workers.
    """
    annotations = value["metadata"].get("annotations") or {}
    if written == V1ALPHA1 or _LEFTOVERS.intersection(annotations):
        from dynamoc.convert.kinds import KINDS, to_alpha

        return to_alpha(value, KINDS[value["kind"]])
    spec = value.get("spec") or {}
    if value["kind"] == "DynamoComponentDeployment":
        return {"spec": _sub_type(spec)}
    return {"spec": {"services": {item.get("name", ""): _sub_type(item) for item in spec.get("components") or ()}}}


def _sub_type(spec: Tree) -> Tree:
    return {"subComponentType": spec["type"]} if spec.get("type") in ("prefill", "decode") else {}


def _checkpoint(value: Tree, operator: Operator, written: str, alpha: Tree | None) -> list[Tree]:  # noqa: ARG001
    from dynamoc.lower.snapshots.checkpoint import lower_checkpoint

    return lower_checkpoint(value, operator)


_LOWER = {
    "DynamoGraphDeployment": _graph,
    "DynamoComponentDeployment": _component,
    "DynamoCheckpoint": _checkpoint,
}

"""What there is to say about a Dynamo document of which dynamoc renders no objects."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

#: What the operator does with a kind instead of creating objects.
_REASONS = {
    "DynamoModel": "The operator creates no objects for a DynamoModel: it loads the adapter into the pods that serve "
    "the base model, and lists them in the status.",
    "DynamoWorkerMetadata": "The operator creates no objects for a DynamoWorkerMetadata: workers write it themselves, "
    "so that others find them.",
    "PodSnapshot": "The operator creates no objects for a PodSnapshot: it needs the running pod that is to be saved.",
    "PodSnapshotContent": "The operator creates no objects for a PodSnapshotContent: it only describes a saved pod.",
}


def reason(value: Tree) -> str:
    """Why the output holds nothing that is made of a document."""
    kind = str(value["kind"])
    if kind == "DynamoGraphDeploymentScalingAdapter":
        return _of_adapter(value.get("spec") or {})
    if kind in ("DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoCheckpoint"):
        return f"The operator creates no objects for this {kind}."
    return _REASONS.get(kind, f"dynamoc checks this {kind}, but renders no objects for it.")


def _of_adapter(spec: Tree) -> str:
    graph = spec.get("dgdRef") or {}
    component = graph.get("serviceName") or graph.get("componentName") or ""
    return (
        f"The operator creates no objects for a scaling adapter: it writes `replicas: {spec.get('replicas')}` into "
        f"component `{component}` of graph `{graph.get('name', '')}`. dynamoc renders the replicas that the graph sets."
    )

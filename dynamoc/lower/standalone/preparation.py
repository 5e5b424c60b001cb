"""A document without the steps for which the operator would wait: snapshots to be taken, components to restart."""

from __future__ import annotations

from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/standalone/preparation/without-waiting",
    source="dynamoc; without an operator nothing ends the wait",
    generations=(EARLY, ALPHA, HUB),
)
def without_waiting(value: Tree, operator: Operator) -> Tree:
    """The canonical document with checkpoints disabled, and with a restart of all components at once.

    The operator takes snapshots, holds pods back until there is one, and restarts one component after the other: each
    is a second step that nobody takes without it. The document itself stays as it is.
    """
    spec = dict(value.get("spec") or {})
    name = value["metadata"].get("name") or ""
    if value["kind"] == "DynamoComponentDeployment":
        spec = _without_checkpoint(spec, name, operator)
        value = _owned(value, operator)
    services, components = spec.get("services"), spec.get("components")
    if isinstance(services, dict):
        spec["services"] = {
            key: _without_checkpoint(item or {}, f"{name}/{key}", operator) for key, item in services.items()
        }
    if isinstance(components, list):
        spec["components"] = [
            _without_checkpoint(item, f"{name}/{item.get('name', '')}", operator) for item in components
        ]
    if (spec.get("restart") or {}).get("id"):
        spec["restart"] = _at_once(spec["restart"], name, operator)
    return {**value, "spec": spec}


def _without_checkpoint(spec: Tree, name: str, operator: Operator) -> Tree:
    """v1alpha1 has the block in the component itself, v1beta1 among what is experimental."""
    experimental = spec.get("experimental") or {}
    block = spec.get("checkpoint") or experimental.get("checkpoint")
    if block is None:
        return spec
    is_on = block.get("enabled") or ("checkpoint" in experimental and not operator.release.has("snapshots/switched"))
    if is_on and operator.standalone is not None:
        operator.standalone.lose("checkpoints", name)
    kept = {key: item for key, item in spec.items() if key not in ("checkpoint", "experimental")}
    others = {key: item for key, item in experimental.items() if key != "checkpoint"}
    return {**kept, "experimental": others} if others else kept


def _owned(value: Tree, operator: Operator) -> Tree:
    """A component without a graph, as its own owner.

    Up to 1.1 the discovery account of pods is named after the owner alone: without one, the API server refuses them.
    """
    owners, release = value["metadata"].get("ownerReferences") or [], operator.release
    if owners or release.has("hub/v1beta1") or not release.has("discovery/kubernetes"):
        return value
    owner = {
        "apiVersion": value["apiVersion"],
        "kind": "DynamoGraphDeployment",
        "name": value["metadata"].get("name", ""),
    }
    return {**value, "metadata": {**value["metadata"], "ownerReferences": [{**owner, "uid": ""}]}}


def _at_once(restart: Tree, name: str, operator: Operator) -> Tree:
    if (restart.get("strategy") or {}).get("type") != "Parallel" and operator.standalone is not None:
        operator.standalone.lose("restarts", name)
    return {**restart, "strategy": {"type": "Parallel"}}

"""Changes of a graph that the API server takes on creation only: the graph must be deleted and made anew.

Source: internal/webhook/validation/dynamographdeployment.go ValidateUpdate of 1.0,
validateDynamoGraphDeploymentSpecUpdate of 1.4; the CEL rules of minAvailable.
"""

from __future__ import annotations

from dynamoc.compare.model import RefusedUpdate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.path import Steps

    Tree = dict[str, Any]
    Refusal = tuple[Steps, str]

_KINDS = ("DynamoGraphDeployment", "DynamoComponentDeployment")
_HINT = "Delete the {kind} and apply it anew, or keep the old value."


def refused_updates(old: list[Tree], new: list[Tree], namespace: str) -> list[RefusedUpdate]:
    """What an update from the old documents to the new ones is refused for, graph by graph."""
    before = {_key(value, namespace): value for value in old if value.get("kind") in _KINDS}
    found: list[RefusedUpdate] = []
    for value in new:
        key = _key(value, namespace)
        earlier = before.get(key)
        if earlier is not None:
            kind, in_namespace, name = key
            for steps, message in _refusals(earlier.get("spec") or {}, value.get("spec") or {}):
                hint = _HINT.format(kind=kind)
                found.append(RefusedUpdate(kind, in_namespace, name, steps, message, hint))
    return found


def _refusals(old: Tree, new: Tree) -> Iterator[Refusal]:
    if (old.get("backendFramework") or "") != (new.get("backendFramework") or ""):
        yield ("spec", "backendFramework"), "The backend framework of a graph is immutable."
    before, after = _components(old), _components(new)
    yield from _composition(before, after)
    for name, component in after.items():
        earlier = before.get(name)
        if earlier is not None:
            yield from _component(name, earlier, component)
    if _topology(old) != _topology(new):
        yield ("spec", "topologyConstraint"), "The topology constraint of a graph is immutable."
    policies = [(spec.get("experimental") or {}).get("kvTransferPolicy") for spec in (old, new)]
    if policies[0] != policies[1]:
        yield ("spec", "experimental", "kvTransferPolicy"), "The KV transfer policy of a graph is immutable."


def _composition(before: dict[str, Tree], after: dict[str, Tree]) -> Iterator[Refusal]:
    added, removed = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    if added or removed:
        parts = [f"added: {', '.join(added)}"] * bool(added) + [f"removed: {', '.join(removed)}"] * bool(removed)
        yield ("spec", "components"), f"Components cannot be added to or removed from a graph ({'; '.join(parts)})."


def _component(name: str, old: Tree, new: Tree) -> Iterator[Refusal]:
    where: Steps = ("spec", "components", ("name", name))
    if _is_multinode(old) != _is_multinode(new):
        yield (*where, "multinode"), "A component cannot change between one node and several."
    if old.get("minAvailable") is not None and old["minAvailable"] != new.get("minAvailable"):
        yield (*where, "minAvailable"), "minAvailable is immutable once it is set."


def _components(spec: Tree) -> dict[str, Tree]:
    """Services of v1alpha1 or components of v1beta1, by name."""
    services, components = spec.get("services"), spec.get("components")
    if isinstance(services, dict):
        return {name: item for name, item in services.items() if isinstance(item, dict)}
    if isinstance(components, list):
        return {str(item.get("name")): item for item in components if isinstance(item, dict)}
    return {}


def _is_multinode(component: Tree) -> bool:
    nodes = (component.get("multinode") or {}).get("nodeCount", 2 if component.get("multinode") == {} else 1)
    return isinstance(nodes, int) and nodes > 1


def _topology(spec: Tree) -> Tree:
    """v1alpha1 calls the topology a profile."""
    constraint = dict(spec.get("topologyConstraint") or {})
    if "topologyProfile" in constraint:
        constraint["clusterTopologyName"] = constraint.pop("topologyProfile")
    return constraint


def _key(value: Tree, namespace: str) -> tuple[str, str, str]:
    metadata = value.get("metadata") or {}
    return value["kind"], metadata.get("namespace") or namespace, str(metadata.get("name", ""))

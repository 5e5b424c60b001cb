"""Components whose replicas an autoscaler sets, by way of a scaling adapter."""

from __future__ import annotations

from dynamoc.kube.lenient import entries, mapping
from dynamoc.tree import is_true

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]


def scaled_components(value: Tree) -> list[str]:
    """The names of a graph's components that have a scaling adapter, in either version."""
    is_listed = isinstance(mapping(value, "spec").get("components"), list)
    return [name for name, component in _components(value).items() if _has_adapter(component, is_listed)]


def with_scaled_replicas(manifest: Tree, current: Tree) -> Tree:
    """A manifest whose components with a scaling adapter say the replicas that they have in the cluster.

    `current` is the same graph in the same version.
    """
    known = _components(current)
    taken = {
        name: known[name]["replicas"] for name in scaled_components(manifest) if (known.get(name) or {}).get("replicas")
        is not None
    }  # fmt: skip
    if not taken:
        return manifest
    spec = dict(manifest["spec"])
    if isinstance(spec.get("services"), dict):
        spec["services"] = {name: _with(item, taken.get(name)) for name, item in spec["services"].items()}
    if isinstance(spec.get("components"), list):
        spec["components"] = [_with(item, taken.get(_name(item))) for item in spec["components"]]
    return {**manifest, "spec": spec}


def _components(value: Tree) -> dict[str, Any]:
    """Components by name, as far as they are mappings."""
    spec = mapping(value, "spec")
    found = {name: item for name, item in mapping(spec, "services").items() if isinstance(item, dict)}
    return found | {_name(item): item for _, item in entries(spec, "components")}


def _name(item: Any) -> str:
    return str(item.get("name", "")) if isinstance(item, dict) else ""


def _has_adapter(component: Tree, is_listed: bool) -> bool:
    """v1alpha1 says it with `enabled`, v1beta1 with the presence of the field."""
    adapter = component.get("scalingAdapter")
    return isinstance(adapter, dict) and (is_listed or is_true(adapter.get("enabled")))


def _with(component: Any, replicas: Any) -> Any:
    return component if replicas is None else {**component, "replicas": replicas}

"""DynamoGraphDeployment between the two versions, on minimal trees.

Facts: api/v1alpha1/dynamographdeployment_conversion.go of release 1.4.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.convert import component as shared_spec
from dynamoc.admission.convert.volume_mounts import inverse, renamed
from dynamoc.documents.findings.finding import Refusal

Tree = dict[str, Any]


# Fields of spec with one meaning and shape, v1alpha1 name -> v1beta1 name. `services` and `pvcs` are apart.
SPEC_FIELDS = {
    "providerOverride": "providerOverride",
    "annotations": "annotations",
    "labels": "labels",
    "priorityClassName": "priorityClassName",
    "backendFramework": "backendFramework",
    "restart": "restart",
    "topologyConstraint": "topologyConstraint",
    "experimental": "experimental",
    "envs": "env",
}
TOPOLOGY_FIELDS = {"topologyProfile": "clusterTopologyName"}


def spec_to_beta(alpha: Tree, saved: Tree | None, _object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
    """The spec in v1beta1, what v1beta1 cannot hold of it, None if nothing, and no records.

    `saved` are the leftovers of the v1beta1 original that `alpha` was made from, None where it is an original itself.
    """
    beta = {SPEC_FIELDS[key]: value for key, value in alpha.items() if key in SPEC_FIELDS}
    if "topologyConstraint" in beta:
        beta["topologyConstraint"] = renamed(beta["topologyConstraint"], TOPOLOGY_FIELDS)
    leftovers = {"pvcs": alpha["pvcs"]} if "pvcs" in alpha else {}
    services = alpha.get("services") or {}
    saved_components = {item.get("name", ""): item for item in (saved or {}).get("components") or []}
    components = []
    left: dict[str, Tree | None] = {}
    for name in _order(services, list(saved_components)):
        service = services[name]
        if service is None:
            left[name] = None
            continue
        component, rest = shared_spec.to_beta(service, saved_components.get(name), origins=saved is None)
        component["name"] = name
        # The key of the map is the name; a serviceName beside it means nothing to the operator.
        if service.get("serviceName", name) != name:
            rest["serviceName"] = service["serviceName"]
        if rest:
            left[name] = rest
        components.append(component)
    if components:
        beta["components"] = components
    if left:
        leftovers["services"] = left
    return beta, leftovers or None, []


def _order(services: Tree, saved: list[str]) -> list[str]:
    """By name, or as in the v1beta1 original where that had another order."""
    names = sorted(services)
    if saved == sorted(saved):
        return names
    return [name for name in saved if name in services] + [name for name in names if name not in saved]


def spec_to_alpha(
    beta: Tree, saved: Tree | None, _records: list[Tree], _object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    """The spec in v1alpha1, and what v1alpha1 cannot hold of it, None if nothing.

    `saved` are the leftovers of a v1alpha1 original; `original` says that there never was one.
    """
    names = {new: old for old, new in SPEC_FIELDS.items()}
    alpha = {names[key]: value for key, value in beta.items() if key in names}
    if "topologyConstraint" in alpha:
        alpha["topologyConstraint"] = renamed(alpha["topologyConstraint"], inverse(TOPOLOGY_FIELDS))
    saved = saved or {}
    saved_services = saved.get("services") or {}
    services: dict[str, Tree | None] = {}
    leftovers = []
    components = beta.get("components") or []
    order = [component.get("name", "") for component in components]
    ordered = order == sorted(order)
    for index, component in enumerate(components):
        name = order[index]
        if name in services:
            raise _duplicate(name, index)
        service, rest = shared_spec.to_alpha(component, saved_services.get(name))
        service.pop("serviceName", None)
        kept_name = (saved_services.get(name) or {}).get("serviceName")
        if kept_name and kept_name != name:
            service["serviceName"] = kept_name
        services[name] = service
        if not ordered or rest or (original and "podTemplate" in component):
            leftovers.append({"name": name} | rest)
    for name, kept in saved_services.items():
        if kept is None:
            services.setdefault(name, None)
    if services:
        alpha["services"] = services
    if "pvcs" in saved:
        alpha["pvcs"] = saved["pvcs"]
    return alpha, {"components": leftovers} if leftovers else None


def _duplicate(name: str, index: int) -> Refusal:
    return Refusal(
        "convert/duplicate-component",
        f"Two components are named {name!r}; v1alpha1 keeps components in a map, where one would replace the other.",
        ("spec", "components", index, "name"),
        "Give each component a unique name.",
    )

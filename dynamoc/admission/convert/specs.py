"""Specs between the two versions, on minimal trees: of a graph, a component in one or alone, and a scaling adapter.

A field that is missing is Go's zero value. No function changes its arguments.
Facts: api/v1alpha1/shared_spec_conversion.go and the *_conversion.go of each kind, of release 1.4.
"""

from __future__ import annotations

from dynamoc.admission.convert import alpha_leftovers, beta_leftovers, envelope, volume_mounts
from dynamoc.admission.convert.pod_template import (
    MAIN,
    SIDECAR,
    add_pod_fields,
    build_pod_template,
    containers_of,
    find_container,
    has_content,
)
from dynamoc.admission.convert.shared_fields import fields_to_alpha, fields_to_beta
from dynamoc.admission.convert.volume_mounts import inverse, renamed
from dynamoc.documents.findings.finding import Refusal, format_path
from dynamoc.kube.go_scalars import Mismatch
from dynamoc.kube.merge import Tree
from dynamoc.reference.features import beta_names


def to_beta(alpha: Tree, saved: Tree | None, *, origins: bool) -> tuple[Tree, Tree]:
    """The component in v1beta1 (without a fitting name), and what v1beta1 cannot hold of it.

    `saved` are the leftovers of the v1beta1 original that `alpha` was made from, if any. `origins` asks for the
    split of main's fields between dedicated ones and `mainContainer` to be among the leftovers.
    """
    beta = fields_to_beta(alpha)
    if "serviceName" in alpha:
        beta["name"] = alpha["serviceName"]
    template = build_pod_template(alpha, required=saved is not None and "podTemplate" in saved)
    if template is not None:
        beta["podTemplate"] = template
        if "frontendSidecar" in alpha:
            beta["frontendSidecar"] = SIDECAR
    beta_leftovers.restore(beta, saved, alpha)
    return beta, alpha_leftovers.save(alpha, origins=origins)


def to_alpha(beta: Tree, saved: Tree | None) -> tuple[Tree, Tree]:
    """The component in v1alpha1, and what v1alpha1 cannot hold of it; `saved` as in `to_beta`, the other way round."""
    alpha = fields_to_alpha(beta)
    if "name" in beta:
        alpha["serviceName"] = beta["name"]
    add_pod_fields(beta, alpha, saved)
    main = find_container(containers_of(beta.get("podTemplate")), MAIN)
    if saved and "volumeMounts" in saved:
        mounts = volume_mounts.restore_caches(
            alpha.get("volumeMounts") or [], saved["volumeMounts"], beta, main, has_content(saved)
        )
        if mounts:
            alpha["volumeMounts"] = mounts
    alpha_leftovers.restore(alpha, saved, main)
    return alpha, beta_leftovers.save(beta, alpha)


# The record that says that v1alpha1 had no name: v1beta1 needs one and takes the object's.
UNNAMED = {"path": "serviceName", "nil": True}


def component_spec_to_beta(alpha: Tree, saved: Tree | None, object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
    """The spec in v1beta1, what v1beta1 cannot hold of it, None if nothing needs an annotation, and its records.

    `saved` are the leftovers of the v1beta1 original that `alpha` was made from, None where it is an original itself.
    """
    beta, leftovers = to_beta(alpha, saved, origins=saved is None)
    if "backendFramework" in alpha:
        beta["backendFramework"] = alpha["backendFramework"]
    if object_name:
        beta.setdefault("name", object_name)
    if saved is not None and "name" not in saved and beta.get("name") == object_name:
        del beta["name"]
    records = [UNNAMED] if "serviceName" not in alpha and object_name and beta.get("name") == object_name else []
    needed = leftovers or records or (saved is None and "podTemplate" in beta)
    return beta, leftovers if needed else None, records


def component_spec_to_alpha(
    beta: Tree, saved: Tree | None, records: list[Tree], object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    """The spec in v1alpha1, and what v1alpha1 cannot hold of it, None if nothing needs an annotation.

    `saved` and `records` are the leftovers of a v1alpha1 original; `original` says that there never was one.
    """
    alpha, leftovers = to_alpha(beta, saved)
    if "backendFramework" in beta:
        alpha["backendFramework"] = beta["backendFramework"]
    if UNNAMED in records and alpha.get("serviceName", "") == object_name:
        alpha.pop("serviceName", None)
    nameless = "name" not in beta and object_name != ""
    if not (leftovers or nameless or (original and "podTemplate" in beta)):
        return alpha, None
    return alpha, leftovers | ({"name": beta["name"]} if "name" in beta else {})


V1ALPHA1, V1BETA1 = "nvidia.com/v1alpha1", "nvidia.com/v1beta1"


def read(value: Tree, kind: str) -> Tree:
    """The object of kind `kind` as a minimal tree. Refusal where the operator could not read it."""
    shape = envelope.beta(kind) if value["apiVersion"] == V1BETA1 else envelope.alpha(kind)
    try:
        tree: Tree = shape.read(value)
    except Mismatch as error:
        path = tuple(reversed(error.path))
        message = f"{format_path(path)} must be {error.wanted}, not {error.value!r:.60}: the operator cannot read it."
        raise Refusal("convert/wrong-type", message, path) from None
    return tree


# Fields of spec with one meaning and shape, v1alpha1 name -> v1beta1 name. `services` and `pvcs` are apart.
SPEC_FIELDS = beta_names("graph")
TOPOLOGY_FIELDS = beta_names("topology")


def graph_spec_to_beta(alpha: Tree, saved: Tree | None, _object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
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
        component, rest = to_beta(service, saved_components.get(name), origins=saved is None)
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


def graph_spec_to_alpha(
    beta: Tree, saved: Tree | None, _records: list[Tree], _object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    """The spec in v1alpha1, and what v1alpha1 cannot hold of it, None if nothing.

    `saved` are the leftovers of a v1alpha1 original; `original` says that there never was one.
    """
    own = inverse(SPEC_FIELDS)
    alpha = {own[key]: value for key, value in beta.items() if key in own}
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
        service, rest = to_alpha(component, saved_services.get(name))
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
    message = (
        f"Two components are named {name!r}; v1alpha1 keeps components in a map, where one would replace the other."
    )
    hint = "Give each component a unique name."
    return Refusal("convert/duplicate-component", message, ("spec", "components", index, "name"), hint)


REFERENCE_FIELDS = beta_names("reference")


def adapter_spec_to_beta(alpha: Tree, _saved: Tree | None, _object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
    return _with_reference(alpha, REFERENCE_FIELDS), None, []


def adapter_spec_to_alpha(
    beta: Tree, _saved: Tree | None, _records: list[Tree], _object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    del original
    return _with_reference(beta, inverse(REFERENCE_FIELDS)), None


def _with_reference(spec: Tree, names: dict[str, str]) -> Tree:
    return {key: renamed(value, names) if key == "dgdRef" else value for key, value in spec.items()}


def status_to_beta(alpha: Tree) -> Tree:
    return alpha


def status_to_alpha(beta: Tree, _saved: Tree | None) -> Tree:
    return beta


def status_leftovers(_alpha: Tree) -> Tree:
    return {}

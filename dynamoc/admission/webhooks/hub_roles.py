"""Rules of 1.5 for components of several kinds of pods and fragments of Grove's objects; annotations of all releases.

Source: internal/webhook/validation/shared_v1beta1.go validateMultinodeComponentType, validateComponentRoles,
validateProviderOverride; internal/provideroverride/registry.go of operator 1.5.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission import adapters
from dynamoc.admission.adapters import COMPONENT, GROVE, PROVIDER
from dynamoc.admission.graph import WORKER_TYPES
from dynamoc.admission.webhooks.review import Component, HubComponent, HubReview, Review
from dynamoc.documents.findings.edits import other_case
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.go import parse_semver
from dynamoc.kube.merge import Tree, at

#: fields of a constraint in Grove's api/core/v1alpha1/podcliqueset.go: those of a mapping, None for a string
_KNOWN: Tree = {"topologyName": None, "packDomain": None, "pack": {"required": None, "preferred": None}}


def multinode_is_for_workers(review: HubReview, component: HubComponent) -> None:
    """Only workers span nodes. What an old object says already may stay."""
    if not is_misplaced(component.spec):
        return
    old = review.old_component(component.name) if component.in_graph else (review.old or {}).get("spec")
    if old is not None and is_misplaced(old) and _same(component.spec, old, ("type", "multinode")):
        return
    kind = component.spec.get("type")
    message = f"`multinode` is only for components of type {', '.join(WORKER_TYPES)}, not for "
    message += f"`{kind}`." if kind else "one without a type."
    review.error("admission/multinode-type", (*component.path, "multinode"), message, "delete `multinode`")


def is_misplaced(spec: Tree) -> bool:
    return spec.get("multinode") is not None and spec.get("type") not in WORKER_TYPES


def _same(left: Tree, right: Tree, fields: tuple[str, ...]) -> bool:
    return all(left.get(field) == right.get(field) for field in fields)


def roles_are_complete(review: HubReview, component: HubComponent) -> None:
    """Roles are those of a multinode component: one leader, and the workers."""
    roles, path = component.spec.get("roles"), (*component.path, "roles")
    if roles is None or component.spec.get("type") == "lpx":
        return
    if component.spec.get("multinode") is None:
        message = "`roles` apply only to a multinode component, and this one has no `multinode`."
        review.error("admission/roles", path, message, "delete `roles`")
        return
    names = [role.get("name", "") for role in roles]
    for index, role in enumerate(roles):
        _check_role(review, component, role, (*path, index), repeated=names[index] in names[:index])
    for name in adapters.ROLES:
        if name not in names:
            review.error("admission/roles", path, f"The role `{name}` is missing.", "list both roles, or neither")


def _check_role(review: HubReview, component: HubComponent, role: Tree, path: Path, *, repeated: bool) -> None:
    name = role.get("name", "")
    if name not in adapters.ROLES:
        message = f"The role `{name}` does not exist; a multinode component has `leader` and `worker`."
        review.error("admission/roles", (*path, "name"), message)
        return
    if repeated:
        review.error("admission/roles", (*path, "name"), f"The role `{name}` is listed twice.")
    wanted, given = adapters.role_replicas(component.spec, name), role.get("replicas")
    if given is not None and given != wanted:
        message = f"The role `{name}` has {wanted} replicas here, not {given}: `nodeCount` is {component.nodes}."
        review.error("admission/roles", (*path, "replicas"), message, "delete `replicas`")
    if role.get("podTemplate") is not None and not review.context.release.has("roles/own-templates"):
        message = "In this release, a role cannot have a `podTemplate`."
        hint = "write the pod template of the component; release 1.6 accepts one for each role"
        review.error("admission/role-template", (*path, "podTemplate"), message, hint)
    if role.get("providerOverride") is not None:
        target = adapters.role_target(component.spec)
        _check_override(review, role["providerOverride"], (*path, "providerOverride"), target, component)


def component_override(review: HubReview, component: HubComponent) -> None:
    override = component.spec.get("providerOverride")
    if override is not None:
        target = adapters.component_target(component.spec)
        _check_override(review, override, (*component.path, "providerOverride"), target, component)


def graph_override(review: HubReview) -> None:
    override = review.spec.get("providerOverride")
    if override is not None:
        _check_override(review, override, ("spec", "providerOverride"), adapters.SET, None)


def topology_is_said_once(review: HubReview) -> None:
    """Topology in Dynamo's own words or in Grove's, not both (validateTopologyComposition)."""
    overrides = [path for path in _overrides(review.spec) if _writes_topology(review.spec, path)]
    components = review.spec.get("components") or ()
    is_typed = review.spec.get("topologyConstraint") is not None or any(
        item.get("topologyConstraint") is not None for item in components
    )
    if is_typed and overrides:
        message = "The graph sets the topology both in `topologyConstraint` and in a `providerOverride`."
        hint = "set all of it in `topologyConstraint`, or all of it in `providerOverride`"
        review.error("admission/topology", (*overrides[0], "value"), message, hint)


def _writes_topology(spec: Tree, path: Path) -> bool:
    override = at({"spec": spec}, path)
    value = at(override, ("value", *adapters.owner_path(override.get("target", ""))))
    return value.__class__ is dict and adapters.CONSTRAINT in value


def _overrides(spec: Tree) -> list[Path]:
    """Where fragments are."""
    found: list[Path] = []
    if spec.get("providerOverride") is not None:
        found.append(("spec", "providerOverride"))
    for index, component in enumerate(spec.get("components") or ()):
        path: Path = ("spec", "components", index)
        if component.get("providerOverride") is not None:
            found.append((*path, "providerOverride"))
        for place, role in enumerate(component.get("roles") or ()):
            if role.get("providerOverride") is not None:
                found.append((*path, "roles", place, "providerOverride"))
    return found


def _check_override(
    review: HubReview, override: Tree, path: Path, target: str | None, component: HubComponent | None
) -> None:
    if component is not None and not component.in_graph:
        message = "`providerOverride` is only for components of a graph."
    elif review.needs_grove:
        message = f"`providerOverride` needs Grove, but {review.needs_grove}."
    elif override.get("apiVersion") != adapters.API_VERSION:
        path = (*path, "apiVersion")
        message = f"The apiVersion must be `{adapters.API_VERSION}`, not `{override.get('apiVersion', '')}`."
    elif target is None:
        message = "The roles of this component have no clique of their own to which an override could apply."
    elif override.get("target") != target:
        path = (*path, "target")
        message = f"The target must be `{target}` here, not `{override.get('target')}`."
    else:
        _check_value(review, override, (*path, "value"), target)
        return
    review.error("admission/provider-override", path, message)


def _without_minimum(value: Any, target: str) -> Any:
    """The fragment of a clique says its minimum below `spec`, that of a scaling group at the top."""
    if value.__class__ is not dict:
        return value
    if target == adapters.GROUP:
        return {key: item for key, item in value.items() if key != adapters.MINIMUM}
    spec = value.get("spec")
    if spec.__class__ is dict and set(spec) == {adapters.MINIMUM}:
        return {key: item for key, item in value.items() if key != "spec"}
    return value


def _check_value(review: HubReview, override: Tree, path: Path, target: str) -> None:
    """The fragment holds a constraint and nothing else, but for a minimum that 1.6 may find there."""
    value = override.get("value")
    if review.context.release.has("grove/provider-minimum") and target != adapters.SET:
        said = adapters.said_minimum({"providerOverride": override})
        if said is not None and "roles" in path:
            message = "`minAvailable` belongs to the component, not to one of its roles."
            review.error("admission/provider-override", path, message)
        value = _without_minimum(value, target)
        if not value and said is not None:
            return
    for step in (*adapters.owner_path(target), adapters.CONSTRAINT):
        if value.__class__ is not dict:
            review.error("admission/provider-override", path, "This must be a mapping.")
            return
        for key in sorted(value.keys() - {step}):
            message = f"Only the operator sets `{key}`; an override can set only `{adapters.CONSTRAINT}`."
            review.error("admission/provider-override", (*path, key), message, f"delete `{key}`")
        if step not in value:
            review.error("admission/provider-override", path, f"`{step}` is missing.")
            return
        value, path = value[step], (*path, step)
    _check_shape(review, value, path, _KNOWN)


def _check_shape(review: HubReview, value: Any, path: Path, known: Tree | None) -> None:
    """What Grove's Go types know has their types; fields that they do not know pass (validateKnownGroveShape)."""
    if known is None:
        if value.__class__ is not str:
            review.error("admission/provider-override", path, "This must be a string.")
    elif value.__class__ is not dict:
        review.error("admission/provider-override", path, "This must be a mapping.")
    else:
        for key in sorted(known.keys() & value.keys()):
            if value[key] is not None:
                _check_shape(review, value[key], (*path, key), known[key])


ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
EXECUTOR_BACKEND = "nvidia.com/vllm-distributed-executor-backend"
DISCOVERY_MODE = "nvidia.com/dynamo-kube-discovery-mode"


def origin_version(review: Review) -> None:
    """The version that first created the graph must be one: it decides how vLLM runs on several nodes.

    Source: internal/webhook/validation/dynamographdeployment.go validateAnnotations.
    """
    value = review.annotations.get(ORIGIN_VERSION)
    if value is not None and parse_semver(value) is None:
        message = f"The annotation `{ORIGIN_VERSION}` must be a semantic version, not {value!r}."
        hint = f"write a version such as `{review.context.release.version}`, or leave it out: the operator sets it"
        review.error("admission/origin-version", ("metadata", "annotations", ORIGIN_VERSION), message, hint)


def executor_backend(review: Review) -> None:
    """vLLM's executor is `mp` or `ray`, in upper or lower case.

    Source: internal/webhook/validation/dynamographdeployment.go validateAnnotations.
    """
    check_executor(review, review.annotations, ("metadata", "annotations"))


def discovery_mode(review: Review) -> None:
    """Pods or containers register, written just so (validateAnnotations since 1.1)."""
    check_word(review, DISCOVERY_MODE, ("pod", "container"))


def check_word(review: Review, key: str, allowed: tuple[str, ...]) -> None:
    """An annotation takes one of a few words, as they are written here."""
    value = review.annotations.get(key)
    if value is not None and value not in allowed:
        words = " or ".join(f"`{word}`" for word in allowed)
        message = f"The annotation `{key}` must be {words}, not {value!r}."
        change = other_case(value, allowed)
        review.error("admission/annotation-value", ("metadata", "annotations", key), message, change=change)


def component_executor_backend(review: Review, component: Component) -> None:
    """The same annotation on a component (internal/webhook/validation/shared.go validateServiceAnnotations)."""
    check_executor(review, component.spec.get("annotations") or {}, (*component.path, "annotations"))


def workload_provider(review: Review) -> None:
    """What runs the pods is chosen at creation, by the operator alone (validateObjectMeta since 1.5)."""
    value = review.annotations.get(PROVIDER)
    if value is not None and value not in (GROVE, COMPONENT):
        message = f"The annotation `{PROVIDER}` must be `{GROVE}` or `{COMPONENT}`, not {value!r}."
        review.error("admission/annotation-value", ("metadata", "annotations", PROVIDER), message)


def check_executor(review: Review, annotations: dict[str, str], path: Path) -> None:
    value = annotations.get(EXECUTOR_BACKEND)
    if value is not None and value.lower() not in ("mp", "ray"):
        message = f"The annotation `{EXECUTOR_BACKEND}` must be `mp` or `ray`, not {value!r}."
        review.error("admission/executor-backend", (*path, EXECUTOR_BACKEND), message)

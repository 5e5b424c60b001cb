"""What the operator's mutating webhooks write into a document (internal/webhook/defaulting).

Each function changes a document that is its own down to `metadata` and `spec`, and copies what it changes below.
Beside them: what a document takes for granted of the cluster, and images and annotations in it that are younger than
the operator; fields that a release does not know are reported by the schema.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission import adapters
from dynamoc.admission.adapters import ENABLE_GROVE
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.webhooks.hub_roles import ORIGIN_VERSION
from dynamoc.admission.webhooks.review import Component, HubComponent, Review
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.go import parse_semver
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import image_version
from dynamoc.reference.configuration import ANNOTATIONS
from dynamoc.reference.releases import RELEASES, Release

_FRONTEND = "nvcr.io/nvidia/ai-dynamo/dynamo-frontend"
_PLANNER = "nvcr.io/nvidia/ai-dynamo/dynamo-planner"


def service_replicas(value: Tree, _context: ClusterContext) -> None:
    """A service of v1alpha1 without `replicas` has 1."""
    services = value["spec"].get("services")
    if services:
        value["spec"]["services"] = {
            name: {**spec, "replicas": 1} if spec is not None and spec.get("replicas") is None else spec
            for name, spec in services.items()
        }


def origin_version(value: Tree, context: ClusterContext) -> None:
    """The operator's version, by which later releases keep old behaviour. Up to 1.5 a graph may bring one along."""
    metadata = value["metadata"]
    annotations = metadata.get("annotations") or {}
    if ORIGIN_VERSION not in annotations or context.release.has("origin/of-graph-alone"):
        metadata["annotations"] = {**annotations, ORIGIN_VERSION: context.created_by}


def component_counts(value: Tree, context: ClusterContext) -> None:
    """A component of v1beta1 without `replicas` has 1, and on Grove's pathway 1 of them must be available."""
    annotations = value["metadata"].get("annotations") or {}
    counts = _counts(on_grove=_is_chosen(annotations, context))
    if _minimum_is_left_to_grove(value, annotations, context):
        counts = counts[:1]
    components = value["spec"].get("components")
    if components:
        value["spec"]["components"] = [
            {**spec, **{count: 1 for count in counts if spec.get(count) is None}} for spec in components
        ]


def workload_provider(value: Tree, context: ClusterContext) -> None:
    """Notes what runs the pods of a new graph, over whatever the user says; it stays so (defaultWorkloadProvider)."""
    metadata = value["metadata"]
    annotations = metadata.get("annotations") or {}
    chosen = adapters.GROVE if is_on_grove(annotations, context) else adapters.COMPONENT
    metadata["annotations"] = {**annotations, adapters.PROVIDER: chosen}


def component_parts(value: Tree, _context: ClusterContext) -> None:
    """Pods of the roles of multinode components, and what fragments of Grove's objects belong to.

    Source: internal/webhook/defaulting/component_roles.go, dynamographdeployment_handler.go of 1.5.
    """
    chosen = (value["metadata"].get("annotations") or {}).get(adapters.PROVIDER)
    override = value["spec"].get("providerOverride")
    if override is not None and chosen == adapters.GROVE:
        value["spec"]["providerOverride"] = _targeted(override, adapters.SET)
    components = value["spec"].get("components")
    if components:
        value["spec"]["components"] = [_with_parts(item, on_grove=chosen == adapters.GROVE) for item in components]


def role_replicas(value: Tree, _context: ClusterContext) -> None:
    """The same for the roles of a component on its own."""
    value["spec"] = _with_parts(value["spec"], on_grove=False)


def _with_parts(spec: Tree, *, on_grove: bool) -> Tree:
    override, roles = spec.get("providerOverride"), spec.get("roles")
    if override is not None and on_grove:
        spec = {**spec, "providerOverride": _targeted(override, adapters.component_target(spec))}
    if not roles:
        return spec
    return {**spec, "roles": [_role(role, spec, on_grove=on_grove) for role in roles]}


def _role(role: Tree, spec: Tree, *, on_grove: bool) -> Tree:
    replicas = adapters.role_replicas(spec, role.get("name", ""))
    if spec.get("multinode") is not None and role.get("replicas") is None and replicas:
        role = {**role, "replicas": replicas}
    override, target = role.get("providerOverride"), adapters.role_target(spec)
    if override is not None and on_grove and target is not None:
        role = {**role, "providerOverride": _targeted(override, target)}
    return role


def _targeted(override: Tree, target: str) -> Tree:
    if override.get("target") or override.get("apiVersion") != adapters.API_VERSION:
        return override
    return {**override, "target": target}


def _minimum_is_left_to_grove(value: Tree, annotations: Tree, context: ClusterContext) -> bool:
    """Whether `minAvailable` stays away: in graphs of 1.6, and beside fragments that say it, unless some say it here.

    Source: internal/webhook/defaulting/dynamographdeployment_handler.go Default of 1.6.
    """
    components = value["spec"].get("components") or ()
    if not context.release.has("grove/provider-minimum") or any(item.get("minAvailable") for item in components):
        return False
    origin = parse_semver(annotations.get(ORIGIN_VERSION, ""))
    is_new = origin is not None and origin.at_least(context.release["origin-gates"]["provider-minimum"])
    return is_new or any(adapters.said_minimum(item) is not None for item in components)


def leaves_alone(value: Tree, context: ClusterContext) -> bool:
    """Whether a graph or component, as written, has all that the mutating webhook would add: then it writes nothing.

    Source: internal/webhook/defaulting, and controller-runtime's own short cut for objects that are equal.
    """
    spec, metadata = value.get("spec"), value.get("metadata")
    if not context.release.has("admission/patches-changes-only"):
        return False
    if spec.__class__ is not dict or metadata.__class__ is not dict:
        return False
    if value["kind"] == "DynamoComponentDeployment":
        return bool(spec.get("name"))
    annotations = metadata.get("annotations")
    if annotations.__class__ is not dict or ORIGIN_VERSION not in annotations:
        return False
    if context.release.has("origin/of-graph-alone") and annotations[ORIGIN_VERSION] != context.created_by:
        return False
    services, components = spec.get("services"), spec.get("components")
    if services.__class__ is dict:
        components = list(services.values())
    if components.__class__ is not list:
        return False
    if context.release.has("grove/chosen-once"):
        if adapters.PROVIDER not in annotations or spec.get("providerOverride"):
            return False
        if any(item.__class__ is dict and ("roles" in item or "providerOverride" in item) for item in components):
            return False
    counts = _counts(on_grove=is_on_grove(annotations, context))
    if context.release.has("grove/provider-minimum"):
        counts = (
            counts[:1] if not any("minAvailable" in item for item in components if item.__class__ is dict) else counts
        )
    return all(item.__class__ is dict and all(item.get(count) is not None for count in counts) for item in components)


def _counts(*, on_grove: bool) -> tuple[str, ...]:
    """What a component gets 1 of: replicas, and on Grove's pathway those that must be available."""
    return ("replicas", "minAvailable") if on_grove else ("replicas",)


def _is_chosen(annotations: Tree, context: ClusterContext) -> bool:
    """Whether Grove runs the graph. What an annotation says stays so (dynamographdeployment_handler.go of 1.5)."""
    chosen = annotations.get(adapters.PROVIDER) if context.release.has("grove/chosen-once") else None
    return is_on_grove(annotations, context) if chosen is None else chosen == adapters.GROVE


def is_on_grove(annotations: Tree, context: ClusterContext) -> bool:
    """Whether a graph with such annotations becomes a PodCliqueSet."""
    return context.capabilities.grove and str(annotations.get(ENABLE_GROVE, "")).lower() != "false"


def component_name(value: Tree, _context: ClusterContext) -> None:
    """A component of v1beta1 on its own is called like its object."""
    if not value["spec"].get("name") and value["metadata"].get("name"):
        value["spec"]["name"] = value["metadata"]["name"]


def frontend_image(value: Tree, context: ClusterContext) -> None:
    """A request of 1.0 without an image is profiled with the frontend's image of the operator's version."""
    _default_image(value, context, _FRONTEND)


def planner_image(value: Tree, context: ClusterContext) -> None:
    """A request of 1.4 without an image is profiled with the planner's image of the operator's version."""
    _default_image(value, context, _PLANNER)


def _default_image(value: Tree, context: ClusterContext, image: str) -> None:
    if not value["spec"].get("image"):
        value["spec"]["image"] = f"{image}:{context.release.version}"


#: steps that leave alone what exists already
CREATION = frozenset({origin_version, workload_provider, component_name, frontend_image, planner_image})

#: how images of Dynamo are called, in NVIDIA's registry and in others
_FOLDER = "ai-dynamo"
_NAMES = ("vllm-runtime", "sglang-runtime", "tensorrtllm-runtime", "dynamo-frontend", "dynamo-planner")


def tell(document: dict[str, Any], release: Release) -> list[Problem]:
    """A warning for each version of Dynamo and each annotation that the release is too old for."""
    problems = []
    seen = set()
    found, annotations = _names(document)
    for path, image in found:
        version = dynamo_version(image)
        if version is None or version[:2] <= parsed(release.name) or version in seen:
            continue
        seen.add(version)
        name = f"{version[0]}.{version[1]}"
        knows = f"release {name} knows it" if name in RELEASES else f"dynamoc knows no release {name} yet"
        message = f"The image is of Dynamo {'.'.join(map(str, version))}, newer than the operator {release.version}"
        hint = (
            f"render with `--operator-version {name}`, if the cluster has that operator" if name in RELEASES else None
        )
        problems.append(Problem("release/newer-image", path, f"{message}; {knows}.", hint, "warning"))
    for path, name in annotations:
        first = _first_reader(name)
        if first is not None and parsed(first) > parsed(release.name):
            message = (
                f"The operator {release.version} does not read the annotation `{name}`; release {first} was the first."
            )
            problems.append(Problem("release/newer-annotation", path, message, severity="warning"))
    return problems


def _first_reader(annotation: str) -> str | None:
    """The release that read the annotation first; None for other people's."""
    if not annotation.startswith("nvidia.com/"):
        return None

    return next((release for release, names in ANNOTATIONS.items() if annotation in names), None)


def parsed(name: str) -> tuple[int, int]:
    major, _, minor = name.partition(".")
    return int(major), int(minor)


def dynamo_version(image: str) -> tuple[int, int, int] | None:
    """The version of an image of Dynamo, None for other images and for tags that are no version."""
    *folders, name = image.partition("@")[0].split("/")
    if _FOLDER not in folders and name.partition(":")[0] not in _NAMES:
        return None
    return image_version(image)


def images(value: Any, path: Path = ()) -> list[tuple[Path, str]]:
    """The images below a value, with their paths."""
    found: list[tuple[Path, str]] = []
    _collect(value, path, found, [])
    return found


def _names(document: dict[str, Any]) -> tuple[list[tuple[Path, str]], list[tuple[Path, str]]]:
    """The images of a document's spec, and the keys of all its annotations, with their paths."""
    found: list[tuple[Path, str]] = []
    annotations: list[tuple[Path, str]] = []
    for key, item in document.items():
        _collect({key: item}, (), found if key == "spec" else [], annotations)
    return found, annotations


def _collect(value: Any, path: Path, images: list[tuple[Path, str]], annotations: list[tuple[Path, str]]) -> None:
    if value.__class__ is dict:
        for key, item in value.items():
            if item.__class__ is dict and key == "annotations":
                annotations += [((*path, key, name), name) for name in item if isinstance(name, str)]
                _collect(item, (*path, key), images, [])
            elif item.__class__ is dict or item.__class__ is list:
                _collect(item, (*path, key), images, annotations)
            elif key == "image" and isinstance(item, str):
                images.append(((*path, key), item))
    elif value.__class__ is list:
        for index, item in enumerate(value):
            if item.__class__ is dict or item.__class__ is list:
                _collect(item, (*path, index), images, annotations)


def multinode_without_grove(review: Review, component: Component | HubComponent) -> None:
    """Tells that LWS and Volcano are assumed, for a component on several nodes that Grove does not serve.

    Only with the target `auto`: the others say themselves what there is.
    """
    _tell(review, component, in_graph=component.in_graph)


def lone_multinode_without_grove(review: Review, component: Component) -> None:
    """The same of a component alone; one that names its graph as its owner is alone in the input all the same."""
    _tell(review, component, in_graph=False)


def _tell(review: Review, component: Component | HubComponent, *, in_graph: bool) -> None:
    capabilities = review.context.capabilities
    if not component.is_multinode or not capabilities.lws or "lws" not in capabilities.assumed:
        return
    if in_graph and capabilities.grove and review.annotations.get(ENABLE_GROVE, "").lower() != "false":
        return
    message = (
        "Several nodes need an orchestrator, but neither the input nor --cluster has one; dynamoc assumes LWS "
        "with Volcano. Without an orchestrator, the operator creates nothing."
    )
    hint = "set it with --target grove, lws or plain"
    review.warn("context/unknown-orchestrator", (*component.path, "multinode"), message, hint)

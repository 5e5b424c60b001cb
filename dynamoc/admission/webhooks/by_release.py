"""The operator's webhooks, by release and kind: defaults, and what is said to a document, also as an update.

Rules look at a review whose `old` is the object that the document updates. A rule of components gets the pair of what a
component will become and what it is; components that only one side has are reported once, by the graph.
Source: internal/webhook/validation/*_handler.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.webhooks import defaults, other, update_rules
from dynamoc.admission.webhooks.alpha_rules import one_long_name
from dynamoc.admission.webhooks.checks import DEFAULTS, UPDATES, checks_of
from dynamoc.admission.webhooks.hub_graph import claims_have_names, version_is_deprecated
from dynamoc.admission.webhooks.review import (
    Component,
    HubComponent,
    HubReview,
    Review,
    in_alpha,
    in_beta,
    request_in_alpha,
)
from dynamoc.admission.webhooks.update_rules import ANEW
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.causes import transitions
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import dynamo_namespace
from dynamoc.reference.releases import Release, merged

GraphRules = tuple[Callable[[Review], None], ...]
ComponentRules = tuple[Callable[[Review, Component], None], ...]
HubGraphRules = tuple[Callable[[HubReview], None], ...]
HubRules = tuple[Callable[[HubReview, HubComponent], None], ...]


def judge_object(review: Review, rules: GraphRules) -> None:
    """Any other kind."""
    for rule in rules:
        rule(review)


def judge_alpha_graph(review: Review, rules: GraphRules, service_rules: ComponentRules) -> None:
    """First the rules for the graph, then those for each of its services."""
    for rule in rules:
        rule(review)
    metadata = review.metadata
    for name, spec in (review.spec.get("services") or {}).items():
        if spec is None:
            continue
        namespace = _namespace(spec, metadata, metadata.get("name", ""))
        service = Component(name, spec, ("spec", "services", name), namespace, in_graph=True)
        for service_rule in service_rules:
            service_rule(review, service)
    one_long_name(review)


def judge_alpha_component(review: Review, rules: ComponentRules) -> None:
    """A DynamoComponentDeployment, which may belong to a graph."""
    metadata = review.metadata
    owners = metadata.get("ownerReferences") or ()
    graph_name = next((owner["name"] for owner in owners if owner.get("kind") == "DynamoGraphDeployment"), "")
    namespace = _namespace(review.spec, metadata, graph_name)
    alone = Component(metadata.get("name", ""), review.spec, ("spec",), namespace, in_graph=bool(graph_name))
    for rule in rules:
        rule(review, alone)


def _namespace(spec: Tree, metadata: Tree, graph_name: str) -> str:
    return dynamo_namespace(bool(spec.get("globalDynamoNamespace")), metadata.get("namespace", ""), graph_name)


def judge_hub_graph(
    review: Review,
    rules: HubGraphRules,
    component_rules: HubRules,
    last_rules: HubGraphRules,
    service_rules: ComponentRules,
) -> None:
    """Rules for the graph, each component, and the graph again; then those for services as they were written."""
    hub = HubReview(review.value, review.context, review.origin, review.old)
    for rule in rules:
        rule(hub)
    framework = hub.spec.get("backendFramework") or ""
    for index, spec in enumerate(hub.spec.get("components") or ()):
        item = HubComponent(spec, ("spec", "components", index), framework, in_graph=True)
        for component_rule in component_rules:
            component_rule(hub, item)
    for rule in last_rules:
        rule(hub)
    review.problems += hub.problems
    _judge_written(review, lambda alpha: judge_alpha_graph(alpha, (claims_have_names,), service_rules))


def _judge_written(review: Review, judge: Callable[[Review], None]) -> None:
    """What was written in v1alpha1, or is kept of that in annotations, of which v1beta1 says where the component is."""
    if review.origin is not None:
        alpha = Review(review.origin, review.context, old=review.old)
        version_is_deprecated(alpha)
        judge(alpha)
        review.problems += alpha.problems
    elif review.kept is not None:
        # Rules for new documents look at what was written, and not at this.
        alpha = Review(review.kept, review.context, old=review.kept)
        judge(alpha)
        for problem in alpha.problems:
            problem.path = in_beta(problem.path, review.value)
            problem.message += " An annotation stores this value from v1alpha1."
        review.problems += alpha.problems


def judge_hub_component(review: Review, rules: HubRules, alpha_rules: ComponentRules) -> None:
    """A DynamoComponentDeployment; `alpha_rules` are for one that was written in v1alpha1."""
    hub = HubReview(review.value, review.context, review.origin, review.old, graph=False)
    framework = hub.spec.get("backendFramework") or ""
    alone = HubComponent(hub.spec, ("spec",), framework, in_graph=False)
    for rule in rules:
        rule(hub, alone)
    review.problems += hub.problems
    _judge_written(review, lambda alpha: judge_alpha_component(alpha, alpha_rules))


#: version and kind that a webhook sees: how they are judged, and by which lists of `dynamoc.admission.webhooks.checks`
_JUDGES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("v1alpha1", "DynamoGraphDeployment"): (judge_alpha_graph, "v1alpha1/graph", "v1alpha1/service"),
    ("v1alpha1", "DynamoComponentDeployment"): (judge_alpha_component, "v1alpha1/component"),
    ("v1beta1", "DynamoGraphDeployment"): (
        judge_hub_graph,
        "v1beta1/graph",
        "v1beta1/graph-component",
        "v1beta1/graph-last",
        "written/service",
    ),
    ("v1beta1", "DynamoComponentDeployment"): (judge_hub_component, "v1beta1/component", "written/component"),
    ("v1alpha1", "DynamoGraphDeploymentScalingAdapter"): (judge_object, "v1alpha1/scaling-adapter"),
    ("v1beta1", "DynamoGraphDeploymentScalingAdapter"): (judge_object, "v1beta1/scaling-adapter"),
    ("v1beta1", "DynamoGraphDeploymentRequest"): (other.judge_request, "v1beta1/request"),
    ("v1alpha1", "DynamoModel"): (judge_object, "v1alpha1/model"),
    ("v1alpha1", "DynamoCheckpoint"): (judge_object, "v1alpha1/checkpoint"),
}
#: kinds whose updates are judged by what they change alone
_JUDGED_BY_CHANGES = ("DynamoGraphDeploymentRequest",)


def default(release: Release, kind: str, value: Tree, context: ClusterContext, *, creation: bool = True) -> Tree:
    """The document as the mutating webhooks of the release leave it; the given one is not changed.

    `value` has gone through the schema. A kind without a webhook comes back as it is. Without `creation`, `value` is
    to update an object that exists.
    """
    steps = merged(DEFAULTS, release.name).get(f"{_version(value)}/{kind}")
    if not steps:
        return value
    value = {**value, "metadata": {**(value.get("metadata") or {})}, "spec": {**(value.get("spec") or {})}}
    for step in steps:
        if creation or step not in defaults.CREATION:
            step(value, context)
    return value


def judge(
    release: Release,
    kind: str,
    value: Tree,
    context: ClusterContext,
    origin: Tree | None = None,
    old: Tree | None = None,
    old_origin: Tree | None = None,
    kept: Tree | None = None,
) -> list[Problem]:
    """What the validating webhooks of the release say to a valid, defaulted document: errors and warnings.

    Any kind may be asked for; what the API server itself refuses to create or to update is among the problems.
    Paths are paths of `value`. Where the webhooks take another API version than the user wrote, `origin` is the
    document as written, and paths are its paths. `old` is the object that the document updates, in the version of
    `value`, and `old_origin` the same as it was given. `kept` is the v1alpha1 view of a document that was written in
    v1beta1, where annotations keep fields of v1alpha1.
    """
    # A caller may hand over the same version: defaulting makes another object of it.
    if origin is not None and _version(origin) == _version(value):
        origin = None
    review = Review(value, context, origin, old)
    review.kept = kept
    if old is None:
        _is_new(review)
    if old is None or kind not in _JUDGED_BY_CHANGES:
        _judge_alone(release, review, kind)
    if old is not None:
        judge_update(release, review, old_origin or old)
    if origin is not None and _version(value) == "v1alpha1":
        for problem in review.problems:
            problem.path = in_beta(problem.path, origin)
    return review.problems


def _is_new(review: Review) -> None:
    """An object that carries a resourceVersion cannot be created (k8s.io/apiserver, registry/rest/create.go)."""
    if review.metadata.get("resourceVersion"):
        review.error(
            "admission/resource-version",
            ("metadata", "resourceVersion"),
            "The document was exported from a cluster: the API server does not create an object with a "
            "`resourceVersion`.",
            "give the file with --against, too, to render it as an update of itself; or delete `resourceVersion`, "
            "`uid`, `creationTimestamp`, `generation` and `managedFields`",
        )


def _judge_alone(release: Release, review: Review, kind: str) -> None:
    judge_kind, *lists = _JUDGES.get((_version(review.value), kind), (None,))
    checks = checks_of(release.name)
    if judge_kind is not None and lists[0] in checks:
        judge_kind(review, *(checks[name] for name in lists))


def _version(value: Tree) -> str:
    return str(value.get("apiVersion", "")).removeprefix("nvidia.com/")


_REQUEST = "DynamoGraphDeploymentRequest"


def judge_update(release: Release, review: Review, old_origin: Tree) -> None:
    """Adds what compares with `review.old` to the problems of a review that holds all others.

    `old_origin` is the old object as it was given; problems name its paths beside those of the document.
    """
    value, old = review.value, review.old or {}
    version = value["apiVersion"].removeprefix("nvidia.com/")
    changes = (
        HubReview(value, review.context, review.origin, old, graph=False)
        if version == "v1beta1"
        else Review(value, review.context, review.origin, old)
    )
    update_rules.judge(changes)
    if old["metadata"].get("deletionTimestamp"):
        # The webhooks let everything pass, so that finalizers can be taken off.
        review.problems.clear()
    else:
        judge_kind = merged(UPDATES, release.name).get(f"{version}/{value['kind']}")
        if judge_kind is not None:
            judge_kind(changes)
    for problem in transitions(release.name, value, old):
        problem.path = changes.place(problem.path)
        problem.hint = ANEW.format("object")
        changes.problems.append(problem)
    if value["kind"] == _REQUEST and review.origin is not None:
        for problem in changes.problems:
            problem.path = request_in_alpha(problem.path, review.origin)
        version_is_deprecated(review)
    for problem in changes.problems:
        if problem.old_path is not None:
            problem.old_path = _as_given(problem.old_path, old, old_origin)
    review.problems += changes.problems


def _as_given(path: Path, old: Tree, old_origin: Tree) -> Path:
    if old["apiVersion"] == old_origin["apiVersion"]:
        return path
    if old["kind"] == _REQUEST:
        return request_in_alpha(path, old_origin) if old["apiVersion"].endswith("v1beta1") else path
    if old["apiVersion"].endswith("v1beta1"):
        return in_alpha(path, old, old_origin)
    return in_beta(path, old_origin)

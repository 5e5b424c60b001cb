"""The operator's webhooks, by release and kind."""

from __future__ import annotations

from dynamoc.release.deltas import merged
from dynamoc.webhooks import alpha, defaults, hub_judges, request
from dynamoc.webhooks.checks import CHECKS, DEFAULTS
from dynamoc.webhooks.review import Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.context import ClusterContext
    from dynamoc.release.registry import Release
    from dynamoc.schema.problem import Problem

    Tree = dict[str, Any]

#: version and kind that a webhook sees: how they are judged, and by which lists of `dynamoc.webhooks.checks`
_JUDGES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("v1alpha1", "DynamoGraphDeployment"): (alpha.judge_graph, "v1alpha1/graph", "v1alpha1/service"),
    ("v1alpha1", "DynamoComponentDeployment"): (alpha.judge_component, "v1alpha1/component"),
    ("v1beta1", "DynamoGraphDeployment"): (
        hub_judges.judge_graph,
        "v1beta1/graph",
        "v1beta1/graph-component",
        "v1beta1/graph-last",
        "written/service",
    ),
    ("v1beta1", "DynamoComponentDeployment"): (
        hub_judges.judge_component,
        "v1beta1/component",
        "written/component",
    ),
    ("v1alpha1", "DynamoGraphDeploymentScalingAdapter"): (alpha.judge_object, "v1alpha1/scaling-adapter"),
    ("v1beta1", "DynamoGraphDeploymentScalingAdapter"): (alpha.judge_object, "v1beta1/scaling-adapter"),
    ("v1beta1", "DynamoGraphDeploymentRequest"): (request.judge_request, "v1beta1/request"),
    ("v1alpha1", "DynamoModel"): (alpha.judge_object, "v1alpha1/model"),
    ("v1alpha1", "DynamoCheckpoint"): (alpha.judge_object, "v1alpha1/checkpoint"),
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
        from dynamoc.webhooks.update import judge_update

        judge_update(release, review, old_origin or old)
    if origin is not None and _version(value) == "v1alpha1":
        from dynamoc.webhooks.beta_paths import in_beta

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
    checks = merged(CHECKS, release.name)
    if judge_kind is not None and lists[0] in checks:
        judge_kind(review, *(checks[name] for name in lists))


def _version(value: Tree) -> str:
    return str(value.get("apiVersion", "")).removeprefix("nvidia.com/")

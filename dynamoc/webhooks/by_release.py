"""The operator's webhooks, by release and kind."""

from __future__ import annotations

from dynamoc.release.deltas import newest
from dynamoc.webhooks.defaults import CREATION
from dynamoc.webhooks.review import Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from dynamoc.cluster.context import ClusterContext
    from dynamoc.release.registry import Release
    from dynamoc.schema.problem import Problem

    Tree = dict[str, Any]

_MODULES = {
    "0.4": "v0_6",
    "1.0": "v1_0",
    "1.1": "v1_1",
    "1.2": "v1_2",
    "1.3": "v1_3",
    "1.4": "v1_4",
    "1.5": "v1_5",
    "1.6": "v1_6",
}
#: kinds whose updates are judged by what they change alone
_JUDGED_BY_CHANGES = ("DynamoGraphDeploymentRequest",)


def default(release: Release, kind: str, value: Tree, context: ClusterContext, *, creation: bool = True) -> Tree:
    """The document as the mutating webhooks of the release leave it; the given one is not changed.

    `value` has gone through the schema. A kind without a webhook comes back as it is. Without `creation`, `value` is
    to update an object that exists.
    """
    steps = _webhooks(release).DEFAULTS.get((_version(value), kind))
    if not steps:
        return value
    value = {**value, "metadata": {**(value.get("metadata") or {})}, "spec": {**(value.get("spec") or {})}}
    for step in steps:
        if creation or step not in CREATION:
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
    judge_kind = _webhooks(release).JUDGES.get((_version(value), kind))
    if judge_kind is not None and (old is None or kind not in _JUDGED_BY_CHANGES):
        judge_kind(review)
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


def _webhooks(release: Release) -> ModuleType:
    # Only the release that is asked for is imported.
    module: ModuleType = __import__(f"dynamoc.webhooks.{newest(_MODULES, release.name)}", fromlist=["JUDGES"])
    return module


def _version(value: Tree) -> str:
    return str(value.get("apiVersion", "")).removeprefix("nvidia.com/")

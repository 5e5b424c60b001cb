"""What the operator's webhooks say to a document because of the object that it updates.

Rules look at a review whose `old` is that object. A rule of components gets the pair of what a component is to become
and what it is; components that only one side has are told once, by the graph.
Source: ValidateUpdate in internal/webhook/validation/*_handler.go, and what it calls.
"""

from __future__ import annotations

from dynamoc.release.deltas import merged
from dynamoc.schema.transitions import transitions
from dynamoc.webhooks import request_paths, update_metadata
from dynamoc.webhooks.alpha_paths import in_alpha
from dynamoc.webhooks.beta_paths import in_beta
from dynamoc.webhooks.checks import UPDATES
from dynamoc.webhooks.hub import HubReview
from dynamoc.webhooks.hub_alpha import version_is_deprecated
from dynamoc.webhooks.review import Review
from dynamoc.webhooks.update_pairs import ANEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

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
    update_metadata.judge(changes)
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
            problem.path = request_paths.in_alpha(problem.path, review.origin)
        version_is_deprecated(review)
    for problem in changes.problems:
        if problem.old_path is not None:
            problem.old_path = _as_given(problem.old_path, old, old_origin)
    review.problems += changes.problems


def _as_given(path: Path, old: Tree, old_origin: Tree) -> Path:
    if old["apiVersion"] == old_origin["apiVersion"]:
        return path
    if old["kind"] == _REQUEST:
        return request_paths.in_alpha(path, old_origin) if old["apiVersion"].endswith("v1beta1") else path
    if old["apiVersion"].endswith("v1beta1"):
        return in_alpha(path, old, old_origin)
    return in_beta(path, old_origin)

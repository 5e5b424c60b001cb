"""Updates of models and requests.

Source: internal/webhook/validation/dynamomodel.go and dynamographdeploymentrequest.go, ValidateUpdate.
"""

from __future__ import annotations

from dynamoc.golang.types import load, typed_object
from dynamoc.kube.names import runtime_version
from dynamoc.tree import is_false
from dynamoc.webhooks import request
from dynamoc.webhooks.review import Review
from dynamoc.webhooks.update_pairs import ANEW, change, old_spec, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

_BUSY = ("Profiling", "Deploying", "Deployed")


def judge_model(review: Review) -> None:
    for field in ("modelType", "baseModelName"):
        old, new = old_spec(review).get(field) or "", review.spec.get(field) or ""
        if old != new:
            message = f"`{field}` of a model is immutable: {change(old, new)}."
            refuse(review, "update/model", ("spec", field), message, ANEW.format("model"))


def judge_request(review: Review) -> None:
    """A request that is worked on keeps its spec; nothing else is judged of an update."""
    _spec_is_kept(review, _BUSY)


def judge_request_ratcheting(review: Review) -> None:
    """What was wrong before may stay wrong."""
    _ratchet(review, request.hardware_is_known)
    _ratchet(review, request.thorough_search_has_backend)
    _spec_is_kept(review, _BUSY)


def judge_request_and_version(review: Review) -> None:
    _ratchet(review, request.hardware_is_known)
    _ratchet(review, request.thorough_search_has_backend)
    _runtime_version_is_known(review)
    if not _chooses_runtime_version(review):
        _spec_is_kept(review, (*_BUSY, "Ready"))


def _ratchet(review: Review, rule: Callable[[Review], None]) -> None:
    """Problems of a rule that the old object did not have."""
    before = Review(review.old or {}, review.context)
    rule(before)
    if not before.problems:
        rule(review)


def _spec_is_kept(review: Review, phases: tuple[str, ...]) -> None:
    phase = _phase(review)
    if phase in phases and not same_spec(review.value, review.old or {}, review.context.release):
        message = f"The spec of a request cannot change while its phase is {phase}."
        refuse(review, "update/request-phase", ("spec",), message, ANEW.format("request"), ("status", "phase"))


def _runtime_version_is_known(review: Review) -> None:
    """An image without a version in its tag may stay, until a graph is to be made with it."""
    old, new = old_spec(review), review.spec
    image = new.get("image") or ""
    if not image or new.get("runtimeVersionOverride") or runtime_version(image, "") is not None:
        return
    is_same = image == old.get("image") and not old.get("runtimeVersionOverride")
    if not is_same or (is_false(old.get("autoApply")) and not is_false(new.get("autoApply"))):
        request.runtime_version_is_known(review)


def _chooses_runtime_version(review: Review) -> bool:
    """A request that does not apply its graph itself may still say with which runtime, and then apply it.

    Source: isDGDRDeferredRuntimeVersionUpdate.
    """
    old, phase = old_spec(review), _phase(review)
    if not is_false(old.get("autoApply")) or phase not in ("Profiling", "Ready"):
        return False
    if not is_false(review.spec.get("autoApply")) and phase != "Ready":
        return False
    deferred = ("autoApply", "runtimeVersionOverride")
    spec = {key: item for key, item in review.spec.items() if key not in deferred}
    spec |= {key: old[key] for key in deferred if key in old}
    return same_spec({**review.value, "spec": spec}, review.old or {}, review.context.release)


def same_spec(new: Tree, old: Tree, release: Release) -> bool:
    """Whether two specs are the same to Go, which knows no difference between nothing and an empty list."""
    types = load(release.name)
    return bool(_pruned(typed_object(new, types).get("spec")) == _pruned(typed_object(old, types).get("spec")))


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item for key, item in ((key, _pruned(item)) for key, item in value.items()) if item not in (None, [])
        }
    return [_pruned(item) for item in value] if isinstance(value, list) else value


def _phase(review: Review) -> str | None:
    phase: str | None = ((review.old or {}).get("status") or {}).get("phase")
    return phase

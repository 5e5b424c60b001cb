"""Annotations that the operator reads, and checks before it does."""

from __future__ import annotations

from dynamoc.golang.semver import parse_semver
from dynamoc.model.provider import COMPONENT, GROVE, PROVIDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.review import Component, Review

ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
EXECUTOR_BACKEND = "nvidia.com/vllm-distributed-executor-backend"
ENABLE_GROVE = "nvidia.com/enable-grove"
DISCOVERY_MODE = "nvidia.com/dynamo-kube-discovery-mode"


def origin_version(review: Review) -> None:
    """The version that first created the graph must be one: it decides how vLLM runs on several nodes.

    Source: internal/webhook/validation/dynamographdeployment.go validateAnnotations.
    """
    value = review.annotations.get(ORIGIN_VERSION)
    if value is not None and parse_semver(value) is None:
        review.error(
            "admission/origin-version",
            ("metadata", "annotations", ORIGIN_VERSION),
            f"The annotation `{ORIGIN_VERSION}` must be a semantic version, not {value!r}.",
            f"write a version such as `{review.context.release.version}`, or leave it out: the operator sets it",
        )


def executor_backend(review: Review) -> None:
    """vLLM's executor is `mp` or `ray`, in upper or lower case.

    Source: internal/webhook/validation/dynamographdeployment.go validateAnnotations.
    """
    _check_executor(review, review.annotations, ("metadata", "annotations"))


def discovery_mode(review: Review) -> None:
    """Pods or containers register, written just so (validateAnnotations since 1.1)."""
    value = review.annotations.get(DISCOVERY_MODE)
    if value is not None and value not in ("pod", "container"):
        message = f"The annotation `{DISCOVERY_MODE}` must be `pod` or `container`, not {value!r}."
        from dynamoc.diagnostics.change import other_case

        change = other_case(value, ("pod", "container"))
        review.error("admission/annotation-value", ("metadata", "annotations", DISCOVERY_MODE), message, change=change)


def component_executor_backend(review: Review, component: Component) -> None:
    """The same annotation on a component (internal/webhook/validation/shared.go validateServiceAnnotations)."""
    _check_executor(review, component.spec.get("annotations") or {}, (*component.path, "annotations"))


def workload_provider(review: Review) -> None:
    """What runs the pods is chosen at creation, by the operator alone (validateObjectMeta since 1.5)."""
    value = review.annotations.get(PROVIDER)
    if value is not None and value not in (GROVE, COMPONENT):
        message = f"The annotation `{PROVIDER}` must be `{GROVE}` or `{COMPONENT}`, not {value!r}."
        review.error("admission/annotation-value", ("metadata", "annotations", PROVIDER), message)


def _check_executor(review: Review, annotations: dict[str, str], path: Path) -> None:
    value = annotations.get(EXECUTOR_BACKEND)
    if value is not None and value.lower() not in ("mp", "ray"):
        review.error(
            "admission/executor-backend",
            (*path, EXECUTOR_BACKEND),
            f"The annotation `{EXECUTOR_BACKEND}` must be `mp` or `ray`, not {value!r}.",
        )

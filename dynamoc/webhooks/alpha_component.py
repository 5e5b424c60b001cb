"""Rules for one component of v1alpha1, in a graph or on its own.

Source: internal/webhook/validation/shared.go of 1.0.
"""

from __future__ import annotations

from dynamoc.golang.quantity import is_zero
from dynamoc.webhooks.defaults import is_on_grove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.review import Component, Review

SIDECAR = "sidecar-frontend"


def dynamo_namespace_is_ignored(review: Review, component: Component) -> None:
    """Tells that `dynamoNamespace` is computed. Labels and selectors of components without Grove still have it."""
    value = component.spec.get("dynamoNamespace")
    if not value:
        return
    path = (*component.path, "dynamoNamespace")
    if component.in_graph and (value == component.dynamo_namespace or not _is_on_labels(review)):
        from dynamoc.diagnostics.change import Change

        message = f"`dynamoNamespace` is deprecated and ignored: the service runs in `{component.dynamo_namespace}`."
        change = Change("remove", old="dynamoNamespace")
        review.warn("admission/ignored-dynamo-namespace", path, message, "delete it", change=change)
        return
    message = (
        f"`dynamoNamespace` is deprecated: `{value}` appears only in labels and selectors, while the "
        f"environment of the pods has `{component.dynamo_namespace}`."
    )
    hint = "delete it; its pods restart then" if component.in_graph else None
    review.warn("admission/ignored-dynamo-namespace", path, message, hint)


def _is_on_labels(review: Review) -> bool:
    """Whether `dynamoNamespace` of a service in a graph becomes a label: in 1.0 and 1.1, the graph's own replaces it.

    Source: internal/dynamo/v1beta1_helpers.go GetDCDDynamoNamespace.
    """
    return review.context.release.has("hub/v1beta1") and not is_on_grove(review.annotations, review.context)


def replicas_are_not_negative(review: Review, component: Component) -> None:
    replicas = component.spec.get("replicas")
    if replicas is not None and replicas < 0:
        path = (*component.path, "replicas")
        review.error("admission/replicas", path, f"`replicas` must not be negative, but is {replicas}.")


def ingress_has_host(review: Review, component: Component) -> None:
    """An ingress that is enabled needs a host (validateIngress)."""
    ingress = component.spec.get("ingress")
    if ingress is not None and ingress.get("enabled") and not ingress.get("host"):
        review.error(
            "admission/ingress-host",
            (*component.path, "ingress"),
            "An ingress that is enabled needs a `host`.",
            "add `host`: the name before the host suffix, e.g. `host: llm`",
        )


def mounts_have_mount_point(review: Review, component: Component) -> None:
    """Only a compilation cache has a mount point of its own, and that for vLLM alone (validateVolumeMount)."""
    for index, mount in enumerate(component.spec.get("volumeMounts") or ()):
        if not mount.get("useAsCompilationCache") and not mount.get("mountPoint"):
            review.error(
                "admission/mount-point",
                (*component.path, "volumeMounts", index),
                f"The volume `{mount.get('name', '')}` needs a `mountPoint`.",
                "add `mountPoint`, or `useAsCompilationCache: true` for vLLM's cache",
            )


def shared_memory_has_size(review: Review, component: Component) -> None:
    """`sharedMemory` says how much, or that there is none (validateSharedMemory)."""
    memory = component.spec.get("sharedMemory")
    if memory is None or memory.get("disabled"):
        return
    size = memory.get("size")
    if size is None or is_zero(size):
        review.error(
            "admission/shared-memory",
            (*component.path, "sharedMemory"),
            "`sharedMemory` needs a `size` above zero, or `disabled: true`.",
            "write e.g. `size: 16Gi`; without `sharedMemory` it is 8Gi",
        )


def autoscaling_is_ignored(review: Review, component: Component) -> None:
    if component.spec.get("autoscaling") is not None:
        review.warn(
            "admission/ignored-autoscaling",
            (*component.path, "autoscaling"),
            "`autoscaling` is deprecated and ignored.",
            "enable `scalingAdapter`, and point an HPA, KEDA or the planner at the adapter",
        )


def sidecar_name_is_free(review: Review, component: Component) -> None:
    """The operator adds the container itself where `frontendSidecar` is set (validateFrontendSidecar)."""
    if component.spec.get("frontendSidecar") is None:
        return
    containers = (component.spec.get("extraPodSpec") or {}).get("containers") or ()
    for index, container in enumerate(containers):
        if container.get("name") == SIDECAR:
            review.error(
                "admission/sidecar-name",
                (*component.path, "extraPodSpec", "containers", index, "name"),
                f"`frontendSidecar` adds a container `{SIDECAR}`, but the pod already has one.",
                "rename the container, or delete `frontendSidecar`",
            )

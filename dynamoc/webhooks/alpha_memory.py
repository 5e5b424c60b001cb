"""Rules of 1.1 and 1.2 for GPU memory service and failover of v1alpha1.

Source: internal/webhook/validation/shared.go validateGPUMemoryService, validateFailover;
dynamographdeployment.go validateFailoverRequiresDiscoveryMode, validateService.
"""

from __future__ import annotations

from dynamoc.golang.quantity import parse_int
from dynamoc.webhooks.known_annotations import DISCOVERY_MODE, ENABLE_GROVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.webhooks.review import Component, Review

    Tree = dict[str, Any]

INTER_POD, INTRA_POD = "interPod", "intraPod"
_WORKERS = ("worker", "prefill", "decode")


def enabled(component: Component, field: str) -> Tree | None:
    """The block `gpuMemoryService` or `failover`, where it is enabled."""
    block: Tree | None = component.spec.get(field)
    return block if block is not None and block.get("enabled") else None


def failover_discovers_containers(review: Review) -> None:
    """Two engines in one pod are found as containers."""
    if review.annotations.get(DISCOVERY_MODE) == "container":
        return
    for name, spec in (review.spec.get("services") or {}).items():
        failover = (spec or {}).get("failover") or {}
        if failover.get("enabled") and failover.get("mode", INTRA_POD) == INTRA_POD:
            review.error(
                "admission/failover-discovery",
                ("metadata", "annotations", DISCOVERY_MODE)
                if DISCOVERY_MODE in review.annotations
                else ("spec", "services", name, "failover"),
                "Failover needs containers that register on their own.",
                f"annotate the graph with `{DISCOVERY_MODE}: container`",
            )
            return


def service_is_for_workers(review: Review, component: Component) -> None:
    """GPU memory service is for workers with a GPU."""
    if enabled(component, "gpuMemoryService") is None:
        return
    path = (*component.path, "gpuMemoryService")
    if component.spec.get("componentType") not in _WORKERS:
        message = f"GPU memory service is only for components of type {', '.join(_WORKERS)}."
        review.error("admission/memory-service", path, message)
    if _gpus(component) < 1:
        message = "GPU memory service needs at least one GPU."
        review.error("admission/memory-service", path, message, "set `resources.limits.gpu`")


def service_is_in_the_pod(review: Review, component: Component) -> None:
    """1.1 knows no GPU memory service between pods."""
    service = enabled(component, "gpuMemoryService")
    if service is not None and service.get("mode") == INTER_POD:
        message = "Release 1.1 has no GPU memory service between pods."
        review.error("admission/memory-service", (*component.path, "gpuMemoryService", "mode"), message)


def failover_in_the_pod(review: Review, component: Component) -> None:
    """Failover of 1.1 shares weights through the GPU memory service of its pod."""
    failover = enabled(component, "failover")
    if failover is None:
        return
    path = (*component.path, "failover")
    service = enabled(component, "gpuMemoryService")
    if service is None:
        _no_service(review, component)
    elif failover.get("mode") and service.get("mode") and failover["mode"] != service["mode"]:
        _modes_differ(review, component, failover, service)
    elif failover.get("mode") == INTER_POD:
        review.error("admission/failover", (*path, "mode"), "Release 1.1 has no failover between pods.")


def failover(review: Review, component: Component) -> None:
    """Failover of 1.2 has the mode of its GPU memory service, and the shadows that the mode allows."""
    block = enabled(component, "failover")
    if block is None:
        return
    path = (*component.path, "failover")
    service = enabled(component, "gpuMemoryService")
    mode, shadows = block.get("mode", INTRA_POD), block.get("numShadows", 0)
    if service is None:
        _no_service(review, component)
    elif (service.get("mode") or INTRA_POD) != mode:
        _modes_differ(review, component, block, service)
    if mode == INTRA_POD:
        if shadows not in (0, 1):
            message = f"`numShadows: {shadows}` applies only with `mode: interPod`; within a pod, there is one shadow."
            review.error("admission/failover", (*path, "numShadows"), message)
        return
    if shadows < 1:
        message = "Failover between pods needs `numShadows` of at least 1."
        review.error("admission/failover", (*path, "numShadows") if "numShadows" in block else path, message)
    if _gpus(component) < 1:
        message = "Failover between pods needs at least one GPU."
        review.error("admission/failover", path, message, "set `resources.limits.gpu`")
    if component.spec.get("componentType") in ("epp", "frontend", "planner"):
        review.error("admission/failover", path, f"A {component.spec['componentType']} cannot have failover.")


def pods_need_grove(review: Review, component: Component) -> None:
    """GPU memory service of 1.2 between pods runs on Grove, and with vLLM by name."""
    service = enabled(component, "gpuMemoryService")
    if service is None or service.get("mode") != INTER_POD:
        return
    path = (*component.path, "gpuMemoryService", "mode")
    why = None
    if not review.context.capabilities.grove:
        why = "the operator runs without Grove here"
    elif review.annotations.get(ENABLE_GROVE, "").lower() == "false":
        why = f"the annotation `{ENABLE_GROVE}` turns Grove off"
    if why is not None:
        message = f"A GPU memory service between pods needs Grove, but {why}."
        review.error("admission/needs-grove", path, message, "write `mode: intraPod`")
    if review.spec.get("backendFramework") != "vllm":
        message = (
            "A GPU memory service between pods needs vLLM, and the operator does not detect it from the command here."
        )
        review.error("admission/memory-service", path, message, "write `spec.backendFramework: vllm`")


def _no_service(review: Review, component: Component) -> None:
    message = "Failover needs `gpuMemoryService`, which keeps the weights."
    hint = "add `gpuMemoryService: {enabled: true}` with the same mode"
    review.error("admission/failover", (*component.path, "failover"), message, hint)


def _modes_differ(review: Review, component: Component, failover: Tree, service: Tree) -> None:
    message = (
        f"The mode of failover, {failover.get('mode')}, must equal that of gpuMemoryService, "
        f"{service.get('mode') or INTRA_POD}."
    )
    review.error("admission/failover", (*component.path, "failover", "mode"), message)


def _gpus(component: Component) -> int:
    """limits.gpu, else requests.gpu, as strconv.Atoi reads it; 0 where it doesn't (parseGPUCount)."""
    resources = component.spec.get("resources") or {}
    for part in ("limits", "requests"):
        text = (resources.get(part) or {}).get("gpu")
        if text:
            try:
                return parse_int(text)
            except ValueError:
                return 0
    return 0

"""Rules for a DynamoGraphDeploymentRequest of v1beta1 (internal/webhook/validation/dynamographdeploymentrequest.go)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.admission.review import Review


def thorough_search_has_backend(review: Review) -> None:
    """A thorough search tries many configurations of one backend."""
    if review.spec.get("searchStrategy") == "thorough" and review.spec.get("backend") == "auto":
        review.error(
            "admission/search-backend",
            ("spec", "backend") if "backend" in review.spec else ("spec", "searchStrategy"),
            "A thorough search needs a backend; `auto` goes with `searchStrategy: rapid` only.",
            "write `backend: vllm`, `sglang` or `trtllm`",
        )


def hardware_is_known(review: Review) -> None:
    """An operator that is bound to a namespace and may not look at nodes has to be told about GPUs."""
    config = review.context.config
    if not config.namespace.restricted or config.gpu_discovery:
        return
    hardware = review.spec.get("hardware") or {}
    if hardware.get("gpuSku") or hardware.get("vramMb") is not None or hardware.get("numGpusPerNode") is not None:
        return
    review.error(
        "admission/hardware",
        ("spec", "hardware") if "hardware" in review.spec else ("spec",),
        "GPU discovery is off in the operator's configuration, so the request must describe the hardware.",
        "add `hardware`, or enable gpu.discoveryEnabled in the operator's configuration",
    )

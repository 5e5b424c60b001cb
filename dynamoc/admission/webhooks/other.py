"""Rules for a DynamoModel (internal/webhook/validation/dynamomodel.go).

Rules for a DynamoGraphDeploymentRequest of v1beta1 (internal/webhook/validation/dynamographdeploymentrequest.go).
"""

from __future__ import annotations

from collections.abc import Callable

from dynamoc.admission.webhooks.hub_graph import version_is_deprecated
from dynamoc.admission.webhooks.paths import request_in_alpha
from dynamoc.admission.webhooks.review import Review
from dynamoc.kube.names import runtime_version


def model_is_named(review: Review) -> None:
    for field in ("modelName", "baseModelName"):
        if not review.spec.get(field):
            path = ("spec", field) if field in review.spec else ("spec",)
            review.error("admission/model-name", path, f"A model needs `{field}`, a non-empty string.")


def adapter_has_source(review: Review) -> None:
    """A LoRA adapter of 1.0 is loaded from S3 or Hugging Face."""
    _check_source(review, ("s3://", "hf://"))


def adapter_has_source_or_file(review: Review) -> None:
    """A LoRA adapter of 1.4 may be a file as well."""
    _check_source(review, ("s3://", "hf://", "file:///"))


def _check_source(review: Review, schemes: tuple[str, ...]) -> None:
    if review.spec.get("modelType") != "lora":
        return
    source = review.spec.get("source")
    if source is None or not source.get("uri"):
        path = ("spec",) if source is None else ("spec", "source")
        hint = "add `source: {uri: …}` with an address such as `hf://owner/adapter`"
        review.error("admission/model-source", path, "A LoRA adapter needs `source.uri`.", hint)
    elif not source["uri"].startswith(schemes):
        allowed = ", ".join(f"`{scheme}`" for scheme in schemes)
        # Addresses may hold credentials; what stands in front of `://` doesn't.
        message = (
            f"The source of a model must start with one of {allowed}, not with "
            f"`{source['uri'].partition('://')[0][:9]}`."
        )
        review.error("admission/model-source", ("spec", "source", "uri"), message)


def judge_request(review: Review, rules: tuple[Callable[[Review], None], ...]) -> None:
    """A request, in whatever version it was written; v1alpha1 has been deprecated from the start."""
    for rule in rules:
        rule(review)
    if review.origin is None:
        return
    for problem in review.problems:
        problem.path = request_in_alpha(problem.path, review.origin)
    version_is_deprecated(review)


def thorough_search_has_backend(review: Review) -> None:
    """A thorough search tries many configurations of one backend."""
    if review.spec.get("searchStrategy") == "thorough" and review.spec.get("backend") == "auto":
        review.error(
            "admission/search-backend",
            ("spec", "backend") if "backend" in review.spec else ("spec", "searchStrategy"),
            "A thorough search needs a backend; `auto` applies only with `searchStrategy: rapid`.",
            "write `backend: vllm`, `sglang` or `trtllm`",
        )


def runtime_version_is_known(review: Review) -> None:
    """Since 1.4 the image's tag says which Dynamo runs in it, or `runtimeVersionOverride` does."""
    image = review.spec.get("image") or ""
    if image and not review.spec.get("runtimeVersionOverride") and runtime_version(image, "") is None:
        message = f"The tag of the image `{image}` is not a version of the Dynamo runtime."
        hint = "use a tag such as `1.4.0`, or add `runtimeVersionOverride: 1.4.0`"
        review.error("admission/runtime-version", ("spec", "image"), message, hint)


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

"""Rules for a DynamoModel (internal/webhook/validation/dynamomodel.go)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.review import Review


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

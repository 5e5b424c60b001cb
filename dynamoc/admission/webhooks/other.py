"""Rules for models and requests, and for updates of them and of graphs and components in v1alpha1 (1.0 to 1.2).

Source: internal/webhook/validation/dynamomodel.go, dynamographdeploymentrequest.go, dynamographdeployment.go and
dynamocomponentdeployment.go, with ValidateUpdate of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.admission.webhooks import update_rules
from dynamoc.admission.webhooks.alpha_later import INTER_POD
from dynamoc.admission.webhooks.alpha_rules import services_of
from dynamoc.admission.webhooks.hub_graph import version_is_deprecated
from dynamoc.admission.webhooks.review import Review, request_in_alpha
from dynamoc.admission.webhooks.update_rules import ANEW, Pair, change, old_spec, refuse, refuse_pair
from dynamoc.kube.go_types import load, typed_object
from dynamoc.kube.merge import Tree, is_false
from dynamoc.kube.names import runtime_version
from dynamoc.reference.releases import Release


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
        # Addresses may hold credentials; what is in front of `://` doesn't.
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
    """An operator that is bound to a namespace and may not look at nodes needs the GPUs in the request."""
    config = review.context.config
    if not config.namespace.restricted or config.gpu_discovery:
        return
    hardware = review.spec.get("hardware") or {}
    if hardware.get("gpuSku") or hardware.get("vramMb") is not None or hardware.get("numGpusPerNode") is not None:
        return
    message = "GPU discovery is off in the operator's configuration, so the request must describe the hardware."
    hint = "add `hardware`, or enable gpu.discoveryEnabled in the operator's configuration"
    review.error("admission/hardware", ("spec", "hardware") if "hardware" in review.spec else ("spec",), message, hint)


def judge_graph(review: Review) -> None:
    update_rules.backend_is_kept(review, owner="graph")
    update_rules.components_are_kept(
        review, "services", list(services_of(old_spec(review))), list(services_of(review.spec))
    )
    for pair in _pairs(review):
        update_rules.nodes_are_kept(review, pair)
        if (pair.new.get("scalingAdapter") or {}).get("enabled"):
            update_rules.replicas_are_scaled(review, pair)
    update_rules.restart_waits_for_rollout(review)


def judge_graph_and_topology(review: Review) -> None:
    judge_graph(review)
    update_rules.graph_topology_is_kept(review, "topologyProfile")
    for pair in _pairs(review):
        update_rules.topology_is_kept(review, pair)


def judge_graph_and_memory_pods(review: Review) -> None:
    judge_graph_and_topology(review)
    for pair in _pairs(review):
        _memory_pods_are_kept(review, pair)


def judge_component(review: Review) -> None:
    update_rules.backend_is_kept(review, owner="component")


def _memory_pods_are_kept(review: Review, pair: Pair) -> None:
    """GPU memory service and failover with separate pods (validateImmutableFields)."""
    if _between_pods(pair.old, "gpuMemoryService") != _between_pods(pair.new, "gpuMemoryService"):
        message = f"`{pair.name}` cannot switch between GPU memory service with and without its own pods."
        refuse_pair(review, pair, "update/memory-service", ("gpuMemoryService", "mode"), message)
    old, new = _between_pods(pair.old, "failover"), _between_pods(pair.new, "failover")
    if old != new:
        message = f"Failover between pods of `{pair.name}` cannot be enabled or disabled."
        refuse_pair(review, pair, "update/failover", ("failover",), message)
    elif old and pair.old["failover"].get("numShadows", 0) != pair.new["failover"].get("numShadows", 0):
        message = f"`numShadows` of `{pair.name}` is immutable if failover is between pods."
        refuse_pair(review, pair, "update/failover", ("failover", "numShadows"), message)


def _between_pods(spec: Tree, field: str) -> bool:
    block = spec.get(field) or {}
    return bool(block.get("enabled")) and block.get("mode") == INTER_POD


def _pairs(review: Review) -> list[Pair]:
    """The services that are on both sides."""
    before = services_of(old_spec(review))
    return [
        Pair(name, spec, before[name], path := ("spec", "services", name), path, in_graph=True)
        for name, spec in services_of(review.spec).items()
        if name in before
    ]


_BUSY = ("Profiling", "Deploying", "Deployed")


def judge_model(review: Review) -> None:
    for field in ("modelType", "baseModelName"):
        old, new = old_spec(review).get(field) or "", review.spec.get(field) or ""
        if old != new:
            message = f"`{field}` of a model is immutable: {change(old, new)}."
            refuse(review, "update/model", ("spec", field), message, ANEW.format("model"))


def judge_request_update(review: Review) -> None:
    """A request that is worked on keeps its spec; nothing else is judged of an update."""
    _spec_is_kept(review, _BUSY)


def judge_request_ratcheting(review: Review) -> None:
    """What was wrong before may stay wrong."""
    _ratchet(review, hardware_is_known)
    _ratchet(review, thorough_search_has_backend)
    _spec_is_kept(review, _BUSY)


def judge_request_and_version(review: Review) -> None:
    _ratchet(review, hardware_is_known)
    _ratchet(review, thorough_search_has_backend)
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
    """An image without a version in its tag may stay, until a graph needs it."""
    old, new = old_spec(review), review.spec
    image = new.get("image") or ""
    if not image or new.get("runtimeVersionOverride") or runtime_version(image, "") is not None:
        return
    is_same = image == old.get("image") and not old.get("runtimeVersionOverride")
    if not is_same or (is_false(old.get("autoApply")) and not is_false(new.get("autoApply"))):
        runtime_version_is_known(review)


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

"""Rules for what v1beta1 calls experimental, and annotations and flags with it; for the minimum of replicas in 1.6.

Source: internal/webhook/validation/shared_v1beta1.go, shared_helpers.go, dynamographdeployment.go,
internal/checkpoint/compatibility.go of 1.4; internal/provideroverride of 1.6.
"""

from __future__ import annotations

from dynamoc.admission import adapters
from dynamoc.admission.graph import INTER_POD, INTRA_POD, MAIN, WAIT_FOR_CHECKPOINT, WORKER_TYPES, is_intra_pod_failover
from dynamoc.admission.webhooks import update_rules
from dynamoc.admission.webhooks.review import HubComponent, HubReview, Review, mode_of
from dynamoc.admission.webhooks.update_rules import Pair
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.quantity import canonical

POWER_LIMIT = "dynamo.nvidia.com/gpu-power-limit"
_ELASTIC = "--enable-elastic-ep"
_BACKENDS = ("--data-parallel-backend", "-dpb")


def memory_pods_need_grove(review: HubReview, component: HubComponent) -> None:
    """GPU memory service in separate pods runs on Grove, and with vLLM by name."""
    if not component.has_memory_pods:
        return
    path = (*component.path, "experimental", "gpuMemoryService", "mode")
    check_memory_pods(review, path, "IntraPod", component.backend_framework)


def check_memory_pods(review: Review, path: Path, other_mode: str, framework: str | None) -> None:
    if review.needs_grove:
        message = f"A GPU memory service between pods needs Grove, but {review.needs_grove}."
        review.error("admission/needs-grove", path, message, f"write `mode: {other_mode}`")
    if framework != "vllm":
        message = (
            "A GPU memory service between pods needs vLLM, and the operator does not detect it from the command here."
        )
        review.error("admission/memory-service", path, message, "write `spec.backendFramework: vllm`")


def power_limit(review: HubReview, component: HubComponent) -> None:
    """A limit in whole watts, for GPUs that are counted and not claimed (validateDGDComponentPowerAnnotation)."""
    annotations = ((component.spec.get("podTemplate") or {}).get("metadata") or {}).get("annotations") or {}
    value = annotations.get(POWER_LIMIT)
    if value is None:
        return
    path = (*component.path, "podTemplate", "metadata", "annotations", POWER_LIMIT)
    digits = value[1:] if value[:1] in ("+", "-") else value
    if not (digits.isascii() and digits.isdigit()) or int(value) <= 0 or int(value) >= 1 << 63:
        message = f"The annotation `{POWER_LIMIT}` must be a whole number of watts above zero, not {value!r}."
        review.error("admission/power-limit", path, message)
    claiming = _claiming(component)
    if claiming is not None:
        message = f"The annotation `{POWER_LIMIT}` cannot be combined with GPUs from resource claims."
        review.error("admission/power-limit", claiming, message, "delete the annotation")


def _claiming(component: HubComponent) -> Path | None:
    """What takes GPUs by resource claims: GPU memory service, else the first container with claims."""
    if component.memory_service is not None:
        return (*component.path, "experimental", "gpuMemoryService")
    for field, containers in (("containers", component.containers), ("initContainers", component.init_containers)):
        for index, container in enumerate(containers):
            if (container.get("resources") or {}).get("claims"):
                return (*component.path, "podTemplate", "spec", field, index, "resources", "claims")
    return None


def elastic_parallelism_has_command(review: HubReview, component: HubComponent) -> None:
    """Ray is started in front of the command, so there must be one (validateElasticEPRequiresCommand)."""
    main, path = component.main()
    if component.backend_framework != "vllm" or main is None or main.get("command"):
        return
    words = [word for argument in main.get("args") or () for word in argument.split()]
    if review.context.release.has("vllm/reads-flags-as-vllm"):
        words = [_dashed(word) for word in words]
    if _ELASTIC in words and any(_has_value(words, flag, "ray") for flag in _BACKENDS):
        message = (
            f"`{_ELASTIC}` with Ray needs a `command`: the operator starts Ray before it and cannot wrap the "
            "image's entry point."
        )
        review.error("admission/elastic-ep-command", path, message, 'add `command: ["python3", "-m", "dynamo.vllm"]`')


def _dashed(word: str) -> str:
    """Since 1.6 the operator takes underscores in names of flags for dashes, as vLLM does."""
    flag, equals, value = word.partition("=")
    return flag.replace("_", "-") + equals + value if flag.startswith("--") else word


def _has_value(words: list[str], flag: str, value: str) -> bool:
    """internal/dynamo/utils.go hasArg"""
    if any(f"{flag}={value}" in word for word in words):
        return True
    return any(word == flag and words[index : index + 1] == [value] for index, word in enumerate(words, 1))


def memory_service(review: HubReview, component: HubComponent) -> None:
    """GPU memory service is for workers with a GPU."""
    service = component.memory_service
    if service is None:
        return
    path = (*component.path, "experimental", "gpuMemoryService")
    if component.spec.get("type") not in WORKER_TYPES:
        message = f"GPU memory service is only for components of type {', '.join(WORKER_TYPES)}."
        review.error("admission/memory-service", path, message)
    if _gpus(component) < 1:
        message = "GPU memory service needs at least one GPU in the limits of the container `main`."
        review.error("admission/memory-service", path, message, "add `nvidia.com/gpu` to its limits")


def memory_clients(review: HubReview, component: HubComponent) -> None:
    """The clients of a GPU memory service in the pod are containers, each named once, since 1.4."""
    service = component.memory_service
    if service is None or mode_of(service) != INTRA_POD:
        return
    path = (*component.path, "experimental", "gpuMemoryService")
    names = {container.get("name") for container in component.containers}
    seen: set[str] = set()
    for index, name in enumerate(service.get("extraClientContainers") or []):
        known = name in seen
        seen.add(name)
        if known:
            message = f"The client `{name}` is listed twice."
        elif name not in names:
            message = f"The client `{name}` is not a container of `podTemplate`."
        else:
            continue
        review.error("admission/memory-service", (*path, "extraClientContainers", index), message)


def failover(review: HubReview, component: HubComponent) -> None:
    """Failover shares weights through a GPU memory service of the same mode."""
    block = component.experimental.get("failover")
    if block is None:
        return
    path = (*component.path, "experimental", "failover")
    service = component.memory_service
    if service is None:
        message = "Failover needs `gpuMemoryService`, which keeps the weights."
        review.error("admission/failover", path, message, f"add `gpuMemoryService: {{mode: {mode_of(block)}}}`")
    elif mode_of(service) != mode_of(block):
        message = f"The mode of failover, {mode_of(block)}, must equal that of gpuMemoryService, {mode_of(service)}."
        review.error("admission/failover", (*path, "mode"), message)
    if mode_of(block) == INTER_POD:
        if _gpus(component) < 1:
            message = "Failover between pods needs at least one GPU in the limits of the container `main`."
            review.error("admission/failover", path, message)
        if component.spec.get("type") in ("epp", "frontend", "planner"):
            review.error("admission/failover", path, f"A {component.spec['type']} cannot have failover.")


def scaling_group_needs_grove(review: HubReview, component: HubComponent) -> None:
    forced = (component.experimental.get("grove") or {}).get("forceScalingGroup")
    if forced and review.needs_grove:
        path = (*component.path, "experimental", "grove", "forceScalingGroup")
        message = f"`forceScalingGroup` needs Grove, but {review.needs_grove}."
        review.error("admission/needs-grove", path, message, "delete it")


def checkpoint(review: HubReview, component: HubComponent) -> None:
    """Checkpoints must be enabled in the operator (validateComponentCheckpointConfig)."""
    block = component.experimental.get("checkpoint")
    if block is None:
        return
    path = (*component.path, "experimental", "checkpoint")
    if block.get("enabled") and not review.context.config.checkpoint.enabled:
        message = "Checkpoints are disabled in the operator's configuration."
        hint = "set `checkpoint.enabled: true` in it, and pass the file with --cluster"
        review.error("admission/checkpoint-disabled", path, message, hint)
    if (block.get("job") or {}).get("gmsClientContainers") and mode_of(component.memory_service) != INTRA_POD:
        message = "`gmsClientContainers` requires `gpuMemoryService` with `mode: IntraPod`."
        review.error("admission/checkpoint", (*path, "job", "gmsClientContainers"), message)


def checkpoint_is_of_workers(review: HubReview, component: HubComponent) -> None:
    """Only what says that it is a worker has checkpoints, since 1.5 (validateComponentCheckpointConfig)."""
    block = component.experimental.get("checkpoint") or {}
    if block.get("enabled") and component.spec.get("type") not in WORKER_TYPES:
        message = f"Checkpoints are for components of type {', '.join(WORKER_TYPES)} only."
        review.error("admission/checkpoint", (*component.path, "experimental", "checkpoint"), message)


def checkpoint_is_of_one_pod(review: HubReview, component: HubComponent) -> None:
    """Checkpoints cannot be combined with inter-pod GPU memory service (ValidateCheckpointCompatibility)."""
    if _has_checkpoint(component) and component.has_memory_pods:
        message = "Checkpoints cannot be combined with a GPU memory service between pods."
        review.error("admission/checkpoint", (*component.path, "experimental", "checkpoint"), message)


def checkpoint_is_of_one_engine(review: HubReview, component: HubComponent) -> None:
    """Up to 1.5, checkpoints cannot be combined with failover (ValidateCheckpointCompatibility)."""
    if _has_checkpoint(component) and component.experimental.get("failover") is not None:
        path = (*component.path, "experimental", "checkpoint")
        review.error("admission/checkpoint", path, "Checkpoints cannot be combined with failover.")


def engines_fit_checkpoint(review: HubReview, component: HubComponent) -> None:
    """Two engines in one pod start from the snapshot of one, which is taken before (ValidateSnapshotFailover of 1.6).

    The backend, of which the webhook says the same, is judged where the pod is rendered.
    """
    fails_over = is_intra_pod_failover(component.spec) and not component.has_memory_pods
    if not _has_checkpoint(component) or not fails_over:
        return
    block, path = component.experimental["checkpoint"], (*component.path, "experimental")
    if component.nodes != 1:
        message = "Failover from a checkpoint works only on one node."
        review.error(
            "admission/failover", (*component.path, "multinode"), message, "delete `multinode` or `checkpoint`"
        )
    if (block.get("targetContainerName") or MAIN) != MAIN:
        message = "With failover, a checkpoint is taken of the container `main` only."
        review.error("admission/checkpoint", (*path, "checkpoint", "targetContainerName"), message, "delete it")
    if not (block.get("checkpointRef") or "").strip() and block.get("startupPolicy") != WAIT_FOR_CHECKPOINT:
        message = "With failover, pods wait for the checkpoint that the graph takes."
        hint = "write `startupPolicy: WaitForCheckpoint`"
        review.error("admission/checkpoint", (*path, "checkpoint", "startupPolicy"), message, hint)


def checkpoint_of_graph(review: HubReview, component: HubComponent) -> None:
    """Only graphs restore workers from a PodSnapshot, since 1.5 (validateWorkerClassCheckpointRefOwnership)."""
    reference = (component.experimental.get("checkpoint") or {}).get("checkpointRef") or ""
    owners = review.metadata.get("ownerReferences") or ()
    is_owned = any(
        owner.get("controller")
        and owner.get("kind") == "DynamoGraphDeployment"
        and str(owner.get("apiVersion", "")).startswith("nvidia.com/")
        for owner in owners
    )
    if reference.strip() and component.spec.get("type") in WORKER_TYPES and not is_owned:
        message = "Only a component of a graph can be restored from a PodSnapshot that `checkpointRef` names."
        path = (*component.path, "experimental", "checkpoint", "checkpointRef")
        review.error("admission/checkpoint", path, message, "write the component into a DynamoGraphDeployment")


def _has_checkpoint(component: HubComponent) -> bool:
    return bool((component.experimental.get("checkpoint") or {}).get("enabled"))


def checkpoint_without_memory_service(review: HubReview, component: HubComponent) -> None:
    """Snapshots with GPU memory service need a switch of the operator 1.3 (validateExperimentalSpec)."""
    block = component.experimental.get("checkpoint") or {}
    if review.context.config.checkpoint.gms_snapshot or component.memory_service is None or not block.get("enabled"):
        return
    refuse_snapshot(review, (*component.path, "experimental", "checkpoint"))


def refuse_snapshot(review: Review, path: Path) -> None:
    message = (
        "This operator does not take snapshots with gpuMemoryService unless DYN_OPERATOR_ALLOW_GMS_SNAPSHOT is set."
    )
    hint = "set dynamo-operator.featureGates.gmsSnapshot in the chart's values"
    review.error("admission/checkpoint", path, message, hint)


def _gpus(component: HubComponent) -> int:
    """GPUs of `main`, limits before requests; 0 for a fraction, which counts as none (internal/dra/dra.go)."""
    main, _ = component.main()
    resources = (main or {}).get("resources") or {}
    for section in ("limits", "requests"):
        amounts = resources.get(section) or {}
        names = sorted(name for name in amounts if _is_gpu(name))
        if names:
            text = canonical(amounts[names[0]])
            return 0 if text[-1] in "mun" or text[0] == "-" or text == "0" else 1
    return 0


def _is_gpu(name: str) -> bool:
    folded = name.lower()
    return folded == "gpu" or folded.endswith("/gpu") or "/mig-" in folded or folded.startswith("gpu.")


def minimum_fits_replicas(review: HubReview, component: HubComponent) -> None:
    minimum, replicas = adapters.said_minimum(component.spec), component.spec.get("replicas")
    replicas = 1 if replicas is None else replicas
    if minimum is not None and minimum > replicas > 0:
        message = f"`minAvailable: {minimum}` is more than the {replicas} replicas of the component."
        review.error("admission/min-available", (*component.path, "providerOverride", "value"), message)


def minimum_is_deprecated(review: HubReview, component: HubComponent) -> None:
    minimum = component.spec.get("minAvailable")
    old = review.old_component(component.name) or {}
    if minimum is None or review.needs_grove or old.get("minAvailable") == minimum:
        return
    place = "minAvailable" if adapters.component_target(component.spec) == adapters.GROUP else "spec.minAvailable"
    message = "`minAvailable` of a component is deprecated."
    hint = f"write it in `providerOverride.value.{place}`, in all components of the graph at the same time"
    review.warn("admission/deprecated-field", (*component.path, "minAvailable"), message, hint)


def minima_are_said_in_one_way(review: HubReview) -> None:
    components = review.spec.get("components") or ()
    said = [index for index, item in enumerate(components) if adapters.said_minimum(item) is not None]
    if said and any(item.get("minAvailable") is not None for item in components):
        message = "Some components set `minAvailable` in `providerOverride`, others in the old field."
        hint = "set it the same way in all of them"
        review.error(
            "admission/min-available", ("spec", "components", said[0], "providerOverride", "value"), message, hint
        )


def minimum_is_kept(review: Review, pair: Pair) -> None:
    """However it is said, it stays what it was."""
    old, new = adapters.minimum(pair.old), adapters.minimum(pair.new)
    if old != new and pair.in_graph:
        message = f"The minimum number of available replicas of `{pair.name}` is immutable: it is {old}, not {new}."
        update_rules.refuse_pair(review, pair, "update/min-available", ("minAvailable",), message)

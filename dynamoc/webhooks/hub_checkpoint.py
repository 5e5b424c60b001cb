"""Rules for a DynamoCheckpoint (internal/webhook/validation/dynamocheckpoint.go of 1.4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.review import Review

    Tree = dict[str, Any]

#: internal/gms/gms.go, internal/dra/dra.go
SERVER = "gms-server"
VOLUME = "gms-intrapod-control"
MOUNT_PATH = "/gms-intrapod-control"
SOCKET_DIR = "GMS_SOCKET_DIR"
CLAIM = "intrapod-shared-gpu"

_POD: Path = ("spec", "job", "podTemplateSpec", "spec")


def checkpoints_are_enabled(review: Review) -> None:
    if not review.context.config.checkpoint.enabled:
        review.error(
            "admission/checkpoint-disabled",
            ("spec",),
            "Checkpoints are disabled in the operator's configuration.",
            "set `checkpoint.enabled: true` in it, and pass the file with --operator-config",
        )


def memory_service_is_switched_on(review: Review) -> None:
    """Snapshots with GPU memory service need a switch of the operator 1.3."""
    service = review.spec.get("gpuMemoryService") or {}
    if service.get("enabled") and not review.context.config.checkpoint.gms_snapshot:
        review.error(
            "admission/checkpoint",
            ("spec", "gpuMemoryService"),
            "This operator does not take snapshots with gpuMemoryService unless DYN_OPERATOR_ALLOW_GMS_SNAPSHOT "
            "is set.",
            "set dynamo-operator.featureGates.gmsSnapshot in the chart's values",
        )


def job_is_wired_for_memory_service(review: Review) -> None:
    """With GPU memory service, the pod has what clients and server share (validateDynamoCheckpointJobConfig)."""
    service = review.spec.get("gpuMemoryService") or {}
    if not service.get("enabled"):
        return
    path = ("spec", "gpuMemoryService")
    if service.get("mode", "intraPod") not in ("", "intraPod"):
        review.error("admission/memory-service", (*path, "mode"), "A checkpoint accepts only `mode: intraPod`.")
        return
    job = review.spec.get("job") or {}
    pod = (job.get("podTemplateSpec") or {}).get("spec") or {}
    containers = pod.get("containers") or []
    clients = service.get("extraClientContainers") or []
    for index, name in enumerate(clients):
        if not _named(containers, name):
            message = f"The client `{name}` is not a container of the job's pod."
            review.error("admission/memory-service", (*path, "extraClientContainers", index), message)
    _check_pod(review, pod, {job.get("targetContainerName") or "main", *clients})
    target = job.get("targetContainerName") or "main"
    if not _named(containers, target):
        message = f"The job's pod has no container `{target}`, which the checkpoint is taken from."
        review.error("admission/checkpoint-target", ("spec", "job"), message, "name one with `targetContainerName`")


def _check_pod(review: Review, pod: Tree, clients: set[str]) -> None:
    if not _named(pod.get("volumes"), VOLUME):
        message = f"GPU memory service needs the volume `{VOLUME}` in the job's pod."
        review.error("admission/memory-service", (*_POD, "volumes"), message)
    if not _named(pod.get("resourceClaims"), CLAIM):
        message = f"GPU memory service needs the resource claim `{CLAIM}` in the job's pod."
        review.error("admission/memory-service", (*_POD, "resourceClaims"), message)
    if not _named(pod.get("initContainers"), SERVER):
        message = f"GPU memory service needs the init container `{SERVER}` in the job's pod."
        review.error("admission/memory-service", (*_POD, "initContainers"), message)
    for field, names in (("initContainers", {SERVER}), ("containers", clients)):
        for index, container in enumerate(pod.get(field) or ()):
            if container.get("name") in names:
                _check_client(review, container, (*_POD, field, index))


def _check_client(review: Review, container: Tree, path: Path) -> None:
    """Socket directory, claim and mount, of the server as of its clients."""
    name = container["name"]
    env = [(variable.get("name"), variable.get("value")) for variable in container.get("env") or ()]
    mounts = [(mount.get("name"), mount.get("mountPath")) for mount in container.get("volumeMounts") or ()]
    missing = []
    if (SOCKET_DIR, MOUNT_PATH) not in env:
        missing.append(f"the variable `{SOCKET_DIR}={MOUNT_PATH}`")
    if not _named((container.get("resources") or {}).get("claims"), CLAIM):
        missing.append(f"the resource claim `{CLAIM}`")
    if (VOLUME, MOUNT_PATH) not in mounts:
        missing.append(f"the volume `{VOLUME}` at `{MOUNT_PATH}`")
    for what in missing:
        review.error("admission/memory-service", path, f"GPU memory service needs {what} in the container `{name}`.")


def _named(items: list[Tree] | None, name: str) -> bool:
    return any(item.get("name") == name for item in items or ())

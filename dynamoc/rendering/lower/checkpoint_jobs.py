"""The Job that takes a snapshot, since release 1.3, and the claim that snapshots are stored in.

Source: controller/checkpoint_job.go, internal/checkpoint/{shared_memory,storage}.go; deploy/snapshot/protocol.
"""

from __future__ import annotations

from collections.abc import Sequence

from dynamoc.admission.graph import Component, enabled_checkpoint
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube import quantity
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.tracing import HUB, NOT_EARLY, builder
from dynamoc.reference.programs import KEEP_JOB_FILE
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.rules.memory import (
    DEFAULT_DEVICE_CLASS,
    attach,
    claim_from_template,
    exact_request,
    scalar_gpus,
    tolerate_gpu_taint,
)
from dynamoc.rendering.rules.snapshot import CONTROL_DIR, add_control_volume, find_container, restrict_syscalls
from dynamoc.rendering.rules.snapshot_storage import (
    ID_LABEL,
    RESTORE_LABEL,
    SOURCE_LABEL,
    TARGETS,
    VERSION,
    artifact_version,
    checkpoint_id,
    mount_storage,
    pod_storage,
)


@builder(
    "lower/snapshots/job/snapshot-job",
    "controller/checkpoint_job.go; deploy/snapshot/protocol/checkpoint.go",
    (HUB,),
    when="snapshots/of-graphs",
    unless="snapshots/operator-of-their-own",
)
def snapshot_job(checkpoint: Tree, operator: Operator, claims: list[Tree], path: Path = ("spec",)) -> Tree:
    """The Job of a DynamoCheckpoint. `claims` are ResourceClaimTemplates that are created together with it."""
    job = checkpoint["spec"]["job"]
    identifier, version = checkpoint_id(checkpoint, operator.release), artifact_version(checkpoint)
    template = copy_tree(job["podTemplateSpec"])
    spec = template.setdefault("spec", {})
    name = job.get("targetContainerName", "")
    if not name:
        raise Refusal("snapshot/no-target", "spec.job.targetContainerName is required.", path)
    target = find_container(spec, name, path)
    share_memory(spec, target, job.get("sharedMemory"))
    template_metadata = template.setdefault("metadata", {})
    labels = template_metadata.setdefault("labels", {})
    annotations = template_metadata.setdefault("annotations", {})
    mount_storage(spec, target, annotations, pod_storage(operator, path))
    release = operator.release
    annotations[VERSION] = version
    if release.has("snapshots/job-without-mesh"):
        # A sidecar that outlives the engine would keep the Job from completing.
        annotations.update({"linkerd.io/inject": "disabled", "sidecar.istio.io/inject": "false"})
    else:
        annotations[TARGETS] = name
    labels.pop(RESTORE_LABEL, None)
    labels.update({"nvidia.com/snapshot-owner": checkpoint["metadata"]["name"], SOURCE_LABEL: "true"})
    labels[ID_LABEL] = identifier
    several_gpus = _gpus(checkpoint, spec, target, operator, claims, path) > 1
    spec["restartPolicy"] = "Never"
    restrict_syscalls(spec, operator.config.checkpoint)
    await_readiness(spec, target, release)
    if several_gpus:
        _launch_as_job(target, release, path)
    # Up to 1.3 Kubernetes deletes the Job after 5 minutes.
    return checkpoint_job(checkpoint, template, release, is_deleted=not release.has("snapshots/job-without-mesh"))


def checkpoint_job(checkpoint: Tree, template: Tree, release: Release, *, is_deleted: bool) -> Tree:
    """The Job that runs a prepared pod once; Kubernetes deletes it after 5 minutes, or leaves it."""
    job, identifier = checkpoint["spec"]["job"], checkpoint_id(checkpoint, release)
    name = f"checkpoint-job-{identifier}-{artifact_version(checkpoint)}"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(name, checkpoint["metadata"]["namespace"], {ID_LABEL: identifier}),
        "spec": {
            "activeDeadlineSeconds": job.get("activeDeadlineSeconds", 3600),
            "backoffLimit": 0,
            **({"ttlSecondsAfterFinished": 300} if is_deleted else {}),
            "template": template,
        },
    }


def prepare_service(spec: Tree, target: Tree, claim: str, clients: list[str], *, newer: bool = False) -> None:
    """GPU memory service in the pod of the Job, by a claim of its own (prepareCheckpointGMSPodTemplate)."""
    tolerate_gpu_taint(spec)
    claim_from_template(spec, claim)
    attach(spec, target, clients, newer=newer)


@builder(
    "lower/snapshots/job/await-readiness",
    "controller/checkpoint_job.go",
    NOT_EARLY,
    when="snapshots/by-agent",
    unless="snapshots/operator-of-their-own",
)
def await_readiness(spec: Tree, target: Tree, release: Release) -> None:
    """The engine reports when its model is loaded; until then, nothing may restart it."""
    add_control_volume(spec, target, own_part=release.has("hub/v1beta1"))
    ready = {"command": ["cat", f"{CONTROL_DIR}/{release['snapshot/ready-file']}"]}
    target["readinessProbe"] = {"exec": ready, "periodSeconds": 1}
    target.pop("livenessProbe", None)
    target.pop("startupProbe", None)


@builder(
    "lower/snapshots/job/launch-as-job",
    "controller/checkpoint_job.go",
    (HUB,),
    when="snapshots/of-graphs",
    unless="snapshots/operator-of-their-own",
)
def _launch_as_job(target: Tree, release: Release, path: Path) -> None:
    """The pod of a snapshot's Job starts the engine in its own way."""
    keep = ["/bin/sh", "-c", KEEP_JOB_FILE, "dynamo-cuda-checkpoint", f"{CONTROL_DIR}/cuda-checkpoint-job"]
    run_by_cuda_checkpoint(target, path, keep if release.has("snapshots/job-file") else [])


def run_by_cuda_checkpoint(target: Tree, path: Path, keep: Sequence[str] = ()) -> None:
    """Hands the command of the container to `cuda-checkpoint`, behind what keeps the file of the job."""
    if not target.get("command"):
        raise Refusal(
            "snapshot/no-command",
            "A snapshot of several GPUs needs the command of the container; the operator creates no Job.",
            path,
            "Set command in the container, in addition to args.",
        )
    target["args"] = ["--launch-job", *keep, *target["command"], *(target.get("args") or [])]
    target["command"] = ["cuda-checkpoint"]


@builder(
    "lower/snapshots/job/share-memory",
    "internal/checkpoint/shared_memory.go ApplySharedMemoryVolumeAndMount",
    NOT_EARLY,
    when="snapshots/by-agent",
    unless="snapshots/operator-of-their-own",
)
def share_memory(spec: Tree, target: Tree, wanted: Tree | None) -> None:
    """/dev/shm of the target, 8Gi if the Job sets nothing."""
    wanted = wanted or {}
    if wanted.get("disabled"):
        return
    size = wanted.get("size", "0")
    size = "8Gi" if quantity.is_zero(size) else size
    volumes = [volume for volume in spec.get("volumes") or () if volume.get("name") != "shared-memory"]
    spec["volumes"] = [*volumes, {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": size}}]
    mounts = [
        mount
        for mount in target.get("volumeMounts") or ()
        if mount.get("name") != "shared-memory" and mount.get("mountPath") != "/dev/shm"
    ]
    target["volumeMounts"] = [*mounts, {"name": "shared-memory", "mountPath": "/dev/shm"}]


def _gpus(checkpoint: Tree, spec: Tree, target: Tree, operator: Operator, claims: list[Tree], path: Path) -> int:
    """GPUs of the target: as resources, and as claims of the device class that GPU memory service would use."""
    resources = target.get("resources") or {}
    count = scalar_gpus(resources, path)
    service = checkpoint["spec"].get("gpuMemoryService") or {}
    device_class = service.get("deviceClassName") or DEFAULT_DEVICE_CLASS
    pod_claims = {claim.get("name"): claim for claim in reversed(spec.get("resourceClaims") or [])}
    for claim in resources.get("claims") or ():
        pod_claim = pod_claims.get(claim.get("name"))
        if pod_claim is None:
            continue
        for request in _requests(pod_claim, checkpoint["metadata"]["namespace"], operator, claims, path):
            if claim.get("request") in (None, "", request.get("name")):
                count += _requested(request, device_class)
    return count


def _requests(pod_claim: Tree, namespace: str, operator: Operator, claims: list[Tree], path: Path) -> list[Tree]:
    template = pod_claim.get("resourceClaimTemplateName")
    name = template or pod_claim.get("resourceClaimName")
    if not name:
        return []
    kind = "ResourceClaimTemplate" if template else "ResourceClaim"
    found = next((item for item in claims if item["kind"] == kind and item["metadata"]["name"] == name), None)
    found = found or operator.cluster.get(kind, namespace, name)
    if found is None:
        operator.unknown(
            kind,
            namespace,
            name,
            "its GPUs are not counted; the operator creates no Job until it exists",
            path,
        )
        return []
    spec = found.get("spec") or {}
    spec = (spec.get("spec") or {}) if template else spec
    return (spec.get("devices") or {}).get("requests") or []


def _requested(request: Tree, device_class: str) -> int:
    """Devices of the class: as many as asked for exactly, or the most that an alternative asks for."""
    exactly = exact_request(request)
    options = [exactly] if exactly is not None else request.get("firstAvailable") or []
    counts = [_device_count(option) for option in options if option.get("deviceClassName") == device_class]
    return max(counts, default=0)


def _device_count(option: Tree) -> int:
    # Only the scheduler knows how many `All` are; the operator takes it for several.
    return 2 if option.get("allocationMode") == "All" else option.get("count") or 1


def component_storage(component: Component, namespace: str, operator: Operator) -> list[Tree]:
    """The result of `storage_claim`, for a component that may take or restore a snapshot.

    Source: controller/dcd_checkpoint_storage_reconciler.go up to 1.4.
    """
    if operator.release.has("snapshots/operator-of-their-own"):
        return []
    if not operator.config.checkpoint.enabled or enabled_checkpoint(component.spec, operator.release) is None:
        return []
    return storage_claim(namespace, operator, (*component.path, "experimental", "checkpoint"))


@builder(
    "lower/snapshots/storage/storage-claim",
    "internal/checkpoint/storage.go EnsureStoragePVC",
    (HUB,),
    unless="snapshots/operator-of-their-own",
)
def storage_claim(namespace: str, operator: Operator, path: Path) -> list[Tree]:
    """The claim for snapshots in a namespace that takes or restores some, if the operator creates it."""
    storage, claim = pod_storage(operator, path), operator.config.checkpoint.storage.pvc
    known = operator.cluster.spares if claim.create else operator.cluster.exists
    if storage is None or known("PersistentVolumeClaim", namespace, storage[0]):
        return []
    if not claim.create:
        operator.unknown(
            "PersistentVolumeClaim",
            namespace,
            storage[0],
            "the operator creates no pods until it exists, because checkpoint.storage.pvc.create is false",
            path,
        )
        return []
    spec: Tree = {
        "accessModes": [claim.access_mode.strip() or "ReadWriteMany"],
        "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": _claim_size(claim.size.strip(), path)}},
    }
    if claim.storage_class_name.strip():
        spec["storageClassName"] = claim.storage_class_name.strip()
    labels = {
        "app.kubernetes.io/name": "dynamo",
        "app.kubernetes.io/component": "checkpoint-storage",
        "app.kubernetes.io/managed-by": "dynamo-operator",
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": metadata(storage[0], namespace, labels),
            "spec": spec,
        }
    ]


def _claim_size(size: str, path: Path) -> str:
    try:
        if quantity.sign(size) > 0:
            return quantity.canonical_as_read(size)
    except ValueError:
        pass
    raise Refusal(
        "snapshot/storage",
        f'checkpoint.storage.pvc.size "{size}" is not an amount of storage; the operator cannot create the claim.',
        path,
    )

"""What a component starts from: its DynamoCheckpoint, found by reference or identity, as of release 1.4.

Source: internal/checkpoint/resolve.go, resource.go, internal/gms/clients.go.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.model.experimental import (
    IMMEDIATE,
    WAIT_FOR_CHECKPOINT,
    enabled_checkpoint,
    gpu_memory_service,
    is_intra_pod_failover,
)
from dynamoc.rules.failover import ENGINES
from dynamoc.rules.snapshot_marks import ID_LABEL, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

DEFAULT_VERSION = "1"


class Snapshot:
    """What is known about the DynamoCheckpoint that a component's `checkpoint` means.

    name            of the DynamoCheckpoint, "" where there is none
    id              of the artifact, "" where unknown
    ready           whether pods can start from it
    startup_policy  Immediate, or WaitForCheckpoint
    targets         containers to restore
    service         GPU memory service that the snapshot was taken with, a v1alpha1 tree or None
    version         of the artifact
    marks           annotations by which the operator's webhook finds pods to restore, since 1.5
    """

    __slots__ = ("id", "marks", "name", "ready", "service", "startup_policy", "targets", "version")

    def __init__(self, *, startup_policy: str = IMMEDIATE, targets: list[str] | None = None) -> None:
        self.name = ""
        self.id = ""
        self.ready = False
        self.startup_policy = startup_policy or IMMEDIATE
        self.targets = targets or ["main"]
        self.service: Tree | None = None
        self.version = DEFAULT_VERSION
        self.marks: dict[str, str] = {}

    def read(self, value: Tree, release: Release) -> None:
        """Takes over what a DynamoCheckpoint says (checkpointInfoFromObject)."""
        self.name = value["metadata"]["name"]
        self.id = checkpoint_id(value, release)
        self.ready = (value.get("status") or {}).get("phase") == "Ready"
        self.service = (value.get("spec") or {}).get("gpuMemoryService")
        self.version = artifact_version(value)

    @property
    def is_waited_for(self) -> bool:
        """Whether pods must not start before the snapshot is taken."""
        return self.startup_policy == WAIT_FOR_CHECKPOINT and not self.ready


def checkpoint_id(value: Tree, release: Release) -> str:
    """The artifact's id: as recorded, as labelled, or else computed from the identity (resource.go CheckpointID).

    Up to 1.2 the operator sets the label itself, and does not read it (resource.go checkpointIdentityHash).
    """
    status, labels = value.get("status") or {}, value["metadata"].get("labels") or {}
    known = status.get("identityHash")
    if release.has("snapshots/of-graphs"):
        known = status.get("checkpointID") or known or labels.get(ID_LABEL)
    return known or _identity_hash((value.get("spec") or {}).get("identity") or {})


def _identity_hash(identity: Tree) -> str:
    # Most graphs take no snapshots and need no hash of any.
    from dynamoc.rules.checkpoint import identity_hash

    return identity_hash(identity)


def artifact_version(value: Tree) -> str:
    return ((value["metadata"].get("annotations") or {}).get(VERSION) or "").strip() or DEFAULT_VERSION


def component_snapshot(component: Component, namespace: str, operator: Operator) -> Snapshot | None:
    """What a DynamoComponentDeployment starts from, None where snapshots are off.

    Since 1.5, only graphs know what their components start from.
    Source: controller/dynamocomponentdeployment_renderer.go generatePodTemplateSpec.
    """
    checkpoint = enabled_checkpoint(component.spec, operator.release)
    if operator.release.has("snapshots/operator-of-their-own"):
        return None
    if checkpoint is None or not operator.config.checkpoint.enabled:
        return None
    path = (*component.path, "experimental", "checkpoint")
    snapshot = resolve_snapshot(operator, namespace, checkpoint, path)
    if is_intra_pod_failover(component.spec):
        snapshot.targets = list(ENGINES)
    use_service_of(snapshot, gpu_memory_service(component.spec), path)
    return snapshot


def resolve_snapshot(operator: Operator, namespace: str, checkpoint: Tree, path: Path) -> Snapshot:
    """The snapshot of an enabled `checkpoint`: by its reference, else by its identity.

    A reference that nobody gave is unknown offline: it is taken to exist without being ready.
    Source: resolve.go ResolveCheckpointForService.
    """
    target = checkpoint.get("targetContainerName")
    snapshot = Snapshot(startup_policy=checkpoint.get("startupPolicy", ""), targets=[target] if target else None)
    reference = checkpoint.get("checkpointRef")
    if reference:
        found = operator.cluster.get("DynamoCheckpoint", namespace, reference)
        if found is not None:
            snapshot.read(found, operator.release)
            require_gate_of_service(snapshot.service, operator, path)
            return snapshot
        operator.unknown(
            "DynamoCheckpoint",
            namespace,
            reference,
            "the pods are rendered as if it were not ready; the operator creates none until it exists",
            (*path, "checkpointRef"),
        )
        snapshot.name = reference
        return snapshot
    identity = checkpoint.get("identity")
    if identity is not None:
        snapshot.id = _identity_hash(identity)
        known = operator.cluster.list("DynamoCheckpoint", namespace)
        same = [value for value in known if checkpoint_id(value, operator.release) == snapshot.id]
        if len(same) > 1:
            names = " and ".join(value["metadata"]["name"] for value in same)
            raise Refusal(
                "snapshot/ambiguous",
                f"{names} have the identity that this component sets; the operator cannot choose one.",
                (*path, "identity"),
                "Set checkpointRef to one of them.",
            )
        for value in same:
            snapshot.read(value, operator.release)
            require_gate_of_service(snapshot.service, operator, path)
    return snapshot


def use_service_of(snapshot: Snapshot, service: Tree | None, path: Path) -> None:
    """Lets a component with GPU memory service restore with its own settings (internal/gms/clients.go OverlayClients).

    Raises `Refusal` where the snapshot was taken without one. `service` is a v1beta1 tree.
    """
    if service is None or not snapshot.name or not snapshot.id:
        return
    if not (snapshot.service or {}).get("enabled"):
        raise Refusal(
            "snapshot/no-gpu-memory-service",
            f"DynamoCheckpoint {snapshot.name} was taken without gpuMemoryService; a component with "
            "gpuMemoryService cannot be restored from it, and the operator fails.",
            path,
        )
    snapshot.service = alpha_service(service)


def require_gate_of_service(service: Tree | None, operator: Operator, path: Path) -> None:
    """Refuses snapshots with GPU memory service where a switch of the operator has to allow them.

    `service` is a v1alpha1 tree. Source: internal/checkpoint/gms_snapshot_gate.go ValidateGMSSnapshotGate.
    """
    if not (service or {}).get("enabled") or operator.config.checkpoint.gms_snapshot:
        return
    if operator.release.has("snapshots/memory-switch"):
        raise Refusal(
            "snapshot/gpu-memory-service-disabled",
            "This operator does not take snapshots with gpuMemoryService unless DYN_OPERATOR_ALLOW_GMS_SNAPSHOT "
            "is set.",
            path,
            "Set dynamo-operator.featureGates.gmsSnapshot in the chart's values.",
        )


def alpha_service(service: Tree) -> Tree:
    """A v1beta1 gpuMemoryService as DynamoCheckpoints, which are v1alpha1, say it."""
    mode = service.get("mode", "")
    return {**service, "enabled": True, **({"mode": mode[0].lower() + mode[1:]} if mode else {})}

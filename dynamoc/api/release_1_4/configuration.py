"""OperatorConfiguration of release 1.4, as differences to release 1.0."""

from __future__ import annotations

from typing import Annotated

from dynamoc.api import operator_configuration as base
from dynamoc.api.base import Gone, Part, default


class Orchestrators(base.Orchestrators):
    """What the operator may build on."""

    volcano_scheduler: base.Switch | None = None


class IstioMesh(Part):
    """How Istio talks to the endpoint picker."""

    tls_mode: Annotated[str | None, default("SIMPLE")] = None
    insecure_skip_verify: Annotated[bool | None, default(True)] = None
    client_certificate: str | None = None
    private_key: str | None = None
    ca_certificates: str | None = None


class ServiceMesh(Part):
    """The mesh that the components are in."""

    enabled: bool | None = None
    provider: str | None = None
    """Only `istio` has an effect."""
    istio: IstioMesh | None = None


class CheckpointClaim(Part):
    """A claim that holds checkpoints."""

    pvc_name: str | None = None
    base_path: str | None = None
    create: bool | None = None
    size: str | None = None
    storage_class_name: str | None = None
    access_mode: str | None = None


class CheckpointStorage(Part):
    """Where checkpoints are kept."""

    type: str | None = None
    pvc: CheckpointClaim | None = None
    s3: base.CheckpointBucket | None = None
    oci: base.CheckpointBucket | None = None


class Seccomp(Part):
    """The seccomp profile of checkpointed containers."""

    disabled: bool | None = None
    profile: str | None = None


class Checkpoint(base.Checkpoint):
    """Whether and where workers are checkpointed."""

    ready_for_checkpoint_file_path: Gone = None
    seccomp: Seccomp | None = None
    storage: CheckpointStorage | None = None  # type: ignore[assignment]
    cleanup_image: str | None = None


class OperatorConfiguration(base.OperatorConfiguration):
    """What the operator is told at its start."""

    orchestrators: Orchestrators | None = None
    checkpoint: Checkpoint | None = None
    dra: base.Switch | None = None
    service_mesh: ServiceMesh | None = None

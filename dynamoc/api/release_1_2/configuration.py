"""OperatorConfiguration of release 1.2, as differences to release 1.4."""

from __future__ import annotations

from dynamoc.api import operator_configuration as base
from dynamoc.api.base import Gone
from dynamoc.api.release_1_4 import configuration as later


class ServiceMesh(later.ServiceMesh):
    """The mesh that the components are in."""

    enabled: Gone = None


class Checkpoint(later.Checkpoint):
    """Whether and where workers are checkpointed."""

    cleanup_image: Gone = None


class OperatorConfiguration(later.OperatorConfiguration):
    """What the operator is told at its start."""

    orchestrators: base.Orchestrators | None = None  # type: ignore[assignment]
    checkpoint: Checkpoint | None = None
    service_mesh: ServiceMesh | None = None

"""PodSnapshot and PodSnapshotContent of release 1.3, which snapshots whole pods."""

from __future__ import annotations

from dynamoc.api.base import Gone
from dynamoc.api.release_1_4 import snapshot as later


class PodReference(later.PodReference):
    """A running pod."""

    containers: Gone = None  # type: ignore[assignment]


class SnapshotSource(later.SnapshotSource):
    """What is snapshotted."""

    pod_ref: PodReference


class PodSnapshotSpec(later.PodSnapshotSpec):
    """A snapshot that should exist."""

    source: SnapshotSource


class PodSnapshot(later.PodSnapshot):
    """A snapshot of a running pod, as users ask for it."""

    spec: PodSnapshotSpec | None = None


class ContentSource(SnapshotSource, later.ContentSource):
    """What was snapshotted, and where."""


class PodSnapshotContentSpec(later.PodSnapshotContentSpec):
    """A snapshot on a node."""

    source: ContentSource


class PodSnapshotContent(later.PodSnapshotContent):
    """The content of a snapshot on a node; belongs to no namespace."""

    spec: PodSnapshotContentSpec | None = None

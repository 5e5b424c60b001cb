"""PodSnapshot and PodSnapshotContent, which stand for the memory of a running pod."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from dynamoc.api.base import NonEmpty, Part, Resource, Rule, Schema
from dynamoc.api.v1alpha1.common import Condition
from dynamoc.api.v1beta1.experimental import ContainerName

SPEC_STAYS = Rule("!has(oldSelf.spec) || self.spec == oldSelf.spec", "spec is immutable")


class PodReference(Part):
    """A container of a running pod."""

    name: NonEmpty
    uid: str | None = None
    containers: Annotated[list[ContainerName], Field(min_length=1, max_length=1)]


class SnapshotSource(Part):
    """What is snapshotted."""

    pod_ref: PodReference


class PodSnapshotSpec(Part):
    """A snapshot that should exist."""

    source: SnapshotSource


class PodSnapshotStatus(Part):
    """What became of a snapshot."""

    bound_snapshot_content_name: str | None = None
    conditions: list[Condition] | None = None


class PodSnapshot(Resource):
    """A snapshot of a running pod, as users ask for it."""

    rules: ClassVar[tuple[Rule, ...]] = (SPEC_STAYS,)
    crd: ClassVar[Schema] = {
        "short": "podsnap",
        "columns": [
            "Content=.status.boundSnapshotContentName",
            "Ready=.status.conditions[?(@.type=='Ready')].status",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: PodSnapshotSpec | None = None
    status: PodSnapshotStatus | None = None


class SnapshotReference(Part):
    """The PodSnapshot that a content belongs to."""

    name: str
    namespace: str
    uid: str | None = None


class ContentSource(SnapshotSource):
    """What was snapshotted, and where."""

    node_name: NonEmpty


class PodSnapshotContentSpec(Part):
    """A snapshot on a node."""

    snapshot_ref: SnapshotReference
    source: ContentSource


class PodSnapshotContentStatus(Part):
    """What became of the content."""

    conditions: list[Condition] | None = None


class PodSnapshotContent(Resource):
    """The content of a snapshot on a node; belongs to no namespace."""

    rules: ClassVar[tuple[Rule, ...]] = (SPEC_STAYS,)
    crd: ClassVar[Schema] = {
        "short": "podsnapcontent",
        "scope": "Cluster",
        "columns": [
            "PodSnapshot=.spec.snapshotRef.name",
            "Namespace=.spec.snapshotRef.namespace",
            "Ready=.status.conditions[?(@.type=='Ready')].status",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: PodSnapshotContentSpec | None = None
    status: PodSnapshotContentStatus | None = None

"""Labels and annotations that steer restores, and what the user wrote in their place.

Source: internal/checkpoint/podspec.go ApplyRestorePodMetadataWithStorageConfig, ApplyRestoreCandidateMetadata;
deploy/snapshot/protocol/common.go ApplyRestoreTargetMetadata, clearRestoreStatusKeys, all of 1.2 to 1.4.
"""

from __future__ import annotations

import pytest

from dynamoc.admission.operator import Operator
from dynamoc.reference.releases import get_release
from dynamoc.rendering.rules.snapshot_storage import Snapshot, clear_restore_status, mark_pods
from tests.rules.graphs import config
from tests.webhooks.reviewing import context

STATUS = "nvidia.com/snapshot-checkpoint-status"
RESTORED = "nvidia.com/snapshot-restore-status"
CONTAINER = "nvidia.com/snapshot-restore-container-id.main"
TARGETS = "nvidia.com/snapshot-target-containers"
VERSION = "nvidia.com/snapshot-artifact-version"
ID, TARGET = "nvidia.com/snapshot-checkpoint-id", "nvidia.com/snapshot-is-restore-target"
WRITTEN = {STATUS: "completed", RESTORED: "completed", CONTAINER: "x", TARGETS: "mine", VERSION: "9", "team": "a"}


def marked(release: str, snapshot: Snapshot | None) -> tuple[dict[str, str], dict[str, str]]:
    """The user's labels and annotations after the operator's, for what names the same."""
    where = context(release)
    operator = Operator(get_release(release), config(), where, where.capabilities, lambda *_, **__: None)
    labels, annotations = {ID: "mine", TARGET: "true", "team": "a"}, dict(WRITTEN)
    mark_pods(labels, annotations, snapshot, operator, ())
    return labels, annotations


def ready(*, policy: str = "WaitForCheckpoint") -> Snapshot:
    snapshot = Snapshot(startup_policy=policy, targets=["main", "side"])
    snapshot.name, snapshot.id, snapshot.ready, snapshot.version = "checkpoint-a", "a", True, "2"
    return snapshot


@pytest.mark.parametrize(
    ("release", "kept"), [("1.2", {}), ("1.3", {}), ("1.4", {STATUS: "completed"})], ids=["1.2", "1.3", "1.4"]
)
def test_what_looks_like_a_restore_goes(release: str, kept: dict[str, str]) -> None:
    assert marked(release, None) == ({"team": "a"}, {"team": "a", **kept})


@pytest.mark.parametrize("release", ["1.2", "1.3", "1.4"])
def test_a_pod_is_told_what_to_restore(release: str) -> None:
    labels, annotations = marked(release, ready())
    assert labels == {ID: "a", TARGET: "true", "team": "a"}
    assert {key: annotations.get(key) for key in (TARGETS, VERSION, RESTORED)} == {
        TARGETS: "main,side",
        VERSION: "2",
        RESTORED: None,
    }


def test_a_pod_that_need_not_wait_is_a_candidate() -> None:
    labels, annotations = marked("1.4", ready(policy="Immediate"))
    assert labels == {"team": "a"}
    assert annotations["nvidia.com/dynamo-checkpoint-restore-candidate"] == "true"
    assert annotations[TARGETS] == "main,side"
    assert VERSION not in annotations


@pytest.mark.parametrize(("release", "kept"), [("1.3", False), ("1.4", True)])
def test_the_status_of_a_source_goes_from_candidates_of_1_3(release: str, kept: bool) -> None:
    """internal/checkpoint/podspec.go ApplyRestoreCandidateMetadata of 1.3 deletes it, that of 1.4 does not."""
    assert (STATUS in marked(release, ready(policy="Immediate"))[1]) is kept


def test_whatever_begins_like_the_note_of_a_restore_goes() -> None:
    """deploy/snapshot/protocol/common.go clearRestoreStatusKeys of 1.4 looks at prefixes."""
    annotations = {f"{RESTORED}.a.b": "completed", f"{RESTORED}s": "mine"}
    clear_restore_status(annotations)
    assert annotations == {f"{RESTORED}s": "mine"}

"""Labels and annotations that steer restores, and what the user wrote in their place (podspec.go of 1.2 to 1.4)."""

from __future__ import annotations

import pytest

from dynamoc.model.operator import Operator
from dynamoc.release import get_release
from dynamoc.rules.snapshot_marks import mark_pods
from dynamoc.rules.snapshot_state import Snapshot
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

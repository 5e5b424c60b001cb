"""What a change does: rolls, scales, must be recreated, or happens in place; and what the operator leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from dynamoc.analysis.compare.result import ADDS, IN_PLACE, RECREATES, REMOVES, ROLLS, SCALES, Comparison
from dynamoc.kube.names import identity
from tests.compare.conftest import Tree, compared, item

POD = {"spec": {"containers": [{"name": "main", "image": "a", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}


def changed(value: Any, path: str, new: Any) -> Tree:
    """The object with another value at `a/b/0/c`."""
    first, _, rest = path.partition("/")
    if isinstance(value, list):
        return [changed(part, rest, new) if str(at) == first else part for at, part in enumerate(value)]  # type: ignore[return-value]
    return {**value, first: changed(value.get(first, {}), rest, new) if rest else new}


def clique(name: str, replicas: int, **more: Any) -> Tree:
    labels = {"nvidia.com/dynamo-component": more.pop("component", name)}
    return {
        "name": name,
        "labels": labels,
        "spec": {"replicas": replicas, "minAvailable": 1, "podSpec": POD["spec"], **more},
    }


DEPLOYMENT = item("Deployment", spec={"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": POD})
SERVICE = item("Service", spec={"ports": [{"name": "http", "port": 80}], "type": "ClusterIP"})
CLAIM = item("PersistentVolumeClaim", spec={"storageClassName": "x", "resources": {"requests": {"storage": "1Gi"}}})
JOB = item("Job", spec={"template": POD, "backoffLimit": 1})
WORKERS = item(
    "LeaderWorkerSet",
    spec={"replicas": 2, "leaderWorkerTemplate": {"size": 4, "leaderTemplate": POD, "workerTemplate": POD}},
)
CLIQUES = item(
    "PodCliqueSet",
    spec={
        "replicas": 1,
        "template": {
            "cliqueStartupType": "CliqueStartupTypeAnyOrder",
            "terminationDelay": "4h0m0s",
            "cliques": [clique("frontend", 2), clique("worker-ldr", 1), clique("worker-wkr", 3)],
            "podCliqueScalingGroups": [
                {"name": "worker", "cliqueNames": ["worker-ldr", "worker-wkr"], "replicas": 2, "minAvailable": 1}
            ],
        },
    },
)
IMAGE = "spec/containers/0/image"


@pytest.mark.parametrize(
    ("old", "path", "new", "effect"),
    [
        (DEPLOYMENT, "spec/template/" + IMAGE, "b", ROLLS),
        (DEPLOYMENT, "spec/replicas", 4, SCALES),
        (DEPLOYMENT, "spec/selector/matchLabels/a", "c", RECREATES),
        (DEPLOYMENT, "spec/strategy", {"type": "Recreate"}, IN_PLACE),
        (SERVICE, "spec/type", "NodePort", IN_PLACE),
        (SERVICE, "spec/clusterIP", "None", RECREATES),
        (JOB, "spec/template/" + IMAGE, "b", RECREATES),
        (JOB, "spec/backoffLimit", 2, IN_PLACE),
        (WORKERS, "spec/leaderWorkerTemplate/workerTemplate/" + IMAGE, "b", ROLLS),
        (WORKERS, "spec/leaderWorkerTemplate/size", 2, ROLLS),
        (WORKERS, "spec/replicas", 3, SCALES),
        (CLIQUES, "spec/template/cliques/0/spec/podSpec/containers/0/image", "b", ROLLS),
        (CLIQUES, "spec/template/cliques/0/labels/x", "b", ROLLS),
        (CLIQUES, "spec/template/cliques/0/spec/replicas", 3, SCALES),
        (CLIQUES, "spec/template/cliques/0/spec/minAvailable", 2, RECREATES),
        (CLIQUES, "spec/template/cliques/0/spec/startsAfter", ["b"], RECREATES),
        (CLIQUES, "spec/template/cliques/0/name", "other", RECREATES),
        (CLIQUES, "spec/template/cliqueStartupType", "CliqueStartupTypeExplicit", RECREATES),
        (CLIQUES, "spec/template/podCliqueScalingGroups/0/replicas", 3, SCALES),
        (CLIQUES, "spec/template/podCliqueScalingGroups/0/minAvailable", 2, RECREATES),
        (CLIQUES, "spec/template/terminationDelay", "15m", IN_PLACE),
        (CLIQUES, "spec/template/priorityClassName", "high", ROLLS),
    ],
)
def test_effect_of_a_field(old: Tree, path: str, new: Any, effect: str) -> None:
    [found] = compared([old], [changed(old, path, new)]).objects
    assert found.effect == effect


def test_claims_that_the_user_applies_are_immutable() -> None:
    new = changed(CLAIM, "spec/storageClassName", "y")
    given = frozenset([identity(CLAIM)])
    assert compared([CLAIM], [new], given=given).objects[0].effect == RECREATES
    larger = changed(CLAIM, "spec/resources/requests/storage", "2Gi")
    assert compared([CLAIM], [larger], given=given).objects[0].effect == IN_PLACE


def test_pods_that_are_updated_on_deletion_do_not_roll() -> None:
    old = changed(CLIQUES, "spec/updateStrategy", {"type": "OnDelete"})
    new = changed(old, "spec/template/cliques/0/labels/x", "b")
    assert compared([old], [new]).objects[0].effect == IN_PLACE


@pytest.mark.parametrize(
    ("old", "path", "pods", "gpus"),
    [
        (DEPLOYMENT, "spec/template/" + IMAGE, 3, 6),
        (DEPLOYMENT, "spec/selector/matchLabels/a", 3, 6),
        (DEPLOYMENT, "spec/strategy", 0, 0),
        # leaders and workers have one revision: 2 groups of 4
        (WORKERS, "spec/leaderWorkerTemplate/workerTemplate/" + IMAGE, 8, 16),
        (CLIQUES, "spec/template/cliques/0/labels/x", 2, 4),
        # a replica of a scaling group is replaced as a whole: 2 replicas of 1 + 3
        (CLIQUES, "spec/template/cliques/1/labels/x", 8, 16),
        (CLIQUES, "spec/template/cliqueStartupType", 10, 20),
    ],
)
def test_pods_and_gpus_that_restart(old: Tree, path: str, pods: int, gpus: int) -> None:
    total = compared([old], [changed(old, path, "z")]).total("restarted")
    assert (total.pods, total.gpus) == (pods, gpus)


def test_scaling_starts_and_stops_pods() -> None:
    up = compared([DEPLOYMENT], [changed(DEPLOYMENT, "spec/replicas", 5)])
    down = compared([DEPLOYMENT], [changed(DEPLOYMENT, "spec/replicas", 1)])
    assert (up.total("started").gpus, up.total("restarted").pods) == (4, 0)
    assert (down.total("stopped").pods, down.total("started").pods) == (2, 0)


def test_rolling_while_scaling_counts_each_pod_once() -> None:
    new = changed(changed(DEPLOYMENT, "spec/replicas", 5), "spec/template/" + IMAGE, "b")
    found = compared([DEPLOYMENT], [new])
    assert (found.total("restarted").pods, found.total("started").pods) == (3, 2)


def test_gpus_of_claims_count() -> None:
    devices = {
        "devices": {"requests": [{"name": "gpus", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 4}}]}
    }
    template = item("ResourceClaimTemplate", "claim", spec={"spec": devices})
    pod = {
        "spec": {
            "containers": [{"name": "main"}],
            "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "claim"}],
        }
    }
    old = item("Deployment", spec={"replicas": 2, "template": pod})
    found = compared([old, template], [changed(old, "spec/template/spec/hostNetwork", True), template])
    assert found.total("restarted").gpus == 8


def effect_and_note(found: Comparison) -> tuple[str, bool, str]:
    [change] = found.objects[0].changes
    return change.effect, change.applied, change.note or ""


@pytest.mark.parametrize("kind", ["Deployment", "PodCliqueSet", "LeaderWorkerSet"])
def test_the_operator_leaves_labels_of_objects_alone(kind: str) -> None:
    old = item(kind, spec={})
    new = item(kind, spec={}, metadata={"labels": {"a": "b"}})
    effect, applied, note = effect_and_note(compared([old], [new]))
    assert (effect, applied) == (IN_PLACE, False)
    assert "labels" in note


def test_what_the_user_applies_is_applied() -> None:
    old, new = item("Deployment", spec={}), item("Deployment", spec={}, metadata={"labels": {"a": "b"}})
    assert effect_and_note(compared([old], [new], given=frozenset([identity(old)])))[1]


@pytest.mark.parametrize(("release", "applied"), [("0.6", False), ("1.0", False), ("1.4", True)])
def test_content_without_a_spec_is_brought_up_to_date_since_1_1(release: str, applied: bool) -> None:
    old, new = item(data={"a": "1"}), item(data={"a": "2"})
    assert effect_and_note(compared([old], [new], release=release))[1] == applied


def test_the_operator_makes_claims_and_secrets_once() -> None:
    for kind in ("PersistentVolumeClaim", "Secret", "ServiceAccount"):
        found = compared([item(kind, data={"a": "1"})], [item(kind, data={"a": "2"})])
        assert not effect_and_note(found)[1]


def test_another_order_of_names_is_no_difference_to_the_operator() -> None:
    one, other = {"name": "a"}, {"name": "b", "value": "$(a)"}
    pods = [{"spec": {"containers": [{"name": "main", "env": env}]}} for env in ([one, other], [other, one])]
    found = compared(*([item("Deployment", spec={"template": pod})] for pod in pods))
    assert not effect_and_note(found)[1]
    assert found.total("restarted").pods == 0


def test_what_comes_and_goes() -> None:
    found = compared([DEPLOYMENT], [SERVICE])
    assert [entry.effect for entry in found.objects] == [ADDS, REMOVES]
    assert (found.total("stopped").pods, found.total("restarted").pods) == (3, 0)


def test_what_a_graph_does_not_need_any_more_stays() -> None:
    owned = frozenset([identity(DEPLOYMENT), identity(SERVICE)])
    deployment, service = compared([DEPLOYMENT, SERVICE], [], owned=owned).objects
    assert (deployment.orphaned, deployment.stays.gpus, deployment.total("stopped").pods) == (True, 6, 0)
    assert not service.orphaned

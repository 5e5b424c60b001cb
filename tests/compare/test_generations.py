"""A new worker generation is one change."""

from __future__ import annotations

from typing import Any

from dynamoc.analysis.compare.result import ROLLS
from dynamoc.kube.names import GRAPH_LABEL, WORKER_HASH_LABEL
from tests.compare.conftest import Tree, compared, item


def worker(digest: str, kind: str = "Deployment", suffix: str = "", **main: Any) -> Tree:
    name = f"web-worker-{digest}" if digest else "web-worker"
    env = [{"name": "DYN_NAMESPACE_WORKER_SUFFIX", "value": digest}] if digest else []
    labels = {GRAPH_LABEL: "web", **({WORKER_HASH_LABEL: digest} if digest else {})}
    pod = {
        "metadata": {"labels": {"nvidia.com/selector": name}},
        "spec": {"containers": [{"name": "main", "env": env, **main}]},
    }
    spec: Tree = {"replicas": 2, "selector": {"matchLabels": {"nvidia.com/selector": name}}, "template": pod}
    if kind == "LeaderWorkerSet":
        spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, "workerTemplate": pod}}
    return item(kind, name + suffix, metadata={"labels": labels}, spec=spec)


def test_one_change_and_nothing_else() -> None:
    found = compared([worker("0a0a0a0a")], [worker("1b1b1b1b")])
    [generation] = found.generations
    assert (generation.old, generation.new, generation.graph) == ("0a0a0a0a", "1b1b1b1b", "web")
    [changed] = found.objects
    assert (changed.effect, changed.renamed, changed.changes) == (ROLLS, True, [])
    assert found.total("restarted").pods == 2


def test_what_else_differs_is_told_beside_it() -> None:
    [changed] = compared([worker("0a0a0a0a", image="a")], [worker("1b1b1b1b", image="b")]).objects
    assert [change.new for change in changed.changes] == ["b"]


def test_workers_that_had_no_hash_get_one() -> None:
    found = compared([worker("")], [worker("1b1b1b1b")])
    assert [item.old for item in found.generations] == [""]
    assert [entry.changes for entry in found.objects] == [[]]


def test_two_graphs_are_not_mixed_up() -> None:
    old, new = worker("0a0a0a0a"), worker("1b1b1b1b")
    new["metadata"]["labels"][GRAPH_LABEL] = "other"
    found = compared([old], [new])
    assert found.generations == []
    assert sorted(entry.effect for entry in found.objects) == ["adds", "removes"]


def test_since_1_2_the_old_workers_of_multinode_graphs_stay() -> None:
    sides = [[worker(digest, "LeaderWorkerSet", "-0")] for digest in ("0a0a0a0a", "1b1b1b1b")]
    later, earlier = compared(*sides), compared(*sides, release="1.0")
    assert (later.generations[0].stays.pods, later.total("started").pods, later.total("restarted").pods) == (2, 2, 0)
    assert (earlier.generations[0].stays.pods, earlier.total("restarted").pods) == (0, 2)

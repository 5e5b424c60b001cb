"""Changes of a graph that the API server refuses: told with the places, and rendered all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH, MULTINODE

Pair = tuple[Path, Path]


def refused(dynamoc: Run, *options: str) -> list[tuple[str, str]]:
    result = dynamoc("diff", "old.yaml", "new.yaml", "-o", "json", *options)
    found = [(item["field"], item["hint"]) for item in json.loads(result.out)["refusedUpdates"]]
    assert result.code == (1 if found else 0)
    return found


def test_a_backend_cannot_change(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("spec:", "spec:\n  backendFramework: vllm", 1))
    result = dynamoc("diff", "old.yaml", "new.yaml")
    assert "! DynamoGraphDeployment/web (team) spec.backendFramework  the API server refuses this update" in result.out
    assert "Delete the graph and apply it again, or leave this unchanged." in result.out
    [head] = [line for line in result.err.splitlines() if line.startswith("new.yaml")]
    assert head.endswith("[update/backend-framework]")
    assert ": warning: " in head
    assert "see also: old.yaml:" in result.err


@pytest.mark.parametrize("release", ["1.0", "1.2", "1.4"])
def test_a_component_that_is_new_is_rendered(dynamoc: Run, graphs: Pair, release: str) -> None:
    graphs[1].write_text(
        f"{GRAPH.rstrip()}\n    extra: {{componentType: worker, extraPodSpec: {{mainContainer: {{image: i:1.0.0}}}}}}\n"
    )
    result = dynamoc("diff", "old.yaml", "new.yaml", "--operator-version", release, "--target", "plain")
    assert "adds `extra`" in result.out
    assert "extra" in result.out.partition("!")[0]


def test_no_change_is_refused_of_what_stays(dynamoc: Run, graphs: Pair) -> None:
    assert refused(dynamoc) == []
    graphs[1].write_text(GRAPH.replace("replicas: 3", "replicas: 4"))
    result = dynamoc("diff", "old.yaml", "new.yaml")
    assert "update/" not in result.err


def test_two_versions_of_one_graph_are_no_change(dynamoc: Run, graphs: Pair) -> None:
    graphs[0].write_text(MULTINODE)
    graphs[1].write_text(dynamoc("convert", "old.yaml").out)
    assert refused(dynamoc, "--target", "grove") == []


def test_other_graphs_are_no_updates(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("name: web", "name: other").replace("vllm", "sglang"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "-o", "json")
    assert json.loads(result.out)["refusedUpdates"] == []


def test_the_old_side_may_be_an_object_of_the_cluster(dynamoc: Run, graphs: Pair) -> None:
    """It exists, so that nothing speaks against its resourceVersion; its origin version stays."""
    origin = "annotations: {nvidia.com/dynamo-operator-origin-version: 0.9.0}"
    known = f"name: web, uid: u, resourceVersion: '7', {origin}"
    graphs[0].write_text(MULTINODE.replace("name: web", known))
    graphs[1].write_text(MULTINODE)
    result = dynamoc("diff", "old.yaml", "new.yaml", "--target", "grove", "--operator-version", "1.0")
    assert (result.code, result.out[:14]) == (0, "no differences")
    assert "[update/kept]" in result.err
    graphs[1].write_text(MULTINODE.replace("name: web", known.replace("'7'", "'8'")))
    assert dynamoc("diff", "old.yaml", "new.yaml", "--target", "grove", "--operator-version", "1.0").err == ""

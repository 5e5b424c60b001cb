"""A few hundred graphs are compared while one waits."""

from __future__ import annotations

from pathlib import Path
from time import process_time

from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH, MULTINODE

SECONDS = 4


def test_two_hundred_graphs_against_two_hundred(dynamoc: Run) -> None:
    for side, image in (("old", "1.0.0"), ("new", "1.0.1")):
        Path(side).mkdir()
        for number in range(200):
            graph = (GRAPH, MULTINODE)[number % 2].replace("namespace: team", f"namespace: team-{number}")
            Path(side, f"{number}.yaml").write_text(graph.replace("1.0.0", image))
    start = process_time()
    result = dynamoc("diff", "old", "new", "--target", "grove")
    assert process_time() - start < SECONDS
    assert result.code == 1
    assert result.out.count("PodCliqueSet/web") == 200


def test_the_reasons_of_two_hundred_graphs_are_looked_for_once(dynamoc: Run) -> None:
    Path("old").mkdir()
    for number in range(200):
        graph = (GRAPH, MULTINODE)[number % 2].replace("namespace: team", f"namespace: team-{number}")
        Path("old", f"{number}.yaml").write_text(graph)
    start = process_time()
    result = dynamoc("upgrade", "old", "--from", "1.0", "--to", "1.4", "--target", "grove")
    assert process_time() - start < SECONDS
    assert result.out.count("feature grove/all-nodes-needed") == 100

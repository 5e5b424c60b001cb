"""Many graphs at once: each is compared, and what they share is looked for once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.compare import reasons
from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH, MULTINODE

NUMBER = 20


def test_every_graph_is_compared(dynamoc: Run) -> None:
    for side, image in (("old", "1.0.0"), ("new", "1.0.1")):
        Path(side).mkdir()
        for number in range(NUMBER):
            graph = (GRAPH, MULTINODE)[number % 2].replace("namespace: team", f"namespace: team-{number}")
            Path(side, f"{number}.yaml").write_text(graph.replace("1.0.0", image))
    result = dynamoc("diff", "old", "new", "--target", "grove")
    assert result.code == 1
    assert result.out.count("PodCliqueSet/web") == NUMBER


def test_reasons_are_looked_for_once(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("old").mkdir()
    for number in range(NUMBER):
        graph = (GRAPH, MULTINODE)[number % 2].replace("namespace: team", f"namespace: team-{number}")
        Path("old", f"{number}.yaml").write_text(graph)
    traced: list[Any] = []
    explain = reasons.explain_documents

    def counted(*arguments: Any, **named: Any) -> Any:
        traced.append(arguments)
        return explain(*arguments, **named)

    monkeypatch.setattr(reasons, "explain_documents", counted)
    result = dynamoc("upgrade", "old", "--from", "1.0", "--to", "1.4", "--target", "grove")
    assert result.out.count("A clique of a multinode replica needs all of its pods") == 1
    assert "must be recreated: Worker of team-1/web; " in result.out
    # Two graphs, before and after; what they share with the others is known by then.
    assert len(traced) <= 4

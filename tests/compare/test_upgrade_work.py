"""An upgrade does nothing twice that has one answer, and loads nothing that it does not need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.cluster.previous import Before
from dynamoc.compiler import compile as pipeline
from dynamoc.compiler.cluster import Run as Compilation
from dynamoc.documents.source.document import Document
from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH

LINE = ("upgrade", "graph.yaml", "--from", "1.0", "--to", "1.4", "--summary")
REFUSED = GRAPH.replace("name: web,", "name: other,").replace("componentType: worker", "componentType: 1")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The releases whose schemas were asked of a document."""
    found: list[str] = []
    original = pipeline.checked

    def counted(run: Compilation, document: Document, before: Before | None) -> Any:
        found.append(run.cluster.release.name)
        return original(run, document, before)

    monkeypatch.setattr(pipeline, "checked", counted)
    return found


@pytest.mark.parametrize("graphs", [1, 3])
def test_schemas_are_asked_once_a_release(dynamoc: Run, asked: list[str], graphs: int) -> None:
    """Of a graph that runs already, the later release has said before what it makes of it."""
    Path("graph.yaml").write_text("---\n".join(GRAPH.replace("web,", f"web-{number},") for number in range(graphs)))
    result = dynamoc(*LINE)
    assert result.code == 0, result.err
    assert sorted(asked) == ["1.0"] * graphs + ["1.4"] * graphs


def test_without_one_of_the_documents_schemas_are_asked_again(dynamoc: Run, asked: list[str]) -> None:
    """The earlier release refuses a graph: what runs is another cluster than what would be applied anew."""
    Path("graph.yaml").write_text(f"{GRAPH}---\n{REFUSED}")
    assert dynamoc(*LINE).code == 2
    assert asked.count("1.4") == 3


def test_what_there_is_something_to_say_of_is_asked_again(dynamoc: Run, asked: list[str]) -> None:
    """A schema may drop what it warns of, or not, so that its value is another one."""
    Path("graph.yaml").write_text(GRAPH.replace("replicas: 2", "replicas: 2\n      unheard: of"))
    dynamoc(*LINE, "--warn=unknown-fields")
    assert asked.count("1.4") == 2

"""Lines that are found without watching rules are those that watching finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import inputs
from dynamoc.analysis.requires.requirements import requirements_of
from dynamoc.compiler.explain import carried as carried_carried
from dynamoc.compiler.explain.focus import component_of
from dynamoc.compiler.explain.traced import Origin, leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.options import Options
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from tests.explain.corpora import cases, corpora, needs_corpora

ROOT = Path(__file__).parents[2]
INPUTS = [*sorted((ROOT / "golden").glob("*/*/input.yaml"))[::9], *(ROOT / "examples").glob("*.yaml")]


def _carried(path: Path, options: Options) -> carried_carried.Carried:
    return carried_carried.carry_documents(read_paths([str(path)], Findings()), options, Findings(), Trace())


def _component(origins: list[Origin]) -> tuple[str, Any] | None:
    found = (origin for origin in origins if origin.document is not None and component_of(origin.path))
    return next(((str(origin.document and origin.document.file), component_of(origin.path)) for origin in found), None)


@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_owners_and_lines_are_those_of_a_full_trace(release: str) -> None:
    compared = sum(_compared(path, Options(operator_version=release, target="grove")) for path in INPUTS)
    assert compared > 1000


@needs_corpora
@pytest.mark.parametrize("corpus", corpora("0.6", "1.0", "1.1", "1.4", "1.5"))
def test_owners_and_lines_of_recorded_graphs_are_those_of_a_full_trace(corpus: str) -> None:
    for path, options in list(cases(corpus))[:3]:
        _compared(path, options)


def _compared(path: Path, options: Options) -> int:
    """How many texts were compared."""
    findings, compared = Findings(), 0
    full = explain_documents(read_paths([str(path)], Findings()), options, findings)
    if findings.errors:
        return 0
    found, sources = _carried(path, options), FaultSources(full.objects, options)
    assert found.objects == full.objects
    for index, item in enumerate(full.objects):
        for field, value in leaves(item):
            if value.__class__ is not str:
                continue
            one, other = found.written(index, field), sources.written(index, field)
            assert str(one and one.place) == str(other and other.place), (path, field)
            owner = found.owner_if_certain(index, field)
            if owner is not None:
                assert _component(owner) == _component(sources.owner(index, field)), (path, field)
            compared += 1
    return compared


@pytest.mark.parametrize("text", ["", inputs.picker(), inputs.graph(0), inputs.beta()])
@pytest.mark.parametrize("target", ["grove", "lws", "auto"])
def test_a_graph_is_not_traced_in_full(text: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried_carried, "explain_documents", None)
    file = tmp_path / "graph.yaml"
    file.write_text(text or (ROOT / "examples" / "llama.yaml").read_text())
    options = Options(operator_version="1.4", target=target)
    found = requirements_of(read_paths([str(file)], Findings()), options, Findings())
    assert any(need.place for item in found.objects for need in item.needs)


def test_a_name_that_may_be_of_another_component_is_traced_in_full(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    # The operator gives the other pods a variable of this name.
    text = "      componentType: frontend\n"
    path.write_text(inputs.picker().replace(text, f"{text}      envs: [{{name: NATS_SERVER, value: a}}]\n"))
    options = Options(operator_version="1.0", target="plain")
    found = _carried(path, options)
    for index, item in enumerate(found.objects):
        for field, _ in leaves(item):
            found.owner(index, field)
    assert found._traced
    assert _compared(path, options) > 100

"""Lines that are found without watching rules are those that watching finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import inputs
from dynamoc.compilation import Trace
from dynamoc.compiler import Options
from dynamoc.diagnostics import Findings
from dynamoc.explain import carried
from dynamoc.explain.fault_sources import Sources
from dynamoc.explain.origin import Origin
from dynamoc.explain.traced import leaves
from dynamoc.explain.traced_compilation import explain_documents
from dynamoc.requires.pipeline import requirements_of
from dynamoc.source.files import read_paths

ROOT = Path(__file__).parents[2]
INPUTS = [*sorted((ROOT / "golden").glob("*/*/input.yaml"))[::9], *(ROOT / "examples").glob("*.yaml")]


def _carried(path: Path, options: Options) -> carried.Carried:
    return carried.carry_documents(read_paths([str(path)], Findings()), options, Findings(), Trace())


def _component(origins: list[Origin]) -> str | None:
    return next((str(origin.place) for origin in origins if origin.path[:1] == ("spec",)), None)


@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_owners_and_lines_are_those_of_a_full_trace(release: str) -> None:
    compared = 0
    for path in INPUTS:
        options = Options(operator_version=release, target="grove")
        found = _carried(path, options)
        full = explain_documents(read_paths([str(path)], Findings()), options, Findings())
        sources = Sources(full.objects, options)
        assert found.objects == full.objects
        for index, item in enumerate(full.objects):
            for field, value in leaves(item):
                if value.__class__ is not str:
                    continue
                one, other = found.written(index, field), sources.written(index, field)
                assert str(one and one.place) == str(other and other.place), (path, field)
                assert _component(found.owner(index, field)) == _component(sources.owner(index, field)), (path, field)
                compared += 1
    assert compared > 1000


def test_a_graph_is_not_traced_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "explain_documents", None)
    documents = read_paths([str(ROOT / "examples" / "llama.yaml")], Findings())
    for target in ("grove", "lws", "auto"):
        found = requirements_of(documents, Options(operator_version="1.4", target=target), Findings())
        assert any(need.place for item in found.objects for need in item.needs)


def test_a_name_that_may_be_of_a_component_is_traced_in_full(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(inputs.picker())
    found = _carried(path, Options(operator_version="1.4", target="plain"))
    for index, item in enumerate(found.objects):
        for field, _ in leaves(item):
            found.owner(index, field)
    assert found._sources is not None

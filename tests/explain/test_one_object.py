"""An answer on one field traces no other graphs, and says the same as a trace of everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.explain import traced_compilation
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import field_answers
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents, explain_object
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from dynamoc.kube import tracing as tracing_tracing
from tests.explain.conftest import GRAPH
from tests.explain.corpora import cases, corpora, needs_corpora

_FEW = 3


def _each_kind_of_field(objects: list[Any]) -> list[tuple[int, tuple[Any, ...]]]:
    """A leaf below each of the upper fields of each object."""
    found = {}
    for index, item in enumerate(objects):
        depth = 5 if item["kind"] == "PodCliqueSet" else 3
        for path, _ in leaves(item):
            found.setdefault((index, path[:depth]), path)
    return [(index, path) for (index, _), path in found.items()]


@needs_corpora
@pytest.mark.parametrize("corpus", [name for name in corpora("0.6", "1.0", "1.4") if name.endswith("-mix")])
def test_a_field_on_its_own_says_what_all_say(corpus: str) -> None:
    counted = 0
    for path, options in list(cases(corpus))[:_FEW]:
        documents, trace, findings = read_paths([str(path)], Findings()), Trace(), Findings()
        objects = compile_documents(documents, options, findings, trace)
        if findings.errors:
            continue
        everything = explain_documents(documents, options, Findings())
        describer = Describer(options)
        for index, field in _each_kind_of_field(objects)[::3]:
            one, number = explain_object(objects[index], documents, options, trace)
            assert field_answers(one, number, field, describer) == field_answers(everything, index, field, describer)
            counted += 1
    assert counted


def test_nobody_looks_on_after_an_explanation_even_one_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH)
    options = Options(operator_version="1.0", target="grove")
    explain_documents(read_paths([str(file)], Findings()), options, Findings())
    assert tracing_tracing.CURRENT.watcher is None
    monkeypatch.setattr(traced_compilation, "compile_cluster", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        explain_documents(read_paths([str(file)], Findings()), options, Findings())
    assert tracing_tracing.CURRENT.watcher is None


def test_the_first_explanation_of_a_process_is_like_the_next(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(GRAPH)
    code = (
        "import sys; from dynamoc.interfaces.cli.entry import run\n"
        "words = ['explain', 'graph.yaml', 'pcs/web', '--operator-version', '1.0', '--target', 'grove']\n"
        "run(words); sys.stdout.flush(); run(words)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True, text=True)
    half = len(done.stdout) // 2
    assert done.stdout[:half] == done.stdout[half:]
    assert "rule env/worker" in done.stdout or "constant env/worker" in done.stdout

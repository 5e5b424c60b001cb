"""Mistakes that people make: one finding each, where the mistake is, and a remedy that leaves nothing to be found."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamoc.analysis.check.run import Checks
from dynamoc.analysis.fixes import apply, attach
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import ASIDES, Finding, Findings
from dynamoc.documents.findings.text import arrange
from tests.diagnostics.broken import GRAPHS, Case, cases

CASES = cases()
#: what is true of a graph that was remedied: its version, and objects and GPUs that the example does without
_BESIDE = (
    "admission/deprecated-version",
    "context/unknown-claim",
    "volumes/claim-of-mount",
    "check/idle-gpus",
    "context/unknown-pull-secret",
)
#: their message says what is allowed, and only the author knows which of it is meant
_SAID: tuple[str, ...] = ()


def findings_of(text: str, folder: Path) -> list[Finding]:
    file = folder / "graph.yaml"
    file.write_bytes(text.encode())
    findings = Findings()
    compile_paths([str(file)], Options(operator_version="1.4", target="grove"), findings, Checks(None))
    return [each for each in arrange(findings.items) if each.slug not in (*_BESIDE, *ASIDES)]


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_the_graphs_have_no_findings(graph: str, tmp_path: Path) -> None:
    assert findings_of(graph, tmp_path) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.new.strip()[:40])
def test_a_mistake_is_one_finding_and_its_remedy_is_the_end_of_it(case: Case, tmp_path: Path) -> None:
    found = findings_of(case.broken, tmp_path)
    assert [f"{each.place.line}:{each.place.column} {each.slug}" for each in found if each.place] == [case.found]
    assert len(found) == 1
    assert found[0].hint or found[0].slug in _SAID, found
    assert findings_of(case.remedied, tmp_path) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.new.strip()[:40])
def test_what_can_be_fixed_is_right_afterwards(case: Case, tmp_path: Path) -> None:
    found = findings_of(case.broken, tmp_path)
    attach(found, lambda _: case.broken)
    fixes = [each.fix for each in found if each.fix is not None]
    if fixes:
        text, number = apply(case.broken, fixes)
        assert number == len(fixes)
        assert findings_of(text, tmp_path) == []
    else:
        assert all(each.fix is None for each in found)

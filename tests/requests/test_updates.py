"""Requests that exist: what the operator refuses to change in them, and what it does nothing about."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.requests.compiled import ALPHA, GRAPH, HEAD, output

NEW_ALPHA = ALPHA + "  profilingConfig: {profilerImage: 'x:1.4.0', config: {sla: {ttft: 300, itl: 10}}}\n"
OLD_ALPHA = NEW_ALPHA.replace("300", "200").replace("uid: u", "uid: kept, resourceVersion: '5'")
NEW = HEAD.replace(", uid: u", "") + "  image: x:1.4.0\n  sla: {ttft: 300, itl: 10}\n"
OLD = HEAD.replace("uid: u", "uid: kept, resourceVersion: '5'") + "  image: x:1.4.0\n  sla: {ttft: 200, itl: 10}\n"


def written(old: str, new: str, status: str) -> tuple[str, str]:
    Path("old.yaml").write_text(f"{old}status: {{{status}}}\n")
    Path("new.yaml").write_text(new.replace(", uid: u", ""))
    return "new.yaml", "--against=old.yaml"


@pytest.mark.parametrize("release", ["1.0", "1.2", "1.4", "1.5"])
@pytest.mark.parametrize(
    ("old", "new", "status"), [(OLD_ALPHA, NEW_ALPHA, "state: Profiling"), (OLD, NEW, "phase: Profiling")]
)
def test_a_request_that_is_worked_on_keeps_its_spec(
    dynamoc: Run, release: str, old: str, new: str, status: str
) -> None:
    result = dynamoc("render", *written(old, new, status), "--operator-version", release)
    assert result.code == 1
    assert "new.yaml:5:3: error: The spec of a request cannot change while its phase is Profiling." in result.err


@pytest.mark.parametrize(
    ("release", "state"),
    [("0.6", "Profiling"), ("0.6", "Failed"), ("1.0", "Ready"), ("1.0", "Failed"), ("1.4", "Failed")],
)
def test_a_change_that_comes_too_late_is_said_and_the_job_stays(dynamoc: Run, release: str, state: str) -> None:
    result = dynamoc("render", *written(OLD_ALPHA, NEW_ALPHA, f"state: {state}"), "--operator-version", release)
    assert result.code == 0
    assert f"The phase of the request is {state}" in result.err
    assert "[update/request-begun]" in result.err
    assert ("200" in result.out, "300" in result.out) == (True, False)


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
@pytest.mark.parametrize("status", ["", "state: Pending"])
def test_a_request_that_waits_takes_the_change_and_keeps_its_uid(dynamoc: Run, release: str, status: str) -> None:
    result = dynamoc("render", *written(OLD_ALPHA, NEW_ALPHA, status), "--operator-version", release)
    assert result.code == 0
    assert "request-begun" not in result.err
    assert ("kept" in result.out, "300" in result.out) == (True, True)


def test_a_ready_request_applies_its_graph_late_with_the_job_that_it_had(dynamoc: Run) -> None:
    old = OLD.replace("  sla", "  autoApply: false\n  sla")
    Path("answer.yaml").write_text(output(**{"final_config.yaml": GRAPH}))
    files = written(old, NEW.replace("300", "200") + "  autoApply: true\n", "phase: Ready")
    late = dynamoc("render", *files, "--cluster", "answer.yaml", "--operator-version", "1.4")
    assert "name: qwen-dgd" in late.out
    assert '"autoApply":false' in late.out
    early = dynamoc("render", *files, "--cluster", "answer.yaml", "--operator-version", "1.3")
    assert "name: qwen-dgd" not in early.out
    assert "[update/request-begun]" in early.err

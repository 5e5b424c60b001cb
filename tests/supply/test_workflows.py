"""Workflows run what is here, and ask for no more rights than they need."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def workflow(request: pytest.FixtureRequest) -> Any:
    return yaml.safe_load(request.param.read_text())


def test_there_are_tests_releases_and_long_runs() -> None:
    assert [path.stem for path in FILES] == ["ci", "nightly", "release"]


def test_steps_run_what_is_here(workflow: Any) -> None:
    for job in workflow["jobs"].values():
        for step in job.get("steps", ()):
            for words in re.findall(r"\bmake ((?:[a-z-]+ ?)+)", step.get("run", "")):
                assert set(words.split()) <= TARGETS
            for path in re.findall(r"(?:^|\s)(\./run|\.ci/run|tests/\S+)", step.get("run", "")):
                assert (ROOT / path).exists(), path


def test_rights_are_given_to_jobs(workflow: Any) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "write-all" not in str(job.get("permissions"))
        assert all("@" in step["uses"] for step in job.get("steps", ()) if "uses" in step)


def test_completion_of_kubectl(tmp_path: Path) -> None:
    script = ROOT / "deploy" / "kubectl" / "kubectl_complete-dynamoc"
    program = tmp_path / "kubectl-dynamoc"
    program.write_text(f'#!/bin/sh\nexec {ROOT}/.venv/bin/dynamoc "$@"\n')
    program.chmod(0o755)
    if not (ROOT / ".venv" / "bin" / "dynamoc").exists():
        pytest.skip("no .venv here")

    def offered(*words: str) -> list[str]:
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        done = subprocess.run([script, *words], env=environment, check=True, capture_output=True, text=True)
        return done.stdout.split()

    assert offered("ren") == ["render", ":4"]
    assert offered("render", "--target", "") == ["auto", "grove", "lws", "plain", ":4"]
    assert offered("render", "nothing-like-this") == [":0"]


def test_the_job_of_the_parts_is_one() -> None:
    job = yaml.safe_load((ROOT / "deploy" / "job" / "render.yaml").read_text())
    kubernetes_validate.validate(job, "1.30", strict=True)
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert f"--shard={job['spec']['completions']}" in container["args"]
    assert job["spec"]["completionMode"] == "Indexed"

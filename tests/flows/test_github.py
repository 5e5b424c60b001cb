"""action.yml, run by act, which reads workflows as GitHub's runner does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT
from tests.flows.page_run import BIN, environment

pytestmark = pytest.mark.usefixtures("as_installed")

Tree = dict[str, Any]
GRAPH = (ROOT / "examples" / "llama.yaml").read_text()
WORKFLOW = """\
on: [push]
jobs:
  graphs:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/actions/dynamoc
        with: {install: "false", target: grove, operator-version: "1.4", %s}
"""


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a graph and the action; without the step that GitHub alone can run."""
    folder = tmp_path / "repository"
    action = folder / ".github" / "actions" / "dynamoc"
    (action / "deploy" / "github").mkdir(parents=True)
    shutil.copy(ROOT / "deploy" / "github" / "check.sh", action / "deploy" / "github" / "check.sh")
    text = yaml.safe_load((ROOT / "action.yml").read_text())
    text["runs"]["steps"] = [step for step in text["runs"]["steps"] if "uses" not in step]
    # On a busy machine, act loses what a step prints right before it ends.
    text["runs"]["steps"][-1]["run"] += f" 2>&1 | tee {tmp_path / 'log'}"
    (action / "action.yml").write_text(yaml.safe_dump(text))
    (folder / "graphs").mkdir()
    (folder / "graphs" / "llama.yaml").write_text(GRAPH)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "graphs")
    return folder


def act(repository: Path, options: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """The workflow on this machine; a fake `gh` notes what it is asked for."""
    (repository / ".github" / "workflows").mkdir(exist_ok=True)
    (repository / ".github" / "workflows" / "graphs.yaml").write_text(WORKFLOW % options)
    tools = repository.parent / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "gh").write_text('#!/bin/sh\necho "$@" >>"$GH_LOG"\ncase $* in *--jq*) echo "$GH_FOUND";; esac\n')
    (tools / "gh").chmod(0o755)
    env = environment(**more)
    env |= {
        "PATH": f"{tools}:{env['PATH']}",
        "HOME": str(repository.parent),
        "GH_LOG": str(repository.parent / "gh.log"),
    }
    env |= {"GH_FOUND": more.get("GH_FOUND", "")}
    event = repository.parent / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    alone = ["--no-cache-server", "--artifact-server-addr", "127.0.0.1"]
    command = [str(BIN / "act"), "push", *alone, "-P", "ubuntu-latest=-self-hosted", "--eventpath", str(event)]
    names = [word for name in ("GH_LOG", "GH_FOUND") for word in ("--env", f"{name}={env[name]}")]
    return subprocess.run(
        [*command, *names, "-s", "GITHUB_TOKEN=none"],
        cwd=repository,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )


def log(repository: Path) -> str:
    """What the step printed."""
    return (repository.parent / "log").read_text()


def test_a_good_graph_passes(repository: Path) -> None:
    done = act(repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 file, 1 graph" in log(repository)
    assert "::error" not in log(repository)


def test_a_bad_graph_is_annotated_and_fails(repository: Path) -> None:
    (repository / "graphs" / "llama.yaml").write_text(GRAPH.replace("replicas: 1", "replcias: 1"))
    done = act(repository)
    assert done.returncode == 1
    assert "::error file=graphs/llama.yaml,line=35,col=7,title=schema/unknown-field::" in log(repository)
    assert "dynamoc.sarif" in done.stdout


def test_a_change_is_compared_and_posted_once(repository: Path) -> None:
    base = git(repository, "rev-parse", "HEAD")
    (repository / "graphs" / "llama.yaml").write_text(GRAPH.replace("replicas: 1", "replicas: 2"))
    git(repository, "commit", "-qam", "more")
    options = f'base: "{base}", comment: "true"'
    done = act(repository, options)
    assert done.returncode == 0, done.stdout + done.stderr
    asked = repository.parent / "gh.log"
    assert "--method POST" in asked.read_text()
    assert "issues/7/comments" in asked.read_text()
    asked.unlink()
    assert act(repository, options, GH_FOUND="42").returncode == 0
    assert "--method PATCH" in asked.read_text()
    assert "issues/comments/42" in asked.read_text()


def test_rendered_files_that_are_not_up_to_date_fail(repository: Path) -> None:
    options = "output-dir: rendered"
    done = act(repository, options)
    assert done.returncode == 1
    assert "::error title=dynamoc::rendered is not what the graphs give" in log(repository)
    command = [str(BIN / "dynamoc"), "render", "graphs", "--operator-version=1.4", "--target=grove"]
    subprocess.run([*command, "--output-dir", "rendered"], cwd=repository, check=True, capture_output=True)
    git(repository, "add", "rendered")
    git(repository, "commit", "-qm", "rendered")
    assert act(repository, options).returncode == 0


def test_the_upload_runs_only_if_it_is_asked_for() -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    [upload] = [step for step in steps if "upload-sarif" in step.get("uses", "")]
    assert "inputs.sarif == 'true'" in upload["if"]


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.gitlab-ci", "deploy/gitlab/dynamoc.gitlab-ci.yml"),
    ],
)
def test_files_have_the_schema_of_their_host(schema: str, file: str) -> None:
    command = [str(BIN / "check-jsonschema"), "--builtin-schema", schema, str(ROOT / file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ})
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="NO ACTIONLINT HERE: inputs were not checked by it")
def test_actionlint(repository: Path) -> None:
    act(repository)
    done = subprocess.run(["actionlint"], cwd=repository, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

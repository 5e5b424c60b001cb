"""The hooks, run by pre-commit from a repository on this machine. They use the dynamoc that is installed here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import ROOT
from tests.flows.page_run import BIN, environment
from tests.flows.test_github import GRAPH, git

pytestmark = pytest.mark.usefixtures("as_installed")

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that uses the hooks, which stand in a repository of their own."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    # Installing from git takes minutes, and is pip's work.
    own = [{**hook, "language": "system"} for hook in HOOKS]
    (hooks / ".pre-commit-hooks.yaml").write_text(yaml.safe_dump(own))
    folder = tmp_path / "project"
    folder.mkdir()
    for repository in (hooks, folder):
        git(repository, "init", "-q")
        git(repository, "config", "user.name", "Test")
        git(repository, "config", "user.email", "test@example.com")
    git(hooks, "add", ".")
    git(hooks, "commit", "-qm", "hooks")
    options = ["--operator-version=1.4", "--target=grove"]
    used = [
        {"id": "dynamoc-validate", "args": options},
        {"id": "dynamoc-validate-folder", "args": [*options, "graphs/"]},
    ]
    config = {"repos": [{"repo": str(hooks), "rev": git(hooks, "rev-parse", "HEAD"), "hooks": used}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (folder / "graphs").mkdir()
    (folder / "graphs" / "chat.yaml").write_text(GRAPH)
    (folder / "values.yaml").write_text("replicas: 2\n")
    (folder / "list.json").write_text("[1, 2]\n")
    return folder


def run(project: Path, hook: str) -> subprocess.CompletedProcess[str]:
    git(project, "add", ".")
    env = environment(PRE_COMMIT_HOME=str(project.parent / "cache"), HOME=str(project.parent))
    command = [str(BIN / "pre-commit"), "run", hook, "--all-files"]
    return subprocess.run(command, cwd=project, env=env, check=False, capture_output=True, text=True)


def test_files_that_are_no_objects_are_no_errors(project: Path) -> None:
    done = run(project, "dynamoc-validate")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout


@pytest.mark.parametrize("hook", ["dynamoc-validate", "dynamoc-validate-folder"])
def test_a_bad_graph_fails(project: Path, hook: str) -> None:
    (project / "graphs" / "chat.yaml").write_text(GRAPH.replace("replicas: 1", "replcias: 1"))
    done = run(project, hook)
    assert done.returncode == 1
    assert "graphs/chat.yaml:35:7: error:" in done.stdout


def test_all_files_are_one_cluster() -> None:
    for hook in HOOKS:
        assert hook.get("require_serial") or not hook.get("pass_filenames", True), hook["id"]

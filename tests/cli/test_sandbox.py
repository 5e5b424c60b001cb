"""No command opens a socket or starts a process, but git, ssh-keygen and kubectl where they are asked for.

Each command runs in a process whose audit hook notes the attempts, also those that are caught.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compare.conftest import GRAPH

pytestmark = pytest.mark.usefixtures("as_installed")

_RUN = """
import json, os, sys
seen = []
def note(event, args):
    if event.startswith("socket.") or event in (
        "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn",
        "subprocess.Popen", "urllib.Request", "ftplib.connect", "http.client.connect", "webbrowser.open",
    ):
        words = list(map(str, args[1])) if event == "subprocess.Popen" else []
        environment = args[3] if event == "subprocess.Popen" else None
        seen.append([event, words, dict(environment) if environment else None])
sys.addaudithook(note)
from dynamoc.interfaces.cli.entry import run
code = run(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    json.dump([code, seen], file)
"""
COMMANDS = (
    "render g.yaml",
    "render g.yaml --explain",
    "render g.yaml -o json --standalone",
    "render g.yaml --output-dir out",
    "render . --output-dir out --layout per-input",
    "render bad.yaml --keep-going",
    "render g.yaml --operator-version auto --cluster .",
    "validate g.yaml bad.yaml",
    "check g.yaml bad.yaml",
    "graph g.yaml -o svg",
    "validate bad.yaml -o json --findings github",
    "explain g.yaml",
    "explain g.yaml deployment/web-frontend spec.replicas",
    "explain g.yaml:6",
    "diff g.yaml other.yaml",
    "diff g.yaml other.yaml -o unified",
    "requires g.yaml",
    "requires g.yaml -o script",
    "upgrade g.yaml --from 1.0 --to 1.4 -o markdown",
    "convert g.yaml --to v1beta1",
    "convert g.yaml --write",
    "schema DynamoGraphDeployment",
    "capture --output-dir cluster",
    "rules",
    "rule env/defaults",
    "finding read/key",
    "release list",
    "release diff 1.0 1.4",
    "--help",
    "--version",
    "--show-completion bash",
)
TRTLLM = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: web, namespace: ml}
spec:
  backendFramework: trtllm
  services:
    Worker:
      componentType: worker
      multinode: {nodeCount: 2}
      resources: {limits: {gpu: "1"}}
      extraPodSpec: {mainContainer: {image: "registry.example/tensorrtllm-runtime:1.4.0", args: ["x"]}}
"""
GIT = ("git", "-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")


def attempts(folder: Path, *argv: str, environment: dict[str, str] | None = None) -> tuple[int, list[Any]]:
    """The exit code, and the sockets and processes of one command line."""
    for name, text in (
        ("g.yaml", GRAPH),
        ("other.yaml", GRAPH.replace("replicas: 2", "replicas: 3")),
        ("bad.yaml", GRAPH.replace("replicas: 2", "replicas: x").replace("name: ", "name: b", 1)),
    ):
        (folder / name).write_text(text)
    answer = folder / "answer.json"
    line = [sys.executable, "-c", _RUN, str(answer), *argv]
    subprocess.run(line, cwd=folder, env=environment, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    code, seen = json.loads(answer.read_text())
    return code, seen


@pytest.mark.parametrize("command", COMMANDS)
def test_no_socket_and_no_process(tmp_path: Path, command: str) -> None:
    code, seen = attempts(tmp_path, *command.split())
    assert code in (0, 1, 2)
    assert seen == []


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_diff_of_revisions_runs_git_that_can_reach_nothing(tmp_path: Path) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
    (tmp_path / "g.yaml").write_text(GRAPH)
    for words in (("init", "-q"), ("add", "g.yaml"), (*identity, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    hostile = {**os.environ, "GIT_SSH_COMMAND": "false", "GIT_DIR": str(tmp_path / ".git"), "GIT_EXTERNAL_DIFF": "x"}
    code, seen = attempts(tmp_path, "diff", "HEAD..", "--", "g.yaml", environment=hostile)
    assert code in (0, 1)
    programs = [item for item in seen if item[0] == "subprocess.Popen"]
    assert programs
    assert {item[0] for item in seen} <= {"subprocess.Popen", "os.posix_spawn", "os.fork"}
    for _, words, environment in programs:
        assert tuple(words[: len(GIT)]) == GIT
        steering = {name: value for name, value in environment.items() if name.startswith("GIT_")}
        assert steering == {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}


def test_generated_secrets_run_ssh_keygen_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "trtllm.yaml").write_text(TRTLLM)
    line = ("render", "trtllm.yaml", "--include=secrets", "--standalone", "--target", "grove")
    _, seen = attempts(tmp_path, *line, "--operator-version", "1.4")
    assert {words[0] for event, words, _ in seen if event == "subprocess.Popen"} == {"ssh-keygen"}
    assert attempts(tmp_path, *line[:2], *line[3:])[1] == []


def test_capture_run_runs_a_shell_and_nothing_else(tmp_path: Path) -> None:
    kubectl = tmp_path / "kubectl"
    kubectl.write_text("#!/bin/sh\nexit 1\n")
    kubectl.chmod(0o755)
    path = os.pathsep.join((str(tmp_path), os.environ["PATH"]))
    _, seen = attempts(
        tmp_path, "capture", "--run", "--output-dir", "cluster", environment={**os.environ, "PATH": path}
    )
    assert {tuple(words[:2]) for event, words, _ in seen if event == "subprocess.Popen"} == {("sh", "-c")}


def test_the_hook_notices() -> None:
    """The table of events is one that Python raises."""
    script = _RUN.replace(
        "from dynamoc.interfaces.cli.entry import run\ncode = run(sys.argv[2:])",
        "import socket\nsocket.socket()\ncode = 0",
    )
    done = subprocess.run([sys.executable, "-c", script, "/dev/stdout"], capture_output=True, text=True, check=True)
    assert "socket.__new__" in done.stdout

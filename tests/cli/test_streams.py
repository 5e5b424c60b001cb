"""Streams that are closed or full are errors with a sentence, never a bug of dynamoc."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_process import has_full_device
from tests.compare.conftest import GRAPH

pytestmark = pytest.mark.usefixtures("as_installed")

COMMANDS = (
    "validate g.yaml",
    "validate broken.yaml",
    "render g.yaml",
    "render - ",
    "explain g.yaml",
    "diff g.yaml other.yaml",
    "requires g.yaml",
    "upgrade g.yaml --from 1.0 --to 1.4",
    "convert g.yaml --to v1beta1",
    "--version",
    "--help",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", ">/dev/full", "2>/dev/full", "<&- >&- 2>&-"])
def test_closed_and_full_streams(tmp_path: Path, command: str, redirection: str) -> None:
    if "/dev/full" in redirection and not has_full_device():
        pytest.skip("/dev/full is no device")
    (tmp_path / "g.yaml").write_text(GRAPH)
    (tmp_path / "other.yaml").write_text(GRAPH.replace("replicas: 2", "replicas: 3"))
    (tmp_path / "broken.yaml").write_text(GRAPH.replace("replicas: 2", "replicas: x"))
    script = f"{sys.executable} -m dynamoc {command} {redirection}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, input="", check=False)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr
    if redirection in (">&-", ">/dev/full") and command in ("render g.yaml", "convert g.yaml --to v1beta1"):
        assert done.returncode == 2
        assert "dynamoc: error: stdout: " in done.stderr


@pytest.mark.parametrize("command", COMMANDS[:9])
def test_names_of_files_that_are_no_text(tmp_path: Path, command: str) -> None:
    for name in ("g.yaml", "other.yaml", "broken.yaml"):
        (tmp_path / name).write_text(GRAPH)
    words = [b"bad\xff.yaml" if word == "g.yaml" else word.encode() for word in command.split()]
    (tmp_path / "g.yaml").rename(tmp_path / b"bad\xff.yaml".decode(errors="surrogateescape"))
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"dynamoc", *words], cwd=tmp_path, capture_output=True, input=b"", check=False
    )
    assert done.returncode in (0, 1, 2), done.stderr

"""What Windows lacks is missing here too: forks, signal masks, flags of files, files below the handle of a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("as_installed")

ROOT = Path(__file__).parents[2]
WITHOUT = """
import os, select, signal, sys
for name in ("fork", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "geteuid", "getuid", "fchown", "fchmod"):
    delattr(os, name)
del select.poll
for name in ("pthread_sigmask", "SIGKILL", "SIGHUP", "SIG_BLOCK", "SIG_SETMASK"):
    delattr(signal, name)
os.supports_dir_fd = set()
sys.modules["fcntl"] = sys.modules["pwd"] = sys.modules["grp"] = None
from dynamoc.__main__ import script
script()
"""


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words",
    [
        ("render", "llama.yaml", "--target", "grove"),
        ("check", "llama.yaml", "--target", "grove", "-o", "json"),
        ("diff", "llama.yaml", "llama.yaml"),
        ("upgrade", "llama.yaml", "--from", "1.2", "--to", "1.4"),
        ("explain", "llama.yaml:27"),
        ("convert", "llama.yaml", "--to", "v1alpha1"),
        ("report", "llama.yaml"),
        ("requires", "llama.yaml"),
        ("--help",),
    ],
    ids=lambda words: words[0],
)
def test_commands_print_what_they_print_elsewhere(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "llama.yaml").write_text((ROOT / "examples" / "llama.yaml").read_text())
    elsewhere = [sys.executable, "-m", "dynamoc", *words]
    wanted = subprocess.run(elsewhere, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = run(*words, folder=tmp_path)
    assert (found.returncode, found.stdout) == (wanted.returncode, wanted.stdout), found.stderr


@pytest.mark.parametrize(
    "words", [("render", "llama.yaml", "--output-dir", "out"), ("convert", "llama.yaml", "--to", "v1alpha1", "--write")]
)
def test_files_are_not_written(words: tuple[str, ...], tmp_path: Path) -> None:
    text = (ROOT / "examples" / "llama.yaml").read_text()
    (tmp_path / "llama.yaml").write_text(text)
    found = run(*words, folder=tmp_path)
    assert found.returncode == 2
    assert "dynamoc writes no files on this system; use WSL" in found.stderr
    assert (tmp_path / "llama.yaml").read_text() == text
    assert not (tmp_path / "out").exists()

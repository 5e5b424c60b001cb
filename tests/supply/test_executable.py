"""The executable prints what dynamoc prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dynamoc import __version__

ROOT = Path(__file__).parents[2]
PYTHON = "/usr/bin/python3"
PROBE = "import os, pip, sysconfig as s; assert os.path.exists(s.get_config_var('LIBPL') + '/libpython3.11.a')"


@pytest.fixture(scope="module")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", PROBE], check=False, capture_output=True).returncode:
        pytest.skip("no Debian Python 3.11 with its static library and pip (libpython3-dev, python3-pip)")
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    target = tmp_path_factory.mktemp("executable") / "dynamoc"
    command = [PYTHON, "-m", "tools.executable", str(target)]
    # The sources may have moved on since this environment was made.
    environment = {**os.environ, "SETUPTOOLS_SCM_PRETEND_VERSION": __version__}
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=environment)
    return target


@pytest.mark.slow
def test_it_prints_what_dynamoc_prints(executable: Path) -> None:
    assert executable.stat().st_size < 40_000_000
    for words in (
        "--version",
        "render examples/llama.yaml --target grove",
        "check examples/vllm-multinode.yaml -o sarif",
        "explain examples/llama.yaml:27",
        "explain --list all",
        "explain check/idle-gpus",
        "convert examples/vllm-multinode.yaml",
        "upgrade examples/llama.yaml --from 1.2 --to 1.4",
        "report examples/llama.yaml --target grove",
        "requires examples/llama.yaml --target grove -o json",
        "schema DynamoGraphDeployment",
        "render --help --all",
        "convert golden --check --jobs 2",
        "nonsense",
    ):
        own = subprocess.run([executable, *words.split()], cwd=ROOT, check=False, capture_output=True)
        other = [sys.executable, "-m", "dynamoc", *words.split()]
        expected = subprocess.run(other, cwd=ROOT, check=False, capture_output=True)
        assert (own.returncode, own.stdout, own.stderr) == (expected.returncode, expected.stdout, expected.stderr), (
            words
        )
    # It needs no Python of the system, and no environment.
    bare = subprocess.run([executable, "--version"], cwd="/", env={}, check=True, capture_output=True, text=True)
    assert bare.stdout.startswith("dynamoc ")

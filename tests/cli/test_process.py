"""What only a process of its own can show: start-up, pipes, signals and exit codes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "vllm-multinode.yaml"


def python(*argv: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv], capture_output=True, text=True, check=False, env={**os.environ, **(env or {})}
    )


def test_a_closed_pipe_ends_quietly() -> None:
    command = f"'{sys.executable}' -m dynamoc render '{EXAMPLE}' -o json | true"
    for _ in range(3):
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert result.returncode == 0
        assert "Broken pipe" not in result.stderr
        assert "Exception" not in result.stderr


def test_a_reader_that_has_gone_is_141() -> None:
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        [sys.executable, "-m", "dynamoc", "--version"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (result.returncode, result.stderr) == (141, "")


def has_full_device() -> bool:
    """Whether /dev/full is what Linux has there; in some containers it is missing, or a plain file."""
    return os.path.exists("/dev/full") and stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(not has_full_device(), reason="/dev/full is no device")
def test_a_full_disk_is_an_error_and_no_bug() -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "dynamoc", "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 2
    assert result.stderr == "dynamoc: error: stdout: No space left on device\n"


def test_ctrl_c_ends_quietly() -> None:
    # A job in the background of a shell ignores interrupts, and hands that on to what it starts.
    listens = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    waits = (
        "import time, types; waiting = lambda size: (print(flush=True), time.sleep(60));"
        "sys.stdin = types.SimpleNamespace(buffer=types.SimpleNamespace(read=waiting));"
    )
    code = f"{listens} {waits} from dynamoc.__main__ import main; sys.exit(main())"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, "render", "-"], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        # It waits for content.
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert (process.returncode, err) == (130, b"")


def test_the_traceback_of_a_bug_is_shown_on_request_only() -> None:
    code = (
        "import sys, dynamoc.interfaces.cli.render as r; r.compile_paths = lambda *a: 1 / 0;"
        f"from dynamoc.interfaces.cli.entry import run; sys.exit(run(['render', {str(EXAMPLE)!r}]))"
    )
    quiet = python("-c", code, env={"DYNAMOC_DEBUG": ""})
    assert quiet.returncode == 3
    assert "ZeroDivisionError in interfaces/cli/render.py" in quiet.stderr
    assert "report it" in quiet.stderr
    assert "Traceback" not in quiet.stderr
    loud = python("-c", code, env={"DYNAMOC_DEBUG": "1"})
    assert loud.returncode == 3
    assert "Traceback" in loud.stderr


def test_completion_knows_commands_options_and_choices() -> None:
    def complete(line: str) -> list[str]:
        words = {"_DYNAMOC_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        return python("-m", "dynamoc", env=words).stdout.split()

    assert complete("dynamoc re") == ["render", "report", "requires"]
    assert complete("dynamoc render --oper") == ["--operator-version"]
    assert complete("dynamoc render --target l") == ["lws"]

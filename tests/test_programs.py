"""The programs inside of objects, run as a container runs them."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dynamoc.reference import programs

_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
_API = "https://kubernetes.default.svc"

Tree = dict[str, Any]
RUNS: Tree = {"metadata": {"name": "leader"}, "status": {"phase": "Running"}}
PENDS: Tree = {"metadata": {"name": "leader"}, "status": {"phase": "Pending"}}
GOES: Tree = {"metadata": {"name": "leader", "deletionTimestamp": "now"}, "status": {"phase": "Running"}}


class Api:
    """An API server that gives one answer after the other, the last one for ever, and notes what it was asked."""

    def __init__(self, answers: list[list[Tree] | int]) -> None:
        self.asked: list[tuple[str, str]] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api.asked.append((self.path, self.headers.get("Authorization", "")))
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
                self.send_response(answer if isinstance(answer, int) else 200)
                self.end_headers()
                self.wfile.write(json.dumps({"items": answer}).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def leader() -> Iterator[int]:
    """A port that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def wait(program: str, folder: Path, port: int, **replaced: str) -> subprocess.CompletedProcess[str]:
    replaced = {"PAUSE = 5": "PAUSE = 0", "time.sleep(2)": "time.sleep(0)", **replaced}
    for old, new in replaced.items():
        program = program.replace(old, new)
    path = folder / "program.py"
    path.write_text(program)
    env = {**os.environ, "LEADER_HOST": "127.0.0.1", "LEADER_PORT": str(port)}
    return subprocess.run([sys.executable, str(path)], env=env, capture_output=True, text=True, check=False)


def account(folder: Path) -> str:
    found = folder / "account"
    found.mkdir()
    (found / "namespace").write_text("team\n")
    (found / "token").write_text("secret\n")
    return str(found)


@pytest.mark.parametrize("before", [[], [[]], [[PENDS]], [[GOES], [], [PENDS]]])
def test_followers_wait_until_the_leader_runs(tmp_path: Path, leader: int, before: list[list[Tree] | int]) -> None:
    api = Api([*before, [RUNS]])
    found = wait(
        programs.WAIT_FOR_LEADER,
        tmp_path,
        leader,
        **{
            _ACCOUNT: account(tmp_path),
            _API: api.address,
            'ssl.create_default_context(cafile=os.path.join(ACCOUNT, "ca.crt"))': "None",
        },
    )
    assert (found.returncode, found.stderr) == (0, "")
    asked = ("/api/v1/namespaces/team/pods?fieldSelector=status.podIP=127.0.0.1", "Bearer secret")
    assert api.asked == [asked] * (len(before) + 1)


def test_without_a_word_from_the_api_server_the_port_decides(tmp_path: Path, leader: int) -> None:
    assert wait(programs.WAIT_FOR_LEADER, tmp_path, leader).returncode == 0
    api = Api([403])
    replaced = {
        _ACCOUNT: account(tmp_path),
        _API: api.address,
        'ssl.create_default_context(cafile=os.path.join(ACCOUNT, "ca.crt"))': "None",
    }
    assert wait(programs.WAIT_FOR_LEADER, tmp_path, leader, **replaced).returncode == 0
    assert len(api.asked) == 1


@pytest.mark.parametrize("program", [programs.WAIT_FOR_LEADER, programs.WAIT_FOR_PORT])
def test_a_closed_port_is_waited_for(tmp_path: Path, program: str) -> None:
    """The port opens once the program said that it waits."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        program = program.replace("PAUSE = 5", "PAUSE = 0").replace("time.sleep(2)", "time.sleep(0)")
        path = tmp_path / "program.py"
        path.write_text(program.replace("{host}", "127.0.0.1").replace("{port}", str(port)))
        env = {**os.environ, "LEADER_HOST": "127.0.0.1", "LEADER_PORT": str(port)}
        with subprocess.Popen([sys.executable, str(path)], env=env, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == f"waiting for 127.0.0.1 port {port}\n"
            listener.listen()
            assert "the leader is there" in running.stdout.read()
        assert running.returncode == 0


def serve(folder: Path, server: str) -> subprocess.Popen[str]:
    (folder / "weights.py").write_text(server)
    program = programs.SERVE_WEIGHTS.format(directory=folder, module="weights")
    bin_folder = Path(sys.executable).parent
    env = {**os.environ, "PYTHONPATH": str(folder), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    # A job in the background of a shell ignores interrupts and hands that on; a container does not.
    listens = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp('bash', sys.argv[1:])"
    words = [sys.executable, "-c", listens, "bash", "-c", program]
    return subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("status", [0, 3])
def test_the_weight_server_tells_how_it_ended(tmp_path: Path, status: int) -> None:
    (tmp_path / "gms_0.sock").touch()
    (tmp_path / "other.sock").touch()
    text = f"import pathlib, sys\npathlib.Path(r'{tmp_path}/up').touch()\nsys.exit({status})"
    with serve(tmp_path, text) as running:
        running.communicate()
    assert running.returncode == status
    assert (tmp_path / "up").exists()
    assert not (tmp_path / "gms_0.sock").exists()
    assert (tmp_path / "other.sock").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_weight_server_stops_with_its_container(tmp_path: Path, number: signal.Signals) -> None:
    with serve(tmp_path, "import signal\nprint('up', flush=True)\nsignal.pause()") as running:
        assert running.stdout is not None
        assert any(line == "up\n" for line in running.stdout)
        os.kill(running.pid, number)
        # The pipe ends when the last process that holds it does: the server is gone, too.
        running.stdout.read()
    assert running.returncode == 1


def keep(folder: Path, command: list[str], job_file: str | None) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "CUDA_CHECKPOINT_JOB_FILE"}
    if job_file is not None:
        env["CUDA_CHECKPOINT_JOB_FILE"] = job_file
    arguments = ["/bin/sh", "-c", programs.KEEP_JOB_FILE, "name", str(folder / "kept"), *command]
    return subprocess.run(arguments, env=env, capture_output=True, text=True, check=False)


def test_the_job_file_is_kept_for_the_program(tmp_path: Path) -> None:
    (tmp_path / "job").write_text("job 1")
    found = keep(tmp_path, ["sh", "-c", 'echo "$CUDA_CHECKPOINT_JOB_FILE" "$1"; exit 7', "x", "a b"], f"{tmp_path}/job")
    assert (found.returncode, found.stdout) == (7, f"{tmp_path}/kept a b\n")
    assert (tmp_path / "kept").read_text() == "job 1"
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o600


@pytest.mark.parametrize("job_file", [None, "", "/no/such/file"])
def test_without_a_job_file_nothing_is_launched(tmp_path: Path, job_file: str | None) -> None:
    found = keep(tmp_path, ["touch", str(tmp_path / "launched")], job_file)
    assert found.returncode != 0
    assert found.stderr
    assert not (tmp_path / "launched").exists()

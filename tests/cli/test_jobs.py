"""Several processes compile, and nobody can tell from what is printed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dynamoc.compiler import compile as pipeline
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source import processes
from dynamoc.documents.source.document import Document
from tests.cli.conftest import Result, Run

GOLDEN = Path(__file__).parents[2] / "golden"
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: {name}, namespace: team}}
spec:
  services:
    Worker:
      componentType: worker
      replicas: {replicas}
      extraPodSpec:
        mainContainer: {{image: "registry.example/vllm-runtime:1.0.0", command: [python3], args: [-m, dynamo.vllm]}}
"""
TEXT = ("--operator-version", "1.4", "--target", "plain")
APART = ("--layout", "per-input", "--output-dir")


def graphs(*names: str, replicas: int = 1) -> None:
    for name in names:
        Path(f"{name}.yaml").write_text(GRAPH.format(name=name, replicas=replicas))


def inputs() -> list[str]:
    """The files beside the output, which must not lie in a directory that is read."""
    return sorted(map(str, Path().glob("*.yaml")))


def said(result: Result) -> tuple[int, str, str]:
    return result.code, result.out, result.err


def alike(dynamoc: Run, *line: str, jobs: tuple[str, ...] = ("2", "4")) -> Result:
    """What a command line prints, with any number of processes."""
    results = []
    for number in ("1", *jobs):
        shutil.rmtree("out", ignore_errors=True)
        results.append(dynamoc(*line, "--jobs", number))
    assert [said(result) for result in results[1:]] == [said(results[0])] * len(jobs)
    return results[0]


def _children() -> set[str]:
    """Processes of this one, also those that ended and nothing waited for."""
    return {child for file in Path("/proc/self/task").glob("*/children") for child in file.read_text().split()}


@pytest.fixture(autouse=True)
def _no_process_is_left() -> object:
    # Other tests of the same session keep a server or a browser running.
    before = _children()
    yield
    assert _children() <= before


# --- the same output


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--check",)])
def test_all_golden_inputs_are_converted_alike(dynamoc: Run, options: tuple[str, ...]) -> None:
    result = alike(dynamoc, "convert", str(GOLDEN), *options)
    assert result.err or result.out


@pytest.mark.slow
def test_files_that_are_compiled_each_on_its_own(dynamoc: Run) -> None:
    written = {}
    for jobs in ("1", "2", "4", "auto"):
        line = ("--layout", "per-input", "--keep-going", "--operator-version", "1.4", "--jobs", jobs)
        result = dynamoc("render", str(GOLDEN), "--output-dir", f"out-{jobs}", *line)
        files = {
            str(path.relative_to(f"out-{jobs}")): path.read_bytes() for path in Path(f"out-{jobs}").rglob("*.yaml")
        }
        written[jobs] = result.code, result.out, result.err, files
    assert len(written["1"][3]) > 100
    assert written["2"] == written["4"] == written["auto"] == written["1"]


@pytest.mark.parametrize("options", [(), ("--deny=context",), ("--omit=replicas",), ("--standalone",), ("-o", "json")])
def test_files_of_their_own(dynamoc: Run, options: tuple[str, ...]) -> None:
    graphs("a", "b", "c")
    Path("twice.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y, name: y}\n")
    Path("alien.yaml").write_text("a: 1\n")
    written = {}
    for jobs in ("1", "2"):
        result = dynamoc("render", *inputs(), *TEXT, *options, *APART, f"out-{jobs}", "--keep-going", "--jobs", jobs)
        folder = Path(f"out-{jobs}")
        files = {path.name: path.read_bytes() for path in folder.glob("[!.]*")} if folder.exists() else {}
        written[jobs] = result.code, result.err.replace(folder.name, "out"), files
    assert written["2"] == written["1"]
    assert written["1"][2]


def test_a_cluster_is_compiled_by_one_process_which_is_said(dynamoc: Run) -> None:
    graphs("a", "b")
    alone, result = dynamoc("render", ".", *TEXT), dynamoc("render", ".", *TEXT, "--jobs", "2")
    assert (result.code, result.out) == (alone.code, alone.out)
    assert (
        "--jobs has no effect: without --layout per-input, one process compiles all inputs. [input/one-process]"
        in result.err
    )
    result = dynamoc("check", ".", "--jobs", "2")
    assert result.code == 2
    assert "--jobs is now an option of render --layout per-input and convert only" in result.err


def test_conversions_that_are_written(dynamoc: Run) -> None:
    texts = {}
    for jobs in ("1", "3"):
        graphs("a", "b", "c")
        texts[jobs] = (
            said(dynamoc("convert", "--write", ".", "--jobs", jobs)),
            [Path(f"{name}.yaml").read_text() for name in "abc"],
        )
    assert texts["1"] == texts["3"]
    assert "nvidia.com/v1beta1" in texts["3"][1][2]


def test_one_file_and_fewer_files_than_jobs(dynamoc: Run) -> None:
    graphs("a", "b")
    assert alike(dynamoc, "render", "a.yaml", *TEXT, *APART, "out", jobs=("2", "auto")).code == 0
    assert alike(dynamoc, "render", "a.yaml", "b.yaml", *TEXT, *APART, "out", jobs=("2", "64", "auto")).code == 0


def test_limits_hold_in_all_processes_together(dynamoc: Run) -> None:
    graphs("a", "b", "c", "d", replicas=30)
    for limit in ("findings=2", "values=10", "input-bytes=900"):
        result = alike(dynamoc, "render", *inputs(), *TEXT, *APART, "out", "--keep-going", "--limit", limit)
        assert result.code == (0 if limit.startswith("findings") else 1), limit


def test_keys_made_at_random_are_made_once(dynamoc: Run) -> None:
    graphs("a", "b", "c")
    for name in "abc":
        text = Path(f"{name}.yaml").read_text().replace("replicas: 1", "multinode: {nodeCount: 2}")
        Path(f"{name}.yaml").write_text(text)
    line = ("--operator-version", "1.4", "--target", "lws", "--include=secrets", "--jobs", "3")
    result = dynamoc("render", *inputs(), *line, *APART, "out")
    assert result.code == 0, result.err
    text = "".join(path.read_text() for path in Path("out").glob("*.yaml"))
    assert len(set(re.findall("ssh-privatekey: .*|private.key: .*", text))) <= 1


# --- what is no number


@pytest.mark.parametrize("text", ["0", "two", "1.5", "²", "999999"])
def test_jobs_is_a_number_or_auto(dynamoc: Run, text: str) -> None:
    graphs("a")
    result = dynamoc("render", "a.yaml", "--jobs", text)
    assert result.code == 2
    assert result.err == f"dynamoc: error: --jobs {text}: write a whole number above 0, or `auto`.\n"


def test_a_system_without_forks_runs_in_one_process_and_says_so(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs("a", "b")
    alone = dynamoc("render", ".", *TEXT)
    monkeypatch.delattr(os, "fork")
    result = dynamoc("render", ".", *TEXT, "--jobs", "2")
    assert result.out == alone.out
    assert "--jobs has no effect: this system cannot fork processes. [input/one-process]" in result.err


def test_auto_needs_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "processors", lambda: 4)
    assert [processes.processes(processes.AUTO, tasks) for tasks in (0, 1, 15, 16, 24, 1000)] == [1, 1, 1, 2, 3, 4]
    assert [processes.processes(3, tasks) for tasks in (0, 1, 2, 1000)] == [1, 1, 2, 3]


# --- processes that fail


def _elsewhere(monkeypatch: pytest.MonkeyPatch, act: object) -> None:
    """Lets forks do something else where they compile the document `b`."""
    compiled, here = pipeline.compile_document, os.getpid()

    def compile_there(run: object, document: Document) -> object:
        if os.getpid() != here and document.value["metadata"]["name"] == "b":
            assert callable(act)
            act()
        return compiled(run, document)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "compile_document", compile_there)


def test_a_killed_process_is_our_fault(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs("a", "b", "c")
    _elsewhere(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    result = dynamoc("render", "a.yaml", "b.yaml", "c.yaml", *TEXT, *APART, "out", "--jobs", "2")
    assert result.code == 3
    assert result.out == ""
    assert (
        "signal 9 ended a process of --jobs at input 2 of 3; where memory runs out, the system does that" in result.err
    )
    assert "This is a fault of dynamoc, not of your input." in result.err
    assert not [path for path in Path().rglob("out/*") if path.is_file() and not path.name.startswith(".")]


def test_with_keep_going_only_the_input_of_a_killed_process_is_missing(
    dynamoc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs("a", "b", "c", "d")
    _elsewhere(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    into = ("--output-dir", "out", "--layout", "per-input", "--keep-going")
    result = dynamoc("render", "a.yaml", "b.yaml", "c.yaml", "d.yaml", *TEXT, *into, "--jobs", "2")
    assert result.code == 3
    assert "This is a fault of dynamoc, not of your input." in result.err
    assert sorted(path.name for path in Path("out").iterdir() if path.name[0] != ".") == ["a.yaml", "c.yaml", "d.yaml"]


def test_a_process_that_is_killed_while_it_reads_is_our_fault(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from dynamoc.documents.source import files

    graphs("a", "b", "c")
    read, here = files.read_file, os.getpid()

    def killed(file: str, findings: Findings) -> bytes | None:
        if os.getpid() != here and file == "b.yaml":
            os.kill(os.getpid(), signal.SIGKILL)
        return read(file, findings)

    monkeypatch.setattr(files, "read_file", killed)
    result = dynamoc("render", "a.yaml", "b.yaml", "c.yaml", *TEXT, *APART, "out", "--jobs", "2")
    assert result.code == 3
    assert result.out == ""
    assert "signal 9 ended a process of --jobs" in result.err


def test_a_pipe_is_read_once(dynamoc: Run) -> None:
    graphs("a", "b")
    reading, writing = os.pipe()
    os.write(writing, Path("a.yaml").read_bytes())
    os.close(writing)
    result = dynamoc("render", f"/dev/fd/{reading}", "b.yaml", *TEXT, *APART, "out", "--jobs", "2")
    os.close(reading)
    assert result.code == 0, result.err
    assert len(list(Path("out").glob("*.yaml"))) == 2


def test_no_conversion_is_written_where_a_process_is_killed(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from dynamoc.admission.convert import rewrite

    graphs("a", "b", "c")
    before, here = {name: Path(f"{name}.yaml").read_text() for name in "abc"}, os.getpid()
    original = rewrite.rewrite

    def killed(data: bytes, file: str, *more: object, **named: object) -> object:
        if os.getpid() != here and file == "c.yaml":
            os.kill(os.getpid(), signal.SIGKILL)
        return original(data, file, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(rewrite, "rewrite", killed)
    result = dynamoc("convert", "--write", "a.yaml", "b.yaml", "c.yaml", "--jobs", "2")
    assert result.code == 3
    assert {name: Path(f"{name}.yaml").read_text() for name in "abc"} == before


def test_a_process_that_leaves_is_our_fault(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs("a", "b", "c")
    _elsewhere(monkeypatch, lambda: os._exit(0))
    result = dynamoc("render", *inputs(), *TEXT, *APART, "out", "--jobs", "3")
    assert result.code == 3
    assert result.out == ""
    assert "exit code 0 ended a process of --jobs at input 2 of 3; try without --jobs" in result.err


def test_a_bug_is_reported_as_without_jobs(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    original = pipeline.stages

    def stages(run: object, document: Document) -> object:
        if document.value["metadata"]["name"] == "b":
            raise LookupError("no such thing")
        return original(run, document)  # type: ignore[arg-type]

    graphs("a", "b", "c")
    monkeypatch.setattr(pipeline, "stages", stages)
    names = ("a.yaml", "b.yaml", "c.yaml")
    result = alike(dynamoc, "render", *names, *TEXT, *APART, "out", "--keep-going")
    assert result.code == 3
    assert "bug: LookupError" in result.err
    assert "while compiling b.yaml" in result.err
    assert sorted(path.name for path in Path("out").glob("*.yaml")) == ["a.yaml", "c.yaml"]


WAITING = """\
import os, signal, sys
# Whoever runs the tests in the background may ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from dynamoc.compiler import compile as pipeline
here = os.getpid()
def compile_there(run, document):
    if os.getpid() != here:
        os.write(2, b"here\\n")
        signal.pause()
    return []
pipeline.compile_document = compile_there
from dynamoc.__main__ import main
sys.argv = ["dynamoc", "render", "in", "--layout", "per-input", "--output-dir", "out", "--jobs", "2"]
sys.exit(main())
"""


@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_ends_all(tmp_path: Path, whole_group: bool) -> None:
    (tmp_path / "in").mkdir()
    for name in "abc":
        (tmp_path / "in" / f"{name}.yaml").write_text(GRAPH.format(name=name, replicas=1))
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert process.stderr is not None
    assert [process.stderr.readline(), process.stderr.readline()] == [b"here\n", b"here\n"]
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    # What hangs fails, and holds nobody up.
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out, err) == (130, b"", b"")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_what_fails_only_elsewhere_is_done_here(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs("a", "b", "c")
    line = ("render", *inputs(), *TEXT, *APART, "out")
    alone = dynamoc(*line)

    def fail() -> None:
        raise MemoryError

    _elsewhere(monkeypatch, fail)
    assert said(dynamoc(*line, "--jobs", "2")) == said(alone)

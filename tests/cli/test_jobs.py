"""Several processes compile, and nobody can tell from what is printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.compile import Compilation
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source import processes
from dynamoc.documents.source.document import Document
from dynamoc.interfaces.cli import render
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


def graphs(*names: str, replicas: int = 1) -> None:
    for name in names:
        Path(f"{name}.yaml").write_text(GRAPH.format(name=name, replicas=replicas))


def said(result: Result) -> tuple[int, str, str]:
    return result.code, result.out, result.err


def alike(dynamoc: Run, *line: str, jobs: tuple[str, ...] = ("2", "4")) -> Result:
    """What a command line prints, with any number of processes."""
    alone = dynamoc(*line, "--jobs", "1")
    for number in jobs:
        assert said(dynamoc(*line, "--jobs", number)) == said(alone), number
    return alone


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
@pytest.mark.parametrize(
    "line",
    [
        ("validate", "-o", "json"),
        ("validate",),
        ("render", "--keep-going", "--operator-version", "1.4", "--target", "grove"),
        ("render", "--keep-going", "-o", "json", "--standalone"),
        ("upgrade", "--from", "1.2", "--to", "1.4", "-o", "json", "--summary"),
        ("convert", "--check"),
        ("convert",),
    ],
)
def test_all_golden_inputs_in_one_run(dynamoc: Run, line: tuple[str, ...]) -> None:
    result = alike(dynamoc, line[0], str(GOLDEN), *line[1:])
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


@pytest.mark.parametrize("target", ["plain", "grove"])
def test_graphs_alone_are_handed_over_as_text(dynamoc: Run, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """Graphs that share accounts, two that disagree on an object, one that is refused, and texts of many kinds."""
    for number, path in enumerate(sorted(GOLDEN.glob("*/*/input.yaml"))[:40]):
        text = path.read_text()
        if "kind: DynamoGraphDeployment\n" in text and "\n---\n" not in text:
            Path(f"{number:02}.yaml").write_text(text)
    graphs("a", "b", "A")
    Path("other.yaml").write_text(GRAPH.format(name="a-worker", replicas=2).replace("Worker:", "x:"))
    given: list[Any] = []
    written = render.dump_printed
    monkeypatch.setattr(render, "dump_printed", lambda objects: given.extend(objects) or written(objects))
    line = ("render", ".", "--keep-going", "--operator-version", "1.4", "--target", target)
    result = alike(dynamoc, *line)
    assert result.out.count("\n---\n") > 20
    assert "error" in result.err
    assert 2 * (result.out.count("\n---\n") + 1) == len(given)
    assert alike(dynamoc, *line, "--limit", "output-bytes=20000").code == 1


def test_two_that_make_one_object_are_found_by_their_texts(dynamoc: Run) -> None:
    for graph, component in (("a-b", "c"), ("a", "b-c")):
        text = GRAPH.format(name=graph, replicas=1).replace("Worker:", f"{component}:")
        Path(f"{graph}.yaml").write_text(text.replace("componentType: worker", "componentType: frontend"))
    result = alike(dynamoc, "render", "a.yaml", "a-b.yaml", *TEXT, "--keep-going")
    assert "Deployment/a-b-c is created twice, with different content" in result.err


#: options that look at more of the objects than their texts, and none
USES = ((), ("--deny=context",), ("--omit=replicas",), ("--standalone",), ("-o", "json"))


@pytest.mark.parametrize("options", USES)
def test_objects_on_stdout_and_in_files_of_their_own(dynamoc: Run, options: tuple[str, ...]) -> None:
    graphs("a", "b", "c")
    line = ("render", "a.yaml", "b.yaml", "c.yaml", *TEXT, *options)
    alike(dynamoc, *line)
    written = {}
    for jobs in ("1", "2"):
        result = dynamoc(*line, "--output-dir", f"out-{jobs}", "--jobs", jobs)
        folder = Path(f"out-{jobs}")
        files = {path.name: path.read_bytes() for path in folder.glob("[!.]*")} if folder.exists() else {}
        written[jobs] = result.code, result.err.replace(folder.name, "out"), files
    assert written["2"] == written["1"]
    assert written["1"][2]


def test_differences(dynamoc: Run) -> None:
    for side, replicas in (("old", 1), ("new", 2)):
        Path(side).mkdir()
        for name in ("a", "b", "c"):
            Path(side, f"{name}.yaml").write_text(GRAPH.format(name=name, replicas=replicas))
    result = alike(dynamoc, "diff", "old", "new", *TEXT)
    assert result.code == 1
    assert "3 of " in result.out


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


def test_an_upgrade_with_reasons(dynamoc: Run) -> None:
    graphs("a", "b", "c")
    result = alike(
        dynamoc, "upgrade", "a.yaml", "b.yaml", "c.yaml", "--from", "1.0", "--to", "1.4", "--target", "plain"
    )
    assert "Why:" in result.out


def test_files_of_one_cluster_know_each_other(dynamoc: Run) -> None:
    """A Secret beside graphs, a model of one of them, and two documents with one name."""
    graphs("a", "b", "c")
    Path("d.yaml").write_text(GRAPH.format(name="c", replicas=1))
    Path("model.yaml").write_text(
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: m, namespace: team}\n"
        "spec: {modelName: m, baseModelName: m, modelType: base}\n"
    )
    Path("secret.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: pull, namespace: team}\ntype: kubernetes.io/dockerconfigjson\n"
        "data: {.dockerconfigjson: eyJhdXRocyI6eyJyZWdpc3RyeS5leGFtcGxlIjp7ImF1dGgiOiJhOmIifX19}\n"
    )
    result = alike(dynamoc, "render", ".", *TEXT, "--keep-going")
    assert "name: pull" in result.out
    assert "input/duplicate" in result.err


def test_one_file_and_fewer_files_than_jobs(dynamoc: Run) -> None:
    graphs("a", "b")
    assert alike(dynamoc, "render", "a.yaml", *TEXT, jobs=("2", "auto")).code == 0
    assert alike(dynamoc, "render", "a.yaml", "b.yaml", *TEXT, jobs=("2", "64", "auto")).code == 0


def test_limits_hold_in_all_processes_together(dynamoc: Run) -> None:
    graphs("a", "b", "c", "d", replicas=30)
    names = [f"{name}.yaml" for name in "abcd"]
    for limit in ("objects=12", "output-bytes=6000", "findings=2", "values=10"):
        result = alike(dynamoc, "render", *names, *TEXT, "--keep-going", "--limit", limit)
        assert result.code == (0 if limit.startswith("findings") else 1), limit
    for name in names:
        Path(name).write_text(Path(name).read_text().replace("replicas", "multinode: {nodeCount: 2}\n      replicas"))
    line = ("--operator-version", "1.0", "--target", "lws", "--limit", "pods=20")
    assert "pods" in alike(dynamoc, "render", *names, *line).err
    line = ("render", *names, *TEXT, "--layout", "per-input", "--output-dir", "out", "--limit", "input-bytes=900")
    assert "input-bytes" in alike(dynamoc, *line, "--keep-going").err


def test_keys_made_at_random_are_made_once(dynamoc: Run) -> None:
    graphs("a", "b", "c")
    for name in "abc":
        text = Path(f"{name}.yaml").read_text().replace("replicas: 1", "multinode: {nodeCount: 2}")
        Path(f"{name}.yaml").write_text(text)
    line = ("--operator-version", "1.4", "--target", "lws", "--include=secrets", "--jobs", "3")
    result = dynamoc("render", "a.yaml", "b.yaml", "c.yaml", *line)
    assert result.code == 0, result.err
    assert len(set(re.findall("ssh-privatekey: .*|private.key: .*", result.out))) <= 1


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
    compiled, here = Compilation.compile, os.getpid()

    def compile_there(self: Compilation, document: Document) -> object:
        if os.getpid() != here and document.value["metadata"]["name"] == "b":
            assert callable(act)
            act()
        return compiled(self, document)

    monkeypatch.setattr(Compilation, "compile", compile_there)


@pytest.mark.parametrize("line", [(), ("--output-dir", "out"), ("--output-dir", "out", "--layout", "per-input")])
def test_a_killed_process_is_our_fault(dynamoc: Run, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]) -> None:
    graphs("a", "b", "c")
    _elsewhere(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    result = dynamoc("render", "a.yaml", "b.yaml", "c.yaml", *TEXT, *line, "--jobs", "2")
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
    result = dynamoc("render", "a.yaml", "b.yaml", "c.yaml", *TEXT, "--jobs", "2")
    assert result.code == 3
    assert result.out == ""
    assert "signal 9 ended a process of --jobs" in result.err


def test_files_are_read_elsewhere_where_nothing_is_to_be_said_of_them(
    dynamoc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynamoc.documents.source import files

    graphs("a", "b", "c")
    Path("anchors.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: &l {a: b}, annotations: *l}\n"
    )
    Path("twice.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y, name: y}\n")
    Path("alien.yaml").write_text("a: 1\n")
    Path("several.yaml").write_text(Path("a.yaml").read_text().replace("name: a", "name: s") + "---\n---\n")
    here: list[str] = []
    read = files.read_file

    def noted(file: str, findings: Findings) -> bytes | None:
        here.append(file)
        return read(file, findings)

    monkeypatch.setattr(files, "read_file", noted)
    alone = dynamoc("render", ".", *TEXT, "--keep-going")
    here.clear()
    assert said(dynamoc("render", ".", *TEXT, "--keep-going", "--jobs", "2")) == said(alone)
    assert sorted(map(os.path.basename, here)) == ["alien.yaml", "anchors.yaml", "twice.yaml"]


def test_a_pipe_is_read_once(dynamoc: Run) -> None:
    graphs("a", "b")
    reading, writing = os.pipe()
    os.write(writing, Path("a.yaml").read_bytes())
    os.close(writing)
    result = dynamoc("render", f"/dev/fd/{reading}", "b.yaml", *TEXT, "--jobs", "2")
    os.close(reading)
    assert (result.code, result.out) == said(dynamoc("render", "a.yaml", "b.yaml", *TEXT))[:2]


def test_limits_on_all_files_together_hold_where_others_read_them(dynamoc: Run) -> None:
    graphs("a", "b", "c")
    size = len(Path("a.yaml").read_bytes())
    for limit in (f"input-bytes={2 * size}", "documents=2", f"file-bytes={size - 1}"):
        result = alike(dynamoc, "render", "a.yaml", "b.yaml", "c.yaml", *TEXT, "--limit", limit)
        assert result.code == 1, limit


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
    result = dynamoc("render", ".", *TEXT, "--jobs", "3")
    assert result.code == 3
    assert result.out == ""
    assert "exit code 0 ended a process of --jobs at input 2 of 3; try without --jobs" in result.err


def test_a_bug_is_reported_as_without_jobs(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Compilation.stages

    def stages(self: Compilation, document: Document) -> object:
        if document.value["metadata"]["name"] == "b":
            raise LookupError("no such thing")
        return original(self, document)

    graphs("a", "b", "c")
    monkeypatch.setattr(Compilation, "stages", stages)
    result = alike(dynamoc, "render", ".", *TEXT)
    assert result.code == 3
    assert "bug: LookupError" in result.err
    names = ("a.yaml", "b.yaml", "c.yaml")
    line = ("render", *names, *TEXT, "--layout", "per-input", "--output-dir", "out", "--keep-going")
    assert "while compiling b.yaml" in alike(dynamoc, *line).err
    assert sorted(path.name for path in Path("out").glob("*.yaml")) == ["a.yaml", "c.yaml"]


def test_what_fails_only_elsewhere_is_done_here(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs("a", "b", "c")
    alone = dynamoc("render", ".", *TEXT)

    def fail() -> None:
        raise MemoryError

    _elsewhere(monkeypatch, fail)
    assert said(dynamoc("render", ".", *TEXT, "--jobs", "2")) == said(alone)


WAITING = """\
import os, signal, sys
# Whoever runs the tests in the background may ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from dynamoc.compiler.compile import Compilation
here = os.getpid()
def compile(self, document):
    if os.getpid() != here:
        os.write(2, b"here\\n")
        signal.pause()
    return []
Compilation.compile = compile
from dynamoc.__main__ import main
sys.argv = ["dynamoc", "render", ".", "--jobs", "2"]
sys.exit(main())
"""


@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_ends_all(tmp_path: Path, whole_group: bool) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(GRAPH.format(name=name, replicas=1))
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

"""What a small input asks for, and what a large one brings, is refused at a limit that is named and can be raised."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.source.reader import read_text
from dynamoc.interfaces.cli.entry import run
from dynamoc.kube.limits import DEFAULTS, limit, set_limits

IMAGE = "registry.example/tensorrtllm-runtime:1.4.0"
Printed = pytest.CaptureFixture[str]


def graph(**worker: Any) -> dict[str, Any]:
    pod = {"mainContainer": {"image": IMAGE}}
    worker = {"componentType": "worker", "extraPodSpec": pod, "resources": {"limits": {"gpu": "1"}}, **worker}
    meta = {"name": "web", "namespace": "ml"}
    spec = {"backendFramework": "trtllm", "services": {"Worker": worker}}
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": meta, "spec": spec}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*documents: Any, name: str = "graph.yaml") -> str:
        path = tmp_path / name
        path.write_text("\n---\n".join(map(json.dumps, documents)))
        return str(path)

    return write


def test_nodes_without_end(written: Any, capsys: Printed) -> None:
    path = written(graph(multinode={"nodeCount": 20_000_000}))
    assert run(["render", "--target", "grove", path]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "has 20,000,000 pods that need names of their own; the limit `pods` is 10,000. [output/too-large]" in err
    assert "`--limit pods=20000000`" in err
    assert run(["render", "--target", "grove", "--limit", "pods=2", written(graph(multinode={"nodeCount": 2}))]) == 0
    assert run(["render", "--target", "grove", "--limit", "pods=2", written(graph(multinode={"nodeCount": 3}))]) == 1


@pytest.mark.parametrize("release", ["0.6", "1.0"])
def test_leader_worker_sets_without_end(written: Any, capsys: Printed, release: str) -> None:
    path = written(graph(replicas=20_000, multinode={"nodeCount": 2}))
    assert run(["render", "--target", "lws", "--operator-version", release, path]) == 1
    assert "20,000 replicas, with a LeaderWorkerSet each; the limit `pods` is 10,000." in capsys.readouterr().err


def test_variables_that_all_components_repeat(written: Any, capsys: Printed) -> None:
    value = graph()
    value["spec"]["envs"] = [{"name": f"V{at}", "value": "x" * 1000} for at in range(1000)]
    value["spec"]["services"] = {f"w{at}": graph()["spec"]["services"]["Worker"] for at in range(20)}
    limits = ["--limit", "output-bytes=10M"]
    assert run(["render", "--operator-version", "1.4", *limits, written(value)]) == 1
    assert "The input asks for more than 10,000,000 bytes of output" in capsys.readouterr().err


def test_objects(written: Any, capsys: Printed) -> None:
    path = written(graph(), {**graph(), "metadata": {"name": "other", "namespace": "ml"}})
    assert run(["render", "--target", "plain", "--limit", "objects=1", path]) == 1
    assert "The output has more than 1 objects, the limit `objects`." in capsys.readouterr().err


@pytest.mark.parametrize("extra", [[], ["-o", "json"]])
@pytest.mark.parametrize("place", ["stdout", "directory"])
def test_bytes_of_output(
    written: Any, capfd: pytest.CaptureFixture[str], tmp_path: Path, extra: list[str], place: str
) -> None:
    directory = ["--output-dir", str(tmp_path / "out")] if place == "directory" else []
    line = ["render", "--target", "plain", *extra, *directory, written(graph())]
    assert run([*line, "--limit", "output-bytes=1000"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "The output has more than 1,000 bytes, the limit `output-bytes`." in err
    assert not list((tmp_path / "out").glob("*.yaml"))
    assert run(line) == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("file-bytes=100", "larger than 100 bytes, the limit `file-bytes`"),
        ("input-bytes=100", "more than 100 bytes, the limit `input-bytes`"),
        ("values=10", "more than 10 values, the limit `values`"),
        ("depth=2", "nested more than 2 levels deep"),
        ("documents=1", "more than 1 documents, the limit `documents`"),
    ],
)
def test_limits_of_the_input(written: Any, capsys: Printed, given: str, said: str) -> None:
    first = written(graph(), graph())
    line = ["validate", "--limit", given, first, written(graph(), name="other.yaml")]
    assert run(line) == 1
    err = capsys.readouterr().err
    assert said in " ".join(err.split())
    assert f"--limit {given.partition('=')[0]}=" in err


def test_findings_that_are_not_shown_are_counted(written: Any, capfd: Printed) -> None:
    value = graph()
    value["spec"] |= {f"unknown{at}": 1 for at in range(30)}
    assert run(["validate", "--limit", "findings=10", written(value)]) == 1
    err = capfd.readouterr().err
    assert err.count("[schema/unknown-field]") == 10
    assert "more findings are not shown; --limit findings=NUMBER shows more" in err
    assert "30 errors" in err
    assert run(["validate", "--limit", "findings=10", "-o", "json", written(value)]) == 1
    record = json.loads(capfd.readouterr().out)
    assert len(record["findings"]) == 10
    assert record["counts"]["error"] == 30
    assert record["notShown"] == sum(record["counts"].values()) - 10
    assert run(["validate", "--limit", "findings=10", "--findings", "github", written(value)]) == 1
    err = capfd.readouterr().err
    assert err.count("::error") == 10
    assert f"{record['notShown']} more findings are not shown" in err


def test_errors_are_shown_before_notes(written: Any, capsys: Printed) -> None:
    value = graph(componentType="frntend")
    value["spec"]["unknown"] = 1
    run(["validate", "--limit", "findings=1", written(value)])
    err = capsys.readouterr().err
    assert " error: " in err
    assert " note: " not in err


@pytest.mark.parametrize("word", ["pods", "pod=3", "pods=", "pods=0", "pods=-1", "pods=1.5", "pods=3x", "pods=1KiKi"])
def test_a_limit_that_is_none(written: Any, capsys: Printed, word: str) -> None:
    assert run(["validate", "--limit", word, written(graph())]) == 2
    assert f"--limit {word}: " in capsys.readouterr().err


def test_the_limits_of_one_run_are_not_those_of_the_next(written: Any) -> None:
    assert run(["validate", "--limit", "depth=1", written(graph())]) == 1
    assert run(["validate", written(graph())]) == 0
    assert {name: limit(name) for name in DEFAULTS} == DEFAULTS


def test_units() -> None:
    try:
        set_limits(["file-bytes=64Mi", "pods=2k"])
        assert (limit("file-bytes"), limit("pods")) == (64 << 20, 2000)
    finally:
        set_limits([])


@pytest.mark.parametrize("command", ["validate", "render", "convert", "requires", "explain"])
def test_as_deep_as_the_limit_goes(tmp_path: Path, command: str) -> None:
    deep = '{"a":' * 980 + "1" + "}" * 980
    value = graph()
    value["spec"]["services"]["Worker"]["extraPodSpec"]["mainContainer"]["lifecycle"] = "DEEP"
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "ml"}, "data": "DEEP"}
    path = tmp_path / "deep.yaml"
    path.write_text(f"{json.dumps(value)}\n---\n{json.dumps(config)}".replace('"DEEP"', deep))
    line = [sys.executable, "-m", "dynamoc", command, str(path)]
    if command != "explain":
        line += ["--limit", "depth=1000"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr[-2000:]


def test_a_pipe_with_findings_is_read_once() -> None:
    value = graph()
    value["spec"]["unknown"] = 1
    # As a shell hands over `<(command)`.
    line = [sys.executable, "-m", "dynamoc", "validate", "--operator-version", "1.4", "/dev/fd/0"]
    done = subprocess.run(line, input=json.dumps(value), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "[schema/unknown-field]" in done.stderr
    assert "^~~" in done.stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [(["PATH"], 1), (["--operator-version", "auto", "PATH"], 1), ([], 1), (["--cluster", "PATH"], 1),
     (["--against", "PATH"], 1), (["--operator-config", "PATH"], 2), (["--baseline", "PATH"], 2)],
)  # fmt: skip
def test_what_may_never_end_is_not_read(
    tmp_path: Path, written: Any, capsys: Printed, options: list[str], code: int
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path, kind in (
            (tmp_path / "pipe", "a named pipe"),
            (tmp_path / "socket", "a socket"),
            ("/dev/zero", "a device"),
        ):
            given = [str(path) if word == "PATH" else word for word in options]
            line = ["check", "--operator-version", "1.4", written(graph()), *given]
            if not given:
                (tmp_path / "link.yaml").unlink(missing_ok=True)
                (tmp_path / "link.yaml").symlink_to(path)
                line += ["--load-restrictor", "none", str(tmp_path / "link.yaml")]
            assert run(line) == code
            told = capsys.readouterr().err
            assert f"it is {kind}, not a file" in told or "the file does not exist" in told


def test_other_files_have_a_size_as_well(tmp_path: Path, written: Any, capsys: Printed) -> None:
    (tmp_path / "config.yaml").write_text("#" * 10_000)
    line = ["validate", "--operator-config", str(tmp_path / "config.yaml"), "--limit", "file-bytes=5000"]
    assert run([*line, written(graph())]) == 1
    assert "config.yaml:1:1: error: The file is larger than 5,000 bytes" in capsys.readouterr().err


def test_limits_are_of_the_process() -> None:
    """Texts that dynamoc reads on its own, such as for excerpts, are read under the same limits."""
    from dynamoc.documents.findings.finding import Findings

    set_limits(["depth=3"])
    try:
        findings = Findings()
        assert read_text(b"[[[[1]]]]", "f", findings, objects=False) == []
    finally:
        set_limits([])
    assert [item.slug for item in findings.items] == ["read/too-deep"]

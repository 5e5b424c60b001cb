"""The program of the copier, run as its container runs it, beside a kubectl that keeps what is applied."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dynamoc.reference.releases import get_release
from dynamoc.rendering.requests.job_overrides import copier_program

Tree = dict[str, Any]
VALUE = {"metadata": {"name": "qwen", "namespace": "ml"}}
KUBECTL = """
import json, pathlib, sys
here = pathlib.Path({folder!r})
words = sys.argv[1:]
options = [word.partition("=")[::2] for word in words if word.startswith("--") and "=" in word]
def after(flag):
    return words[words.index(flag) + 1]
if words[0] == "create":
    data = {{}}
    for flag, text in options:
        key, _, item = text.partition("=")
        if flag == "--from-literal":
            data[key] = item
        elif flag == "--from-file":
            data[key] = pathlib.Path(item).read_text()
    metadata = {{"name": words[2], "namespace": dict(options)["--namespace"]}}
    print(json.dumps({{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}}))
elif words[0] == "label":
    value = json.loads(pathlib.Path(after("-f")).read_text())
    labels = [word.split("=", 1) for word in words[1:] if "=" in word and not word.startswith("-")]
    value["metadata"]["labels"] = dict(labels)
    print(json.dumps(value))
elif words[0] == "patch":
    value = json.loads(pathlib.Path(after("-f")).read_text())
    value["metadata"].update(json.loads(after("-p"))["metadata"])
    print(json.dumps(value))
elif words[0] == "apply":
    with open(here / "applied", "a") as stream:
        stream.write(pathlib.Path(after("-f")).read_text().strip() + "\\n")
elif words[0] == "get":
    left = here / "polls"
    polls = int(left.read_text())
    left.write_text(str(polls - 1))
    if polls <= 0:
        print("{{}}")
"""


def run(version: str, folder: Path, files: dict[str, str], polls: int = 0) -> tuple[int, list[Tree], str]:
    """The exit code, the ConfigMaps as they were applied, and what was said, with these files in the output."""
    output, bin_ = folder / "data", folder / "bin"
    bin_.mkdir()
    (folder / "tmp").mkdir()
    for name, text in files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(text)
    (folder / "polls").write_text(str(polls))
    program = bin_ / "kubectl"
    program.write_text(f"#!{sys.executable}\n{KUBECTL.format(folder=str(folder))}")
    program.chmod(0o755)
    # A program that would wait for ever is ended.
    (bin_ / "sleep").write_text(
        f"#!/bin/sh\necho >> {folder}/pauses\n[ $(wc -l < {folder}/pauses) -lt 100 ] || kill $PPID\n"
    )
    (bin_ / "sleep").chmod(0o755)
    text = copier_program(VALUE, "the-uid", get_release(version))
    text = text.replace("/tmp/", f"{folder}/tmp/").replace("/data", str(output))
    env = {"PATH": f"{bin_}:{os.environ['PATH']}", "HOSTNAME": "profile-qwen-x"}
    done = subprocess.run(["/bin/sh", "-c", text], env=env, capture_output=True, text=True, check=False)
    applied = folder / "applied"
    lines = applied.read_text().splitlines() if applied.exists() else []
    return done.returncode, [json.loads(line) for line in lines], done.stderr


SUCCESS = {
    "profiler_status.yaml": 'status: success\nphase: "Done"\nmessage: all well\n',
    "final_config.yaml": "kind: x\n",
}
FAILURE = {"profiler_status.yaml": "status: failed\nphase: SelectingConfig\nerror: 'no config: meets it'\n"}
LABELS = {"dgdr.nvidia.com/name": "qwen", "nvidia.com/managed-by": "dynamo-operator"}


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.4"])
def test_an_answer_gets_into_the_config_map(version: str, tmp_path: Path) -> None:
    code, applied, _ = run(version, tmp_path, {**SUCCESS, "webui_data.json": "{}"})
    assert code == 0
    last = applied[-1]
    assert last["metadata"]["name"] == "dgdr-output-qwen"
    data = {"final_config.yaml": "kind: x\n", "profiler_status.yaml": SUCCESS["profiler_status.yaml"]}
    if version != "1.4":
        data["webui_data.json"] = "{}"
    if version != "1.0":
        data |= {"phase": "Done", "message": "all well"}
        assert last["metadata"]["labels"] == {**LABELS, "dgdr.nvidia.com/namespace": "ml"}
        [owner] = last["metadata"]["ownerReferences"]
        assert (owner["name"], owner["uid"], owner["controller"]) == ("qwen", "the-uid", True)
    else:
        assert last["metadata"]["labels"] == LABELS
        assert "ownerReferences" not in last["metadata"]
    if version in ("1.2", "1.4"):
        data["profiler_status"] = "success"
    assert last["data"] == data


def test_a_phase_is_relayed_once(tmp_path: Path) -> None:
    _, applied, _ = run("1.4", tmp_path, SUCCESS, polls=3)
    assert [item["data"] for item in applied[:-1]] == [{"phase": "Done", "message": "all well"}]


def test_a_failure_is_reported_since_1_2(tmp_path: Path) -> None:
    code, applied, said = run("1.4", tmp_path, FAILURE)
    assert code == 0
    assert applied[-1]["data"]["profiler_status"] == "failed"
    assert applied[-1]["data"]["profiler_error"] == "no config: meets it"
    assert "no config: meets it" in said


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_failure_fails_the_job_before(version: str, tmp_path: Path) -> None:
    code, applied, _ = run(version, tmp_path, FAILURE)
    assert code == 1
    assert not any("profiler_status" in item["data"] for item in applied)


@pytest.mark.parametrize(
    "files", [{}, {"profiler_status.yaml": "status: running\n"}, {"profiler_status.yaml": "x: y\n"}]
)
def test_no_end_is_an_error(files: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert run("1.4", tmp_path, files)[0] == 1


def test_the_first_one_waits_for_the_answer_itself(tmp_path: Path) -> None:
    files = {"config_with_planner.yaml": "kind: x\n", "prefill/interpolation/raw_data.npz": "numbers"}
    code, [applied], _ = run("0.6", tmp_path, files)
    assert code == 0
    assert applied["metadata"]["labels"] == LABELS
    assert applied["data"]["config_with_planner.yaml"] == "kind: x\n"
    assert applied["data"]["prefill_raw_data.npz"].strip() == "bnVtYmVycw=="

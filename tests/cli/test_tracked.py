"""`render --output-dir` keeps an index; `--check` and `--from-index` rely on it."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Result, Run
from tests.cli.test_inputs import CONFIG_MAP, GRAPH

RELEASE = ("--operator-version", "1.4", "--target", "grove")
#: a worker, whose name has the hash of its generation
WORKER = GRAPH.replace("name: Frontend\n      type: frontend", "name: Worker\n      type: worker")
RENDER = ("render", "graphs", "--output-dir", "out", "--operator-version", "1.4", "--target", "lws")


def names(folder: str = "out") -> list[str]:
    found = sorted(os.path.relpath(path, folder) for path in Path(folder).rglob("*") if path.is_file())
    return [name for name in found if name != ".dynamoc-index"]


def index(folder: str = "out") -> Any:
    return json.loads(Path(folder, ".dynamoc-index").read_text())


def content(folder: str = "out") -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.fixture
def graphs(dynamoc: Run) -> Path:
    """`graphs/` in the current directory, rendered into `out/`."""
    Path("graphs").mkdir()
    Path("graphs/chat.yaml").write_text(WORKER)
    assert dynamoc(*RENDER).code == 0
    return Path("graphs/chat.yaml")


def change(path: Path, old: str = "1.4.0", new: str = "1.4.1") -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_files_of_objects_that_are_gone_are_removed(dynamoc: Run, graphs: Path) -> None:
    [old] = [name for name in names() if "deployment" in name]
    Path("out/kustomization.yaml").write_text("resources: []\n")
    change(graphs)
    result = dynamoc(*RENDER)
    assert result.code == 0
    [new] = [name for name in names() if "deployment" in name]
    assert old != new
    assert "gone were removed from out: " in result.err
    assert old in result.err
    assert "[output/removed]" in result.err
    assert Path("out/kustomization.yaml").exists()


def test_the_index_knows_what_the_directory_is_made_from(dynamoc: Run, graphs: Path) -> None:
    Path("context.yaml").write_text(CONFIG_MAP)
    Path("values.yaml").write_text("dynamo-operator: {}\n")
    assert dynamoc(*RENDER, "--cluster", "context.yaml", "--operator-config", "values.yaml").code == 0
    found = index()
    assert (found["format"], found["version"], found["release"]) == ("dynamoc-index", 1, "1.4")
    assert found["paths"] == ["../graphs"]
    assert list(found["inputs"]) == ["../graphs/chat.yaml"]
    assert list(found["context"]) == ["../context.yaml"]
    assert list(found["configuration"]) == ["../values.yaml"]
    assert found["options"] == {
        "cluster": ["../context.yaml", "kubernetes=1.34"],
        "operator-config": "../values.yaml",
        "target": "lws",
    }
    assert list(found["written"]) == names()
    assert str(Path.cwd()) not in Path("out/.dynamoc-index").read_text()


def test_the_same_inputs_elsewhere_give_the_same_index(dynamoc: Run, graphs: Path, tmp_path: Path) -> None:
    before = {name.replace("out/", "", 1): data for name, data in content().items()}
    shutil.copytree("graphs", "elsewhere/graphs")
    os.chdir("elsewhere/graphs")
    assert dynamoc("render", "./", "--output-dir", "../out/", *RENDER[4:]).code == 0
    assert {name.replace("../out/", "", 1): data for name, data in content("../out").items()} == before


def test_check_writes_nothing_and_finds_nothing(dynamoc: Run, graphs: Path) -> None:
    before = content()
    result = dynamoc(*RENDER, "--check")
    assert (result.code, result.out) == (0, "")
    assert content() == before
    assert dynamoc("render", "graphs", "--output-dir", "none", "--check").code == 1
    assert not Path("none").exists()
    assert dynamoc("render", "graphs", "--check").code == 2


def test_check_names_what_is_wrong(dynamoc: Run, graphs: Path) -> None:
    deployment, service = [name for name in names() if "_deployment" in name or "_service_" in name][:2]
    Path("out", service).unlink()
    Path("out", deployment).write_text("edited: true\n")
    before = content()
    result = dynamoc(*RENDER, "--check")
    assert result.code == 1
    assert f"out/{service}: error: The file is missing. [output/outdated]" in result.err
    assert f"out/{deployment}: error: The file was edited since dynamoc wrote it" in result.err
    found = json.loads(dynamoc(*RENDER, "--check", "--findings", "json").err)["findings"]
    assert [item["subject"] for item in found if item["slug"] == "output/outdated"] == [
        f"out/{deployment}",
        f"out/{service}",
    ]
    assert content() == before


def test_check_sees_that_the_inputs_changed(dynamoc: Run, graphs: Path) -> None:
    change(graphs)
    result = dynamoc(*RENDER, "--check")
    assert result.code == 1
    assert "The file belongs to an object that is gone." in result.err
    assert dynamoc(*RENDER).code == 0
    assert dynamoc(*RENDER, "--check").code == 0
    # Another command line is another directory, even with the same files.
    graphs.write_text(f"# a comment\n{graphs.read_text()}")
    assert "out/.dynamoc-index: error: The file is not what the inputs give." in dynamoc(*RENDER, "--check").err


def test_check_fails_where_the_inputs_are_wrong(dynamoc: Run, graphs: Path) -> None:
    change(graphs, "type: worker", "typo: worker")
    before = content()
    for more in ((), ("--keep-going",)):
        assert dynamoc(*RENDER, "--check", *more).code == 1
    assert content() == before


def test_what_was_edited_is_never_overwritten(dynamoc: Run, graphs: Path) -> None:
    [name] = [name for name in names() if "rolebinding" in name and "chat" in name]
    Path("out", name).write_text("mine: true\n")
    change(graphs)
    before = content()
    result = dynamoc(*RENDER)
    assert result.code == 2
    assert f"out/{name}: error: The file was edited since dynamoc wrote it" in result.err
    assert "[output/in-the-way]" in result.err
    assert "nothing was written: out is unchanged" in result.err
    assert content() == before
    Path("out", name).unlink()
    assert dynamoc(*RENDER).code == 0
    assert dynamoc(*RENDER, "--check").code == 0


def test_what_others_wrote_is_never_overwritten(dynamoc: Run, graphs: Path) -> None:
    Path("out/.dynamoc-index").unlink()
    [name] = [name for name in names() if "_service_" in name]
    Path("out", name).write_text("mine: true\n")
    result = dynamoc(*RENDER)
    assert result.code == 2
    assert f"out/{name}: error: dynamoc did not write the file" in result.err
    Path("out", name).unlink()
    # What holds the right content already is taken over.
    assert dynamoc(*RENDER).code == 0
    assert list(index()["written"]) == names()


def test_an_edited_file_of_an_object_that_is_gone_stays_and_is_reported(dynamoc: Run, graphs: Path) -> None:
    [old] = [name for name in names() if "_deployment" in name]
    Path("out", old).write_text("mine: true\n")
    change(graphs)
    result = dynamoc(*RENDER)
    assert result.code == 0
    assert f"out/{old}: warning: The file belongs to an object that is gone, and was edited" in result.err
    assert "[output/left]" in result.err
    assert Path("out", old).read_text() == "mine: true\n"
    assert dynamoc(*RENDER, "--check").code == 1
    Path("out", old).unlink()
    assert dynamoc(*RENDER).code == 0
    assert dynamoc(*RENDER, "--check").code == 0


def test_from_index_renders_the_same_again(dynamoc: Run, graphs: Path) -> None:
    Path("context").mkdir()
    Path("context/a.yaml").write_text(CONFIG_MAP)
    options = ("--cluster", "context", "-o", "json", "--include=intermediate", "--namespace", "prod",
               "--omit=inputs", "--layout", "per-input", "--warn=unknown-fields")  # fmt: skip
    shutil.rmtree("out")
    assert dynamoc(*RENDER, *options).code == 0
    before = content()
    assert dynamoc("render", "--from-index", "out", "--check").code == 0
    for name in before:
        if name != "out/.dynamoc-index":
            Path(name).unlink()
    result = dynamoc("render", "--from-index", "out")
    assert result.code == 0
    assert "inputs-changed" not in result.err
    assert content() == before


def test_changed_inputs_are_reported(dynamoc: Run, graphs: Path) -> None:
    change(graphs)
    Path("graphs/more.yaml").write_text(CONFIG_MAP)
    for more, code in ((("--check",), 1), ((), 0), (("--check",), 0)):
        result = dynamoc("render", "--from-index", "out", *more)
        assert result.code == code
        told = "  - changed: graphs/chat.yaml\n  - new: graphs/more.yaml [output/inputs-changed]" in result.err
        assert told == ("inputs-changed" in result.err)
    assert "inputs-changed" not in result.err
    Path("graphs/more.yaml").unlink()
    assert "  - gone: graphs/more.yaml" in dynamoc("render", "--from-index", "out").err


def test_from_index_works_from_any_directory_above(dynamoc: Run, graphs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("graphs/draft.yaml").write_text(CONFIG_MAP.replace("settings", "draft"))
    command = (*RENDER, "--exclude", "graphs/draft.yaml", "-o", "annotated")
    assert dynamoc(*command).code == 0
    top = Path.cwd()
    assert dynamoc("render", "--from-index", "out", "--check").code == 0
    monkeypatch.chdir(top.parent)
    assert dynamoc("render", "--from-index", f"{top.name}/out", "--check").code == 0
    monkeypatch.chdir(top)
    Path(".dynamocignore").write_text("draft.yaml\n")
    assert dynamoc(*RENDER).code == 0
    monkeypatch.chdir(top.parent)
    assert dynamoc("render", "--from-index", f"{top.name}/out", "--check").code == 0


def test_from_index_takes_all_from_the_index(dynamoc: Run, graphs: Path) -> None:
    given = (("graphs",), ("--target", "grove"), ("--output-dir", "x"), ("-f", "graphs"))
    for more, what in zip(given, ("PATH", "--target", "--output-dir", "--filename"), strict=True):
        result = dynamoc("render", "--from-index", "out", *more)
        assert result.code == 2
        assert f"--from-index takes {what} from the index of out; leave it out." in result.err
    assert dynamoc("render", "--from-index", "graphs").code == 2
    assert "the directory has no index" in dynamoc("render", "--from-index", "graphs").err
    assert dynamoc("render", "--from-index", "nowhere").code == 2


@pytest.mark.parametrize("spelling", [("--from-index", "out"), ("--from-index=out",)])
def test_settings_are_those_of_the_index(
    dynamoc: Run, graphs: Path, spelling: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("dynamoc.yaml").write_text("operator-version: '1.4'\ntarget: grove\n")
    shutil.rmtree("out")
    assert dynamoc("render", "graphs", "--output-dir", "out").code == 0
    assert (index()["release"], index()["options"]["target"]) == ("1.4", "grove")
    Path("dynamoc.yaml").write_text("operator-version: '1.6'\ntarget: lws\n")
    monkeypatch.setenv("DYNAMOC_TARGET", "plain")
    assert dynamoc("render", *spelling, "--check").code == 0
    assert dynamoc("render", "graphs", "--output-dir", "out", "--check").code == 1


def test_standard_input_is_read_again(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(text: str, *argv: str) -> Result:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        return dynamoc(*argv)

    assert piped(WORKER, "render", "-", *RENDER[2:]).code == 0
    assert list(index()["inputs"]) == ["-"]
    assert piped(WORKER, "render", "--from-index", "out", "--check").code == 0
    changed = piped(WORKER.replace("1.4.0", "1.4.1"), "render", "--from-index", "out", "--check")
    assert changed.code == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("paths", ["/etc"]),
        ("paths", ["../../secret"]),
        ("options", {"cluster": ["../../secret"]}),
        ("options", {"operator-config": "/etc/passwd"}),
        ("options", {"profiling-result": ["a=../../secret"]}),
    ],
)
def test_a_planted_index_reads_nothing_outside_of_the_current_directory(
    dynamoc: Run, graphs: Path, key: str, value: Any
) -> None:
    Path("out/.dynamoc-index").write_text(json.dumps({**index(), key: value, "from": "/"}))
    result = dynamoc("render", "--from-index", "out")
    assert result.code == 2
    assert "which is outside of the current directory" in result.err


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("options", {"limit": ["pods=1000000"]}),
        ("options", {"output-dir": "elsewhere"}),
        ("options", {"load-restrictor": "none"}),
        ("options", {"nonsense": True}),
        ("options", {"target": "nonsense"}),
        ("options", {"strict": "yes"}),
        ("options", {"cluster": "x"}),
        ("options", {"cluster": [1]}),
        ("options", []),
        ("paths", 1),
        ("paths", [1]),
        ("release", "9.9"),
    ],
)
def test_an_index_that_asks_for_something_else_is_refused(dynamoc: Run, graphs: Path, key: str, value: Any) -> None:
    Path("out/.dynamoc-index").write_text(json.dumps({**index(), key: value}))
    before = content(".")
    result = dynamoc("render", "--from-index", "out")
    assert result.code == 2
    assert "Traceback" not in result.err
    assert content(".") == before


def test_a_directory_without_a_link_to_outside_may_be_forced(dynamoc: Run, graphs: Path, tmp_path: Path) -> None:
    Path("work").mkdir()
    Path("graphs").rename("work/graphs")
    shutil.rmtree("out")
    Path("deep").mkdir()
    os.chdir("deep")
    assert dynamoc("render", "../work/graphs", "--output-dir", "out", *RENDER[4:]).code == 0
    assert dynamoc("render", "--from-index", "out").code == 2
    assert dynamoc("render", "--from-index", "out", "--load-restrictor", "none", "--check").code == 0


def test_an_empty_output_removes_all_unless_that_is_to_fail(dynamoc: Run, graphs: Path) -> None:
    graphs.write_text("replicas: 1\n")
    before = content()
    assert dynamoc(*RENDER, "--deny=output/empty").code == 1
    assert dynamoc("render", "--from-index", "out", "--deny=output/empty").code == 1
    assert dynamoc("render", "--from-index", "out", "--deny=input/no-graph").code == 1
    assert content() == before
    assert dynamoc(*RENDER).code == 0
    assert names() == []


def test_a_refused_input_of_several_loses_its_file_only_if_dynamoc_wrote_it(dynamoc: Run, graphs: Path) -> None:
    command = (*RENDER, "--layout", "per-input", "--keep-going")
    shutil.rmtree("out")
    Path("out").mkdir()
    Path("out/other.yaml").write_text("mine: true\n")
    Path("graphs/other.yaml").write_text(WORKER.replace("type:", "typo:"))
    result = dynamoc(*command)
    assert result.code == 1
    assert "out/other.yaml: warning: dynamoc did not write the file of a rejected input." in result.err
    assert names() == ["chat.yaml", "other.yaml"]
    change(graphs, "type: worker", "typo: worker")
    assert dynamoc(*command).code == 1
    assert names() == ["other.yaml"]

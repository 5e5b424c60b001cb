from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run, StandIn
from tests.emit.test_directory import interrupt, plant

PER_INPUT = ("--output-dir", "out", "--layout", "per-input")


def files(folder: str) -> list[str]:
    """All but the index, of which tests/cli/test_tracked.py tells."""
    found = sorted(os.path.relpath(path, folder) for path in Path(folder).rglob("*") if path.is_file())
    return [name for name in found if name != ".dynamoc-index"]


@pytest.fixture
def inputs(dynamoc: Run, stand_in: StandIn) -> Path:
    """`in/` in the current directory, with two files that can be rendered and one that is refused."""
    folder = Path("in")
    (folder / "deep").mkdir(parents=True)
    (folder / "a.yaml").write_text("good a")
    (folder / "bad.yaml").write_text("bad")
    (folder / "deep" / "z.yml").write_text("good z")
    return folder


def test_per_input_writes_a_file_an_input(dynamoc: Run, inputs: Path) -> None:
    result = dynamoc("render", "in", *PER_INPUT, "-o", "json", "--keep-going")
    assert result.code == 1
    assert result.out == ""
    assert files("out") == ["a.json", "deep/z.json"]
    [item] = json.loads(Path("out/a.json").read_text())
    assert item["metadata"]["name"] == "a"
    assert "in/bad.yaml:1:1: error:" in result.err


def test_the_first_refused_input_stops_and_nothing_is_written(dynamoc: Run, inputs: Path, stand_in: StandIn) -> None:
    result = dynamoc("render", "in", *PER_INPUT)
    assert result.code == 1
    assert stand_in.compiled == ["in/a.yaml", "in/bad.yaml"]
    assert not Path("out").exists()
    assert "nothing was written" in result.err


def test_a_refused_input_loses_the_file_of_an_earlier_run(dynamoc: Run, inputs: Path) -> None:
    (inputs / "bad.yaml").write_text("good once")
    assert dynamoc("render", "in", *PER_INPUT).code == 0
    assert files("out") == ["a.yaml", "bad.yaml", "deep/z.yaml"]
    (inputs / "bad.yaml").write_text("bad")
    before = Path("out/a.yaml").stat().st_mtime_ns
    assert dynamoc("render", "in", *PER_INPUT).code == 1
    assert files("out") == ["a.yaml", "bad.yaml", "deep/z.yaml"]
    assert Path("out/a.yaml").stat().st_mtime_ns == before
    assert dynamoc("render", "in", *PER_INPUT, "--keep-going").code == 1
    assert files("out") == ["a.yaml", "deep/z.yaml"]


def test_a_bug_costs_only_the_input_that_brings_it_out(dynamoc: Run, inputs: Path) -> None:
    (inputs / "b.yaml").write_text("crash")
    result = dynamoc("render", "in", *PER_INPUT, "--keep-going")
    assert result.code == 3
    assert files("out") == ["a.yaml", "deep/z.yaml"]
    assert "while compiling in/b.yaml" in result.err
    assert "Traceback" not in result.err
    assert dynamoc("render", "in", *PER_INPUT).code == 3


def test_an_input_without_objects_still_has_its_file(dynamoc: Run, inputs: Path) -> None:
    Path("in/a.yaml").write_text("empty")
    dynamoc("render", "in/a.yaml", *PER_INPUT, "-o", "json")
    assert json.loads(Path("out/a.json").read_text()) == []


def test_two_inputs_never_share_a_file(dynamoc: Run, inputs: Path) -> None:
    Path("in/A.yml").write_text("good b")
    result = dynamoc("render", "in", *PER_INPUT, "--keep-going")
    assert result.code == 2
    assert "in/A.yml" in result.err
    assert "in/a.yaml" in result.err
    assert not Path("out").exists()


def test_no_temporary_file_stays_when_writing_fails(
    dynamoc: Run, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = dynamoc("render", "in/a.yaml", *PER_INPUT)
    assert result.code == 2
    assert result.err == "dynamoc: error: out: No space left on device\n"
    assert files("out") == []


def test_per_object_is_the_default_layout(dynamoc: Run, inputs: Path) -> None:
    result = dynamoc("render", "in/a.yaml", "in/deep", "--output-dir", "out")
    assert result.code == 0
    assert files("out") == ["default_configmap_a.yaml", "default_configmap_z.yaml"]


def test_per_object_writes_nothing_where_an_input_is_refused(dynamoc: Run, inputs: Path) -> None:
    assert dynamoc("render", "in", "--output-dir", "out").code == 1
    assert not Path("out").exists()


def test_files_are_the_same_bytes_each_run(dynamoc: Run, inputs: Path) -> None:
    dynamoc("render", "in", *PER_INPUT, "--keep-going")
    first = {name: Path("out", name).read_bytes() for name in files("out")}
    dynamoc("render", "in", *PER_INPUT, "--keep-going")
    assert first == {name: Path("out", name).read_bytes() for name in files("out")}


@pytest.mark.parametrize(
    "line",
    [
        "render in --layout per-input",
        "render in --output-dir in/out",
        "render in --output-dir in/a.yaml",
        "render no-such.yaml",
        "render in --cluster no-such",
        "render in --operator-config no-such",
        "render in --operator-version 9.9",
        "render in --target docker",
        "render",
        "frobnicate",
    ],
)
def test_wrong_usage_is_2_with_a_sentence(dynamoc: Run, inputs: Path, line: str) -> None:
    result = dynamoc(*line.split())
    assert result.code == 2
    assert result.out == ""
    assert result.err
    assert "bug" not in result.err


def test_files_per_input_hold_the_input_only_when_asked(dynamoc: Run, stand_in: StandIn) -> None:
    Path("a.yaml").write_text("good a")
    base = ("render", "a.yaml", "--output-dir", "out", "--layout", "per-input")
    for arguments, expected in (
        ((), False),
        (("--include=inputs",), True),
        (("--include=inputs", "--omit=inputs"), False),
    ):
        dynamoc(*base, *arguments)
        assert stand_in.options is not None
        assert stand_in.options.passthrough is expected
    dynamoc("render", "a.yaml")
    assert stand_in.options.passthrough is True


def test_what_a_killed_run_left_is_finished_before_anything_is_refused(dynamoc: Run, inputs: Path) -> None:
    assert dynamoc("render", "in/a.yaml", *PER_INPUT).code == 0
    interrupt(Path("out"), {"a.yaml": "new\n"})
    (inputs / "b.yaml").write_text("bad")
    assert dynamoc("render", "in", *PER_INPUT).code == 1
    assert Path("out/a.yaml").read_text() == "new\n"
    assert not Path("out/.dynamoc-staged").exists()


def test_a_staging_folder_from_a_checkout_is_set_aside(dynamoc: Run, inputs: Path) -> None:
    assert dynamoc("render", "in/a.yaml", *PER_INPUT).code == 0
    before = Path("out/a.yaml").read_text()
    plant(Path("out"), '[["a.yaml", null], [".git/hooks/pre-commit", "0"]]', {"0": "#!/bin/sh\n"})
    result = dynamoc("render", "in/a.yaml", *PER_INPUT)
    assert result.code == 0
    assert "out/.dynamoc-staged: warning: No run of dynamoc left .dynamoc-staged in this directory." in result.err
    assert "[output/set-aside]" in result.err
    assert Path("out/a.yaml").read_text() == before
    assert not Path("out/.git").exists()
    assert not Path("out/.dynamoc-staged").exists()
    assert "warning" not in dynamoc("render", "in/a.yaml", *PER_INPUT).err
    plant(Path("out"), "[" * 200_000, {})
    assert dynamoc("schema", "--output-dir", "out").err.startswith("out/.dynamoc-staged: warning: No run of dynamoc")

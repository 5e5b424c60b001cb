"""`--shard`: parts of a run, which together are the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.corpus import write_graphs
from dynamoc.documents.emit.files import INDEX
from tests.cli.conftest import Run

_TERMS = ("--operator-version", "1.4", "--target", "grove")
_SMALL = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {{name: g{}, namespace: inference}}
spec:
  components:
  - name: Frontend
    type: frontend
    podTemplate: {{spec: {{containers: [{{name: main, image: "example.com/a:1.4.0"}}]}}}}
"""
#: a graph that refers to what another file holds
_CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: weights, namespace: inference}\nspec: {}\n"


def held(folder: str) -> dict[str, bytes]:
    """The files of a directory but for the indexes."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if not path.name.startswith(INDEX)}


@pytest.fixture
def graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    write_graphs(tmp_path / "graphs", 60)
    (tmp_path / "graphs" / "claim.yaml").write_text(_CLAIM)
    return "graphs"


def test_the_parts_are_the_whole(dynamoc: Run, graphs: str) -> None:
    terms = ("render", graphs, *_TERMS, "--keep-going", "--output-dir")
    dynamoc(*terms, "whole")
    sizes = []
    for part in range(1, 5):
        dynamoc(*terms, "parts", "--shard", f"{part}/4")
        sizes.append(len(held("parts")))
    assert held("parts") == held("whole")
    assert sizes == sorted(set(sizes)), "each part writes something"
    assert {path.name for path in Path("parts").glob(f"{INDEX}*")} == {f"{INDEX}.{part}-of-4" for part in range(1, 5)}


def test_what_a_dead_part_left_is_written_again_and_no_other_part_is_touched(dynamoc: Run, graphs: str) -> None:
    terms = ("render", graphs, *_TERMS, "--keep-going", "--output-dir", "parts", "--shard")
    for part in ("1/2", "2/2"):
        dynamoc(*terms, part)
    before = held("parts")
    (Path("parts") / f"{INDEX}.2-of-2").unlink()
    for name in list(before)[::3]:
        (Path("parts") / name).unlink()
    for part in ("2/2", "1/2", "2/2"):
        dynamoc(*terms, part)
    assert held("parts") == before
    assert dynamoc(*terms, "1/2", "--check").err.count("output/outdated") == 0


def test_an_object_of_several_parts_stays_as_long_as_one_needs_it(dynamoc: Run) -> None:
    for number in range(8):
        planner = _SMALL.format(number).replace("Frontend", "Planner").replace("frontend", "planner")
        Path(f"g{number}.yaml").write_text(planner)
    terms = ("render", *_TERMS, "--output-dir", "../parts", "--shard")

    def rendered() -> list[str]:
        for part in ("1/2", "2/2"):
            result = dynamoc(*terms, part, *sorted(map(str, Path().glob("*.yaml"))))
            assert result.code == 0, result.err
        return [name for name in held("../parts") if "planner-serviceaccount" in name]

    shared = rendered()
    assert shared
    for number in range(7):
        Path(f"g{number}.yaml").unlink()
    assert rendered() == shared


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "upgrade", "diff"])
def test_lines_of_reports_add_up(dynamoc: Run, graphs: str, command: str) -> None:
    changed = Path("changed")
    changed.mkdir()
    for path in Path(graphs).iterdir():
        (changed / path.name).write_text(path.read_text().replace("replicas: 1", "replicas: 3"))
    words = {
        "check": (graphs, *_TERMS),
        "upgrade": (graphs, "--from", "1.2", "--to", "1.4", "--target", "grove"),
        "diff": (graphs, str(changed), *_TERMS, "--keep-going"),
    }[command]

    def lines(*shard: str) -> set[str]:
        out = dynamoc(command, *words, "-o", "jsonl", *shard).out
        # The numbers of other lines are those of a run.
        records = [json.loads(line) for line in out.splitlines()]
        return {json.dumps({**record, "together": None, "fingerprint": None}) for record in records}

    whole, parts = lines(), [lines("--shard", f"{part}/3") for part in (1, 2, 3)]
    assert len(whole) > 20
    assert set.union(*parts) == whole
    assert all(part < whole for part in parts)


def test_new_files_move_nothing(dynamoc: Run) -> None:
    for number in range(20):
        Path(f"g{number}.yaml").write_text(_SMALL.format(number))
    terms = ("render", *_TERMS, "--shard", "2/5", "-o", "json")
    files = sorted(map(str, Path().glob("g*.yaml")))
    before = {item["metadata"]["name"] for item in json.loads(dynamoc(*terms, *files[5:]).out)["items"]}
    after = {item["metadata"]["name"] for item in json.loads(dynamoc(*terms, *files).out)["items"]}
    assert before
    assert before <= after


def test_an_indexed_job_chooses_the_part(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        Path(f"g{number}.yaml").write_text(_SMALL.format(number))
    named = dynamoc("render", ".", *_TERMS, "--shard", "3/4")
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")
    assert dynamoc("render", ".", *_TERMS, "--shard", "4").out == named.out
    assert named.out


def test_parts_of_runs_for_each_input(dynamoc: Run) -> None:
    for number in range(9):
        Path(f"g{number}.yaml").write_text(_SMALL.format(number))
    terms = ("render", ".", *_TERMS, "--layout", "per-input", "--output-dir")
    dynamoc(*terms, "../whole")
    for part in ("1/2", "2/2"):
        dynamoc(*terms, "../parts", "--shard", part)
    assert held("../parts") == held("../whole")


def test_sarif_of_a_part_has_a_name(dynamoc: Run) -> None:
    Path("g.yaml").write_text(_SMALL.format(1))
    [run] = json.loads(dynamoc("check", "g.yaml", "-o", "sarif", "--shard", "1/2").out)["runs"]
    assert run["automationDetails"] == {"id": "dynamoc/1-of-2/"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shard", "0/3"), "--shard 0/3: write INDEX/COUNT, such as 3/16"),
        (("--shard", "4/3"), "from 1 to the count"),
        (("--shard", "x"), "JOB_COMPLETION_INDEX"),
        (("--shard", "1/3", "--standalone"), "--shard cannot be combined with --standalone"),
        (("--shard", "1/3", "--include", "secrets"), "--shard cannot be combined with --include secrets"),
    ],
)
def test_what_makes_no_part(dynamoc: Run, words: tuple[str, ...], said: str) -> None:
    Path("g.yaml").write_text(_SMALL.format(1))
    result = dynamoc("render", "g.yaml", *words)
    assert result.code == 2
    assert said in result.err


def test_a_directory_is_divided_in_one_way(dynamoc: Run) -> None:
    Path("g.yaml").write_text(_SMALL.format(1))
    terms = ("render", "g.yaml", *_TERMS, "--output-dir", "out")
    assert dynamoc(*terms, "--shard", "1/2").code == 0
    for words in ((), ("--shard", "1/3")):
        result = dynamoc(*terms, *words)
        assert result.code == 2
        assert "use the same --shard count" in result.err


@pytest.mark.slow
def test_ten_thousand_graphs(dynamoc: Run) -> None:
    Path("graphs.yaml").write_text("---\n".join(map(_SMALL.format, range(10_000))))
    terms = ("render", "graphs.yaml", "--operator-version", "1.4", "--target", "plain", "--output-dir")
    dynamoc(*terms, "whole")
    for part in ("1/2", "2/2"):
        dynamoc(*terms, "parts", "--shard", part)
    assert len(held("whole")) > 10_000
    assert held("parts") == held("whole")

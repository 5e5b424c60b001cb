"""`dynamoc diff`: sides, outputs and exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH, MULTINODE

Pair = tuple[Path, Path]


def git(*words: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *identity, *words), check=True, capture_output=True)


def commit(text: str, path: str = "graphs/web.yaml") -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)
    git("add", "-A")
    git("commit", "-qm", "x")


def test_same(dynamoc: Run, graphs: Pair) -> None:
    result = dynamoc("diff", "old.yaml", "new.yaml")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("no differences in ")


def test_a_new_image_rolls_its_pods(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("1.0.0", "1.0.1", 1))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--target", "grove")
    assert result.code == 1
    assert "cliques[frontend].spec.podSpec.containers[main].image" in result.out
    assert result.out.splitlines()[-1].endswith("2 pods restart")


@pytest.mark.parametrize("target", ["grove", "lws", "plain"])
def test_gpus_that_restart_are_those_of_the_workers(dynamoc: Run, graphs: Pair, target: str) -> None:
    graphs[1].write_text(GRAPH.replace("args: [--model, m]", "args: [--model, large]"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--target", target, "-o", "json")
    assert json.loads(result.out)["summary"]["restarted"] == {"pods": 3, "gpus": 6}


def test_a_new_worker_generation_is_one_change(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("args: [--model, m]", "args: [--model, large]"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--target", "plain", "-o", "json")
    record = json.loads(result.out)
    assert [entry["graph"] for entry in record["generations"]] == ["web"]
    assert record["summary"]["effects"]["adds"] == record["summary"]["effects"]["removes"] == 0


def test_scaling_rolls_nothing(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("replicas: 3", "replicas: 5"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--target", "plain", "-o", "json")
    summary = json.loads(result.out)["summary"]
    assert (summary["restarted"]["pods"], summary["started"]) == (0, {"pods": 2, "gpus": 4})
    assert summary["effects"]["scales"] == 1


def test_release_and_target_of_render_apply(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("1.0.0", "1.0.1"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--operator-version", "1.0", "--target", "plain", "-o", "json")
    record = json.loads(result.out)
    assert (record["format"], record["version"], record["operatorVersion"]) == ("dynamoc-diff", 1, "1.0")
    assert {entry["kind"] for entry in record["objects"]} == {"Deployment", "Service"}


def test_errors_beat_differences(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("replicas: 3", "replcias: 3"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--allow=changes")
    assert (result.code, result.out) == (2, "")
    assert "replcias" in result.err


def test_keep_going_compares_what_can_be_rendered(dynamoc: Run, graphs: Pair) -> None:
    broken = GRAPH.replace("name: web", "name: other").replace("replicas: 3", "replcias: 3")
    graphs[1].write_text(f"{GRAPH.replace('1.0.0', '1.0.1')}---\n{broken}")
    result = dynamoc("diff", "old.yaml", "new.yaml", "--keep-going", "--summary")
    assert result.code == 2
    assert "replcias" in result.err
    assert "differ" in result.out


def test_exit_zero_and_summary_are_for_reports(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("1.0.0", "1.0.1"))
    result = dynamoc("diff", "old.yaml", "new.yaml", "--allow=changes", "--summary")
    assert result.code == 0
    assert len(result.out.splitlines()) == 1


def test_warnings_of_both_sides_are_not_told(dynamoc: Run, graphs: Pair) -> None:
    assert dynamoc("render", "new.yaml").err != ""
    assert dynamoc("diff", "old.yaml", "new.yaml").err == ""


@pytest.mark.parametrize(
    "words",
    [("old.yaml",), ("old.yaml", "absent.yaml"), ("old.yaml", "new.yaml", "more.yaml"), ("nope..HEAD",)],
)
def test_wrong_usage(dynamoc: Run, graphs: Pair, words: tuple[str, ...]) -> None:
    result = dynamoc("diff", *words)
    assert (result.code, result.out) == (2, "")
    assert result.err != ""


def test_wrong_options(dynamoc: Run, graphs: Pair) -> None:
    assert dynamoc("diff", "old.yaml", "new.yaml", "--ignore", "a[").code == 2
    assert dynamoc("diff", "old.yaml", "new.yaml", "-o", "markdown", "--max-chars", "many").code == 2


def test_ignore_lists_can_be_turned_off(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(GRAPH.replace("1.0.0", "1.0.1"))
    # Since 1.5 an image is a part of the hash on cliques too.
    release = ("--operator-version", "1.4")
    command = ("diff", "old.yaml", "new.yaml", "--target", "grove", *release, "--ignore", "**.image")
    ignored = dynamoc(*command)
    assert ignored.code == 0
    assert "ignored: **.image (2 changes)" in ignored.out
    assert dynamoc(*command, "--no-ignore").code == 1


def test_directories(dynamoc: Run) -> None:
    for side, text in (("a", GRAPH), ("b", GRAPH.replace("name: web", "name: other"))):
        Path(side).mkdir()
        Path(side, "web.yaml").write_text(text)
    result = dynamoc("diff", "a", "b", "-o", "json")
    effects = json.loads(result.out)["summary"]["effects"]
    assert effects["adds"] == effects["removes"] > 0
    assert effects["rolls"] == 0


def test_revisions(dynamoc: Run) -> None:
    git("init", "-q", "-b", "main")
    commit(GRAPH)
    git("checkout", "-qb", "change")
    commit(GRAPH.replace("1.0.0", "1.0.1"))
    Path("graphs/web.yaml").write_text(GRAPH)
    for words, code in {
        ("main..HEAD", "--", "graphs/"): 1,
        ("main..HEAD", "graphs"): 1,
        ("main...HEAD",): 1,
        ("main", "HEAD", "graphs/web.yaml"): 1,
        ("main:graphs", "HEAD:graphs"): 1,
        ("main..", "--", "graphs/"): 0,
        ("main", "--", "graphs/"): 0,
        ("HEAD..", "--", "graphs/"): 1,
        ("HEAD:graphs/web.yaml", "graphs/web.yaml"): 1,
        ("main..main", "--", "graphs/"): 0,
    }.items():
        result = dynamoc("diff", *words)
        assert (words, result.code, result.err) == (words, code, "")


def test_a_graph_that_comes_with_a_revision(dynamoc: Run) -> None:
    git("init", "-q", "-b", "main")
    commit("", "readme.txt")
    commit(GRAPH)
    result = dynamoc("diff", "HEAD~1..HEAD", "--", "graphs/", "-o", "json")
    assert (result.code, result.out) == (2, "")
    result = dynamoc("diff", "-o", "json", "HEAD~1..HEAD", "--", "graphs/")
    effects = json.loads(result.out)["summary"]["effects"]
    assert effects["adds"] == sum(effects.values())


def test_errors_in_a_revision_show_their_line(dynamoc: Run) -> None:
    git("init", "-q", "-b", "main")
    commit(GRAPH.replace("replicas: 3", "replcias: 3"))
    commit(GRAPH)
    result = dynamoc("diff", "HEAD~1..HEAD", "--", "graphs/")
    assert result.code == 1
    assert "HEAD~1:graphs/web.yaml:12:7" in result.err
    assert "9 of 9 objects differ: 9 are added" in result.out
    assert "| " in result.err


def test_a_refused_update_is_a_difference(dynamoc: Run, graphs: Pair) -> None:
    graphs[0].write_text(GRAPH)
    graphs[1].write_text(MULTINODE)
    result = dynamoc("diff", "old.yaml", "new.yaml")
    assert "the API server refuses this update" in result.out
    assert result.code == 1


def test_colour_only_where_asked_for(dynamoc: Run, graphs: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs[1].write_text(GRAPH.replace("1.0.0", "1.0.1"))
    plain = dynamoc("diff", "old.yaml", "new.yaml")
    coloured = dynamoc("diff", "old.yaml", "new.yaml", "--color", "always")
    assert "\x1b[" not in plain.out
    assert "\x1b[" in coloured.out
    monkeypatch.setenv("NO_COLOR", "1")
    assert dynamoc("diff", "old.yaml", "new.yaml", "--color", "always").out == coloured.out


@pytest.mark.parametrize("output", ["text", "json", "unified", "markdown"])
def test_the_same_bytes_each_time(dynamoc: Run, graphs: Pair, output: str) -> None:
    graphs[1].write_text(GRAPH.replace("1.0.0", "1.0.1"))
    outs = {dynamoc("diff", "old.yaml", "new.yaml", "--target", "lws", "-o", output).out for _ in range(2)}
    assert len(outs) == 1
    assert outs != {""}


BROKEN = "{ kind: broken"
FORMATS = ("text", "markdown", "unified", "json")


@pytest.fixture
def folders(dynamoc: Run) -> Pair:
    """`old/` and `new/` with two graphs each."""
    for side in ("old", "new"):
        Path(side).mkdir()
        Path(side, "web.yaml").write_text(GRAPH)
        Path(side, "shop.yaml").write_text(GRAPH.replace("name: web", "name: shop"))
    return Path("old"), Path("new")


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("cause", ["syntax", "field", "unreadable"])
def test_what_the_new_side_cannot_render_is_not_removed(dynamoc: Run, folders: Pair, style: str, cause: str) -> None:
    path = folders[1] / "shop.yaml"
    if cause == "unreadable":
        path.unlink()
        path.symlink_to("nowhere")
    else:
        path.write_text(BROKEN if cause == "syntax" else path.read_text().replace("replicas: 3", "replcias: 3"))
    result = dynamoc("diff", "old", "new", "--keep-going", "-o", style)
    assert result.code == 2
    if style == "json":
        record = json.loads(result.out)
        assert (record["objects"], record["summary"]["stopped"]["pods"]) == ([], 0)
        assert [(item["side"], item["file"]) for item in record["notCompared"]] == [("new", "new/shop.yaml")]
    else:
        assert "ot compared:" in result.out
        assert "new/shop.yaml" in result.out
        assert "removed" not in result.out


def test_two_files_are_one_another_s_counterpart(dynamoc: Run, graphs: Pair) -> None:
    graphs[1].write_text(BROKEN)
    result = dynamoc("diff", "old.yaml", "new.yaml", "--keep-going")
    assert result.code == 2
    assert result.out.startswith("not compared: new.yaml: This `{` is not closed")
    assert "no differences in 0 objects" in result.out


def test_a_repaired_side_is_compared(dynamoc: Run, folders: Pair) -> None:
    (folders[0] / "shop.yaml").write_text(BROKEN)
    (folders[1] / "web.yaml").write_text(GRAPH.replace("1.0.0", "1.0.1"))
    result = dynamoc("diff", "old", "new", "-o", "json")
    record = json.loads(result.out)
    assert result.code == 1
    assert "old/shop.yaml:1:1: error" in result.err
    effects = {(item["effect"], item["name"].partition("-")[0]) for item in record["objects"]}
    assert ("adds", "shop") in effects
    assert {effect for effect, name in effects if name == "shop"} == {"adds"}
    assert [item["side"] for item in record["notCompared"]] == ["old"]


def test_a_commit_that_repairs_a_file_is_compared(dynamoc: Run) -> None:
    git("init", "-q", "-b", "main")
    commit(BROKEN)
    commit(GRAPH)
    result = dynamoc("diff", "HEAD~1..HEAD", "--", "graphs/")
    assert result.code == 1
    assert "not compared: HEAD~1:graphs/web.yaml" in result.out
    assert dynamoc("diff", "HEAD..HEAD~1", "--", "graphs/").code == 2
    backwards = dynamoc("diff", "HEAD..HEAD~1", "--keep-going", "--", "graphs/")
    assert (backwards.code, "removed" in backwards.out) == (2, False)


def test_an_error_of_both_sides_is_told_once(dynamoc: Run, graphs: Pair) -> None:
    Path("config.yaml").write_text("infrastructure: 5\n")
    result = dynamoc("diff", "old.yaml", "new.yaml", "--operator-config", "config.yaml")
    assert result.code == 2
    assert result.err.count("`mpi.sshSecretName` is required") == 1

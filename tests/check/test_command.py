"""Options of `dynamoc check`: which findings count, and what fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.check.graphs import OPTIONS, graph, slugs, worker
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
PROXY = {"image": "envoyproxy/envoy", "name": "proxy"}
TEXT = graph(worker("--tensor-parallel-size=2", gpus=8, pod={"initContainers": [PROXY]}))
BOTH = ["check/floating-image", "check/idle-gpus"]


def check(dynamoc: Run, *words: str, text: str = TEXT) -> tuple[int, list[str]]:
    Path("graph.yaml").write_text(text)
    result = dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS, *words)
    return result.code, sorted(slugs(result.out))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), BOTH),
        (("--allow", "check/idle-gpus"), BOTH[:1]),
        (("--allow", "check"), []),
        (("--only", "check/idle-gpus"), BOTH[1:]),
        (("--only", "schema"), []),
        (("--only", "check", "--allow", "check/idle-gpus"), BOTH[:1]),
    ],
)
def test_findings_are_selected_by_name(words: tuple[str, ...], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, *words) == (0, found)


def test_a_name_that_is_none_is_wrong_usage(dynamoc: Run) -> None:
    result = dynamoc("check", "graph.yaml", "--allow", "check/idle")
    assert result.code == 2
    assert "`dynamoc explain --list` lists them" in result.err


@pytest.mark.parametrize(("level", "code"), [((), 0), (("--deny=warnings",), 1), (("--deny=advice",), 1)])
def test_what_fails(level: tuple[str, ...], code: int, dynamoc: Run) -> None:
    assert check(dynamoc, *level)[0] == code
    assert check(dynamoc, *level, "--allow", "check")[0] == 0
    assert check(dynamoc, *level, text=TEXT.replace("gpu: '8'", "gpu: '1'"))[0] == 1


def test_a_baseline_leaves_out_what_is_known(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(TEXT)
    written = dynamoc("check", "graph.yaml", "--baseline", "known.json", "--update-baseline", *OPTIONS)
    assert (written.code, "known.json now has 4 findings" in written.err) == (0, True)
    assert check(dynamoc, "--baseline", "known.json", "--deny=advice") == (0, [])
    moved = f"# a comment\n{TEXT}"
    assert check(dynamoc, "--baseline", "known.json", text=moved) == (0, [])
    worse = TEXT.replace("image: envoyproxy/envoy", "image: envoyproxy/envoy2")
    assert check(dynamoc, "--baseline", "known.json", text=worse) == (0, BOTH[:1])
    before = Path("known.json").read_bytes()
    dynamoc("check", "graph.yaml", "--baseline", "known.json", "--update-baseline", *OPTIONS)
    Path("graph.yaml").write_text(TEXT)
    dynamoc("check", "graph.yaml", "--baseline", "known.json", "--update-baseline", *OPTIONS)
    assert Path("known.json").read_bytes() == before


def test_a_baseline_does_not_hide_what_is_rejected(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = TEXT.replace("kind: DynamoGraphDeployment", "kind: DynamoGraphDeployment\nspecs: 1")
    Path("graph.yaml").write_text(broken)
    written = dynamoc("check", "graph.yaml", "--baseline", "known.json", "--update-baseline", *OPTIONS)
    assert written.code == 1
    assert "[schema/unknown-field]" in written.err
    assert "what the operator or the API server rejects cannot be in it" in written.err
    names = [entry["name"] for entry in json.loads(Path("known.json").read_text())["findings"]]
    assert "schema/unknown-field" not in names
    # One of an earlier dynamoc, or of somebody's own making.
    with monkeypatch.context() as patch:
        patch.setattr("dynamoc.interfaces.cli.check.may_be_ignored", lambda _: True)
        dynamoc("check", "graph.yaml", "--baseline", "known.json", "--update-baseline", *OPTIONS)
    assert "schema/unknown-field" in Path("known.json").read_text()
    result = dynamoc("check", "graph.yaml", "--baseline", "known.json", *OPTIONS)
    assert (result.code, "[schema/unknown-field]" in result.err) == (1, True)


def test_a_baseline_names_files_from_its_directory(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from every directory, and by absolute paths; another file of the same name is another one."""
    Path("sub").mkdir()
    Path("sub/graph.yaml").write_text(TEXT)
    dynamoc("check", "sub/graph.yaml", "--baseline", "known.json", "--update-baseline", *OPTIONS)
    for word in ("sub/graph.yaml", str(Path("sub/graph.yaml").absolute())):
        assert "no findings" in dynamoc("check", word, "--baseline", "known.json", *OPTIONS).err
    Path("graph.yaml").write_text(TEXT)
    assert "no findings" not in dynamoc("check", "graph.yaml", "--baseline", "known.json", *OPTIONS).err
    monkeypatch.chdir("sub")
    assert "no findings" in dynamoc("check", "graph.yaml", "--baseline", "../known.json", *OPTIONS).err
    assert json.loads(Path("../known.json").read_text())["findings"][0]["file"] == "sub/graph.yaml"


@pytest.mark.parametrize("content", [None, "[]", "{", '{"format": "dynamoc-baseline", "version": 9}'])
def test_a_bad_baseline_is_wrong_usage(content: str | None, dynamoc: Run) -> None:
    Path("graph.yaml").write_text(TEXT)
    if content is not None:
        Path("known.json").write_text(content)
    result = dynamoc("check", "graph.yaml", "--baseline", "known.json", *OPTIONS)
    assert (result.code, result.out) == (2, "")
    assert "--baseline known.json: " in result.err
    assert dynamoc("check", "graph.yaml", "--update-baseline", *OPTIONS).code == 2


def test_validate_reports_none_of_it(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(TEXT)
    report = json.loads(dynamoc("validate", "graph.yaml", "-o", "json", *OPTIONS).out)
    assert not any(found["slug"].startswith("check/") for found in report["findings"])


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.stem)
@pytest.mark.parametrize("target", ["grove", "lws"])
def test_the_shipped_examples_are_clean(example: Path, target: str, dynamoc: Run) -> None:
    result = dynamoc("check", str(example), "-o", "json", "--target", target)
    assert [slug for slug in slugs(result.out) if slug != "check/little-room"] == []


#: manifests for 1.4 that are older than its dynamo.vllm, which has no default connector
WITHOUT_CONFIG = (
    "components__src__dynamo__planner__tests__data__profiling_results__H200_TP1P_TP1D__disagg.yaml",
    "components__src__dynamo__planner__tests__manual__perf_test_configs__disagg_8b_2p2d.yaml",
    "components__src__dynamo__planner__tests__manual__perf_test_configs__disagg_8b_3p1d.yaml",
    "components__src__dynamo__planner__tests__manual__perf_test_configs__disagg_8b_tp2.yaml",
    "examples__deployments__GKE__vllm__disagg.yaml",
    "examples__global_planner__global-planner-gpu-budget.yaml",
    "examples__global_planner__global-planner-vllm-test.yaml",
    "tests__fault_tolerance__deploy__templates__vllm__moe_disagg.yaml",
)
#: recipes for 1.0 whose images are of 0.8
WITH_OLD_IMAGES = (
    "recipes__deepseek-r1__vllm__disagg__deploy_hopper_16gpu.yaml",
    "recipes__llama-3-70b__vllm__disagg-multi-node__deploy.yaml",
    "recipes__llama-3-70b__vllm__disagg-single-node__deploy.yaml",
    "recipes__qwen3-32b__vllm__disagg-kv-router__deploy.yaml",
)
#: what the public manifests have a true reason for: docs/check.md lists the counts
KNOWN = {
    "check/little-room",
    "check/host-path-cache",
    "check/parallelism-in-file",
    "check/planner-without-adapter",
}


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
def test_the_public_manifests_are_clean(release: str, conformance: Path, dynamoc: Run) -> None:
    true = {
        "recipes__deepseek-v4__deepseek-v4-flash__sglang__agg__deploy.yaml": {"check/visible-devices"},
        "examples__basics__kubernetes__shared_frontend__shared_frontend.yaml": {
            "check/claim-of-one-node",
            "check/old-runtime",
        },
        **{name: {"check/no-transfer-config"} for name in WITHOUT_CONFIG},
        **{name: {"check/new-flag"} for name in WITH_OLD_IMAGES},
        "recipes__deepseek-r1__trtllm__disagg__wide_ep__gb200__deploy.yaml": {"check/partial-gang"},
        # A flag twice, and its value once.
        "examples__deployments__GKE__sglang__disagg.yaml": {"check/flag-value"},
        # A command beside the arguments that the operator adds.
        "recipes__qwen3-32b__vllm__agg-kvbm__deploy.yaml": {"check/command-twice"},
        "recipes__qwen3-32b__vllm__agg-round-robin__deploy.yaml": {"check/command-twice"},
        # Nothing but an image.
        "deploy__cloud__operator__config__samples__nvidia.com_v1alpha1_dynamocomponentdeployment.yaml": {
            "check/no-command"
        },
    }
    for path in sorted((conformance / f"{release}-examples" / "inputs").glob("*.yaml")):
        result = dynamoc("check", str(path), "-o", "json", "--operator-version", release, "--target", "grove")
        if result.out:
            assert set(slugs(result.out, mistakes=True)) <= KNOWN | true.get(path.name, set()), path.name


def test_quiet_writes_errors_only_and_changes_no_exit_code(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(TEXT)
    assert dynamoc("check", "graph.yaml", "--quiet", *OPTIONS).err == ""
    assert dynamoc("check", "graph.yaml", "-q", "--deny=warnings", *OPTIONS).code == 1
    Path("graph.yaml").write_text(TEXT.replace("gpu: '8'", "gpu: '1'"))
    for command in ("check", "validate", "render"):
        result = dynamoc(command, "graph.yaml", "-q", *OPTIONS)
        loud = dynamoc(command, "graph.yaml", *OPTIONS)
        assert result.code == loud.code
        assert "warning" not in result.err
        assert result.err.count(": error: ") == loud.err.count(": error: ")


def test_notes_that_ask_for_nothing_are_shown_where_they_are_asked_for(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(graph(worker(gpus=1), name="c" * 35))
    assert "little-room" not in dynamoc("check", "graph.yaml", *OPTIONS).err
    for words in (("--verbose",), ("--deny=advice",), ("--only", "check"), ("-o", "json")):
        result = dynamoc("check", "graph.yaml", *words, *OPTIONS)
        assert "check/little-room" in result.out + result.err, words

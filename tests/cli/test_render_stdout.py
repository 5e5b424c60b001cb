from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, StandIn


@pytest.fixture(autouse=True)
def inputs(dynamoc: Run, stand_in: StandIn) -> None:
    for name, text in {"a": "good a", "b": "good b", "odd": "odd c", "bad": "bad", "empty": "empty"}.items():
        Path(f"{name}.yaml").write_text(text)


def names(text: str) -> list[str]:
    return [item["metadata"]["name"] for item in json.loads(text)["items"]]


def test_json_is_one_list(dynamoc: Run) -> None:
    result = dynamoc("render", "a.yaml", "b.yaml", "-o", "json")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["kind"] == "List"
    assert names(result.out) == ["a", "b"]


def test_yaml_has_a_document_an_object(dynamoc: Run) -> None:
    result = dynamoc("render", "a.yaml", "b.yaml")
    assert result.code == 0
    assert result.out.count("kind: ConfigMap") == 2
    assert "---\n" in result.out


def test_a_refused_input_leaves_stdout_empty(dynamoc: Run) -> None:
    result = dynamoc("render", "a.yaml", "bad.yaml")
    assert (result.code, result.out) == (1, "")
    assert "1 error\n" in result.err


def test_keep_going_renders_the_rest_and_still_fails(dynamoc: Run) -> None:
    result = dynamoc("render", "a.yaml", "bad.yaml", "-o", "json", "--keep-going")
    assert result.code == 1
    assert names(result.out) == ["a"]


def test_warnings_do_not_fail(dynamoc: Run) -> None:
    result = dynamoc("render", "odd.yaml", "-o", "json")
    assert result.code == 0
    assert names(result.out) == ["c"]
    assert "warning:" in result.err


def test_an_empty_result_never_comes_without_a_word(dynamoc: Run) -> None:
    result = dynamoc("render", "empty.yaml")
    assert result.out == ""
    assert "No graph found in empty.yaml." in result.err


def test_validate_prints_the_findings_only(dynamoc: Run) -> None:
    assert dynamoc("validate", "a.yaml").err == "no findings\n0 files, 1 graph\n"
    result = dynamoc("validate", "bad.yaml")
    assert (result.code, result.out) == (1, "")
    assert "error:" in result.err


def test_findings_as_json_are_one_document_even_when_there_are_none(dynamoc: Run) -> None:
    for path, errors in (("a.yaml", 0), ("bad.yaml", 1)):
        for command in ("render", "validate"):
            report = json.loads(dynamoc(command, path, "--findings", "json").err)
            assert (report["format"], report["version"]) == ("dynamoc-findings", 1)
            assert report["counts"]["error"] == errors


def test_findings_for_github(dynamoc: Run) -> None:
    result = dynamoc("validate", "bad.yaml", "--findings", "github")
    assert (
        result.err
        == "::error file=bad.yaml,line=1,col=1,title=test/refused::The stand-in refuses this.\n0 files, 0 graphs\n"
    )


def test_colour_follows_the_option_and_no_color(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in dynamoc("validate", "bad.yaml").err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in dynamoc("validate", "bad.yaml").err
    assert "\x1b[" not in dynamoc("validate", "bad.yaml", "--color", "never").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in dynamoc("validate", "bad.yaml").err
    assert "\x1b[" in dynamoc("validate", "bad.yaml", "--color", "always").err


def test_options_reach_the_compiler(dynamoc: Run, stand_in: StandIn) -> None:
    line = (
        "render a.yaml --target lws --cluster c.yaml -n team --warn=unknown-fields --deny=context --deny=context,pods "
        "--warn=objects --cluster kubernetes=v1.31.2 "
        "--omit=inputs --include=intermediate --include=secrets --operator-config b.yaml "
        "--operator-version v1.0.0"
    )
    Path("c.yaml").write_text("kind: Secret\n")
    assert dynamoc(*line.split()).code == 0
    options = stand_in.options
    assert options is not None
    expected = {
        "operator_version": "v1.0.0",
        "target": "lws",
        "operator_config": "b.yaml",
        "context": ["c.yaml"],
        "namespace": "team",
        "passthrough": False,
        "unknown_fields": "warn",
        "strict_context": True,
        "strict": True,
        "refused_objects": "warn",
        "kube_minor": 31,
        "include_intermediate": True,
        "generate_secrets": True,
    }
    assert {name: getattr(options, name) for name in expected} == expected

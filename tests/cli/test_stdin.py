"""Findings on stdin show their line, though it cannot be read a second time."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Run

GRAPH = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: web}\nspec: {servics: {}}\n"


@pytest.mark.parametrize("command", ["render", "validate"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_line_is_shown(command: str, mark: bytes, dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(mark + GRAPH.encode())))
    result = dynamoc(command, "-")
    assert result.code == 1
    assert "-:4:8: error" in result.err
    assert "\n  4 | spec: {servics: {}}\n" in result.err


GOOD = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Frontend
      type: frontend
      podTemplate: {spec: {containers: [{name: main, image: "x/vllm-runtime:1.4.0"}]}}
"""
FOREIGN = {
    "values": "replicas: 2\nimage: {tag: x}\n",
    "chart": "apiVersion: v2\nname: chat\nversion: 0.1.0\n",
    "bare kustomization": "resources: [graph.yaml]\n",
    "kustomization": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [graph.yaml]\n",
    "list": "- a\n- {name: b}\n",
}


@pytest.fixture
def pipe(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`pipe(text, "render", "-")`."""

    def command(text: str, *argv: str) -> Any:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        return dynamoc(*argv)

    return command


@pytest.mark.parametrize("command", ["render", "validate", "requires"])
@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)
def test_documents_of_other_tools_are_skipped_and_counted(pipe: Run, command: str, foreign: str) -> None:
    alone = pipe(GOOD, command, "-")
    result = pipe(f"{foreign}---\n{GOOD}---\n{foreign}", command, "-")
    assert result.code == 0
    if command == "render":
        assert result.out == alone.out
    lines = foreign.count("\n") + GOOD.count("\n") + 3
    assert (
        f"2 documents are skipped, because nothing in them looks like an object of a cluster: -:1:1, -:{lines}:1."
        in (result.err)
    )
    assert "[skipped/document]" in result.err
    if command == "validate":
        assert result.err.endswith("1 file, 1 graph; 2 documents skipped\n")


def test_what_may_be_an_object_is_judged(pipe: Run) -> None:
    for text, slug in (
        ("metadata: {name: chat}\nspec: {}\n", "read/no-kind"),
        ("kind: DynamoGraphDeployment\n", "read/no-api-version"),
        ("404: page not found", ""),
        ("not found\n", "read/not-an-object"),
        ("a: [1\n", "read/"),
    ):
        result = pipe(text, "render", "-")
        assert result.code == (1 if slug else 0)
        assert f"[{slug}" in result.err


def test_foreign_documents_alone_are_no_graph(pipe: Run) -> None:
    text = "---\n".join(FOREIGN.values())
    result = pipe(text, "validate", "-")
    assert (result.code, "[input/no-graph]" in result.err) == (0, True)
    assert pipe(text, "validate", "-", "--deny=input/no-graph").code == 1
    assert json.loads(pipe(text, "validate", "-", "-o", "json").out)["inputs"]["skipped"] == len(FOREIGN)


HELM = "---\n# Source: chart/templates/a.yaml\n{}---\n# Source: chart/templates/b.yaml\n{}---\n{}"


def helm() -> str:
    bad = GOOD.replace("type: frontend", "typo: frontend")
    return HELM.format(*(bad.replace("chat", name) for name in ("a", "b", "c")))


def test_findings_name_the_object_and_the_template(pipe: Run) -> None:
    text = pipe(helm(), "validate", "-").err
    assert "chart/templates/a.yaml (-:9:7): error: DynamoGraphDeployment/a: The field `typo`" in text
    assert "  also at:  chart/templates/b.yaml (-:19:7) (DynamoGraphDeployment/b)" in text
    # A document without a comment of its own is not of the file before.
    assert "  also at:  -:28:7 (DynamoGraphDeployment/c)" in text


def test_programs_get_the_template(pipe: Run) -> None:
    github = pipe(helm(), "validate", "-", "--findings", "github").err
    assert "::error file=chart/templates/b.yaml,title=schema/unknown-field::DynamoGraphDeployment/b: The" in github
    assert "::error title=schema/unknown-field::DynamoGraphDeployment/c: The" in github
    errors = [item for item in json.loads(pipe(helm(), "validate", "-", "-o", "json").out)["findings"] if item["place"]]
    assert [item["place"].get("source") for item in errors[:3]] == [
        "chart/templates/a.yaml",
        "chart/templates/b.yaml",
        None,
    ]
    assert [item["subject"] for item in errors[:3]] == [f"DynamoGraphDeployment/{name}" for name in "abc"]


def test_syntax_errors_name_the_template_too(pipe: Run) -> None:
    result = pipe("---\n# Source: chart/templates/a.yaml\nkind: [\n", "validate", "-")
    assert result.err.startswith("chart/templates/a.yaml (-:")


def test_stdin_has_the_name_that_it_is_given(pipe: Run) -> None:
    text = pipe(helm(), "validate", "-", "--stdin-filename", "graphs/chat.yaml").err
    assert "graphs/chat.yaml:9:7: error: The field `typo`" in text
    assert "\n  9 |       typo: frontend\n" in text
    github = pipe(helm(), "render", "-", "--stdin-filename", "graphs/chat.yaml", "--findings", "github").err
    assert "::error file=graphs/chat.yaml,line=9,col=7," in github
    explained = pipe(GOOD, "explain", "-", "--stdin-filename", "chat.yaml", "Deployment/chat-frontend", "metadata.name")
    assert "chat.yaml:3" in explained.out


def test_secrets_of_a_stream_stay_hidden(pipe: Run) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: hunter2}\ntypo: {a: {b: hunter2}}\n"
    for options in ((), ("--stdin-filename", "s.yaml")):
        for style in ("text", "github", "json"):
            result = pipe(f"{secret}---\n{helm()}", "validate", "-", "--findings", style, *options)
            assert "hunter2" not in result.err + result.out


@pytest.mark.parametrize("more", [(), ("-o", "json"), ("--output-dir", "out"),
                                  ("--output-dir", "out", "--layout", "per-input")])  # fmt: skip
def test_nothing_to_write_may_be_an_error(pipe: Run, more: tuple[str, ...]) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"
    command = ("render", "-", "--deny=output/empty", *more)
    if "per-input" not in more:
        assert pipe(text, *command).code == 0
        assert pipe(text, *command, "--deny=input/no-graph").code == 1
    assert pipe(GOOD, *command, "--deny=input/no-graph").code == 0
    before = sorted(Path().rglob("*"))
    for empty in (text, "", FOREIGN["values"]):
        result = pipe(empty, *command, "--omit=inputs")
        assert (result.code, result.out) == (1, "")
        assert "The output contains no object. [output/empty]" in result.err
    assert sorted(Path().rglob("*")) == before
    # What is wrong with the input says it all.
    assert "output/empty" not in pipe(GOOD.replace("type:", "typo:"), *command).err

"""`# dynamoc: ignore NAME: reason`."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamoc.analysis.check.selection import ignores_in
from tests.check.graphs import OPTIONS, slugs
from tests.cli.conftest import Run

GRAPH = """\
# first
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Worker  # inline
      type: worker
      podTemplate:
        spec:
          # pod
          containers:
          - name: main
            image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
          - name: proxy
            # above
            image: envoyproxy/envoy
          - name: other
            image: busybox
    - name: Second
      type: worker
      podTemplate: {spec: {containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}]}}
"""
FOUND = "check/floating-image"


def commented(mark: str, names: str = FOUND, reason: str = ": the mirror pins it") -> str:
    return GRAPH.replace(mark, f"# dynamoc: ignore {names}{reason}")


def check(dynamoc: Run, text: str, *words: str) -> tuple[list[str], str]:
    Path("graph.yaml").write_text(text)
    report = dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS, *words)
    said = dynamoc("check", "graph.yaml", *OPTIONS, *words)
    assert said.code == report.code
    return slugs(report.out), said.err


@pytest.mark.parametrize(("mark", "left"), [("# above", 1), ("# pod", 0), ("# first", 0), ("# inline", 2)])
def test_a_comment_counts_for_what_it_stands_above(mark: str, left: int, dynamoc: Run) -> None:
    found, said = check(dynamoc, commented(mark))
    assert found.count(FOUND) == left
    if left < 2:
        assert "ignored check/floating-image: the mirror pins it" in said
    else:
        assert "check/useless-comment" in found


def test_on_the_line(dynamoc: Run) -> None:
    text = GRAPH.replace("envoyproxy/envoy", "envoyproxy/envoy  # dynamoc: ignore check: any")
    assert check(dynamoc, text)[0] == [FOUND]


@pytest.mark.parametrize(
    ("names", "reason", "says"),
    [
        (FOUND, "", "gives no reason"),
        (FOUND, ":  ", "gives no reason"),
        ("check/floating", ": x", "`check/floating` is not the name of a finding"),
        ("", ": x", "names no finding"),
        ("check/idle-gpus", ": x", "there is no check/idle-gpus here"),
    ],
)
def test_a_comment_that_does_nothing_is_a_finding(names: str, reason: str, says: str, dynamoc: Run) -> None:
    found, said = check(dynamoc, commented("# above", names, reason))
    assert sorted(found) == [FOUND, FOUND, "check/useless-comment"]
    assert says in said


def test_what_the_operator_rejects_is_no_matter_of_taste(dynamoc: Run) -> None:
    text = GRAPH.replace("type: worker", "type: worker\n      nonsense: 1  # dynamoc: ignore schema: I like it", 1)
    Path("graph.yaml").write_text(text)
    result = dynamoc("check", "graph.yaml", *OPTIONS, "--allow", "schema")
    assert result.code == 1
    assert "schema/unknown-field" in result.err
    assert "check/useless-comment" in result.err


@pytest.mark.parametrize(
    "text",
    [
        'a: "# dynamoc: ignore check: x"\n',
        "a: |\n  # dynamoc: ignore check: x\n",
        "a: x# dynamoc: ignore check: x\n",
        "- 'x\n  # dynamoc: ignore check: x'\n",
    ],
)
def test_texts_are_no_comments(text: str) -> None:
    assert ignores_in("a.yaml", text) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1 # dynamoc: ignore check: x\nb: 2\n", (1, 1)),
        ("a:\n  # dynamoc: ignore check: x\n  b:\n    c: 1\n\n    d: 2\n  e: 1\n", (3, 6)),
        ("a: 0\n# dynamoc: ignore check: x\nb:\n- c\n- d\ne: 1\n", (3, 5)),
        ("a:\n# dynamoc: ignore check: x\n- c: 1\n  d: 2\n- e\n", (3, 4)),
        ("# dynamoc: ignore check: x\na: 1\nb: 2\n---\nc: 3\n", (2, 3)),
        ("a: 1\n---\n# dynamoc: ignore check: x\n# more\nb: 2\nc: 2\n", (5, 6)),
        ("a: 1\n# dynamoc: ignore check: x\n", (2, 2)),
        ("# dynamoc: ignore check: x\r\na: 1\r\nb: 2\r\n", (2, 3)),
    ],
)
def test_the_lines_of_a_comment(text: str, lines: tuple[int, int]) -> None:
    [ignore] = ignores_in("a.yaml", text)
    assert (ignore.first, ignore.last if not text.endswith("\n") else min(ignore.last, text.count("\n"))) == lines
    assert (ignore.names, ignore.reason) == (["check"], "x")

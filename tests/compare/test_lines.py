"""Changes in long texts: compared first, cut afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.analysis.compare.result import CHANGED, Change, two_lines
from dynamoc.analysis.compare.text import change_lines
from tests.cli.conftest import Run

LONG = "python3 -m dynamo.vllm --model Qwen/Qwen3-235B-A22B --tensor-parallel-size 8 --gpu-memory-utilization 0.9 "
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: web, namespace: team}}
spec:
  services:
    Worker:
      componentType: worker
      envs: [{{name: EXTRA, value: "{value}"}}]
      extraPodSpec:
        mainContainer: {{image: "x/vllm-runtime:1.0.0", command: [sh, -c], args: ["{command}"]}}
"""


def lines(old: object, new: object) -> list[str]:
    return [sign + text for sign, text in change_lines("Deployment", Change(("spec", "x"), CHANGED, old, new))]


def test_what_is_appended_to_a_long_command_is_shown(dynamoc: Run) -> None:
    Path("old.yaml").write_text(GRAPH.format(command=LONG + "--port 1", value=LONG + "a"))
    Path("new.yaml").write_text(GRAPH.format(command=LONG + "--port 1 --trust-remote-code", value=LONG + "b"))
    out = dynamoc("diff", "old.yaml", "new.yaml", "--target", "grove", "--operator-version", "1.0").out
    rows = [row.strip() for row in out.splitlines()]
    start = rows.index("spec.template.cliques[worker].spec.podSpec.containers[main].args:")
    assert rows[start + 1][:5] == "-   ."
    assert rows[start + 1].endswith("--gpu-memory-utilization 0.9 --port 1")
    assert rows[start + 2].endswith("--port 1 --trust-remote-code")
    start = rows.index("spec.template.cliques[worker].spec.podSpec.containers[main].env[EXTRA].value:")
    assert [row[-5:] for row in rows[start + 1 : start + 3]] == ["0.9 a", "0.9 b"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LONG * 2 + "a" + LONG * 2, LONG * 2 + "b" + LONG * 2),
        ("a" + LONG * 2, "b" + LONG * 2),
        (LONG * 2, LONG * 2 + "b"),
        (LONG * 2 + "1", LONG + "2" + LONG + "3"),
        ([LONG], ["short", LONG + "b"]),
        (LONG + "\n" + LONG, LONG + "\n" + LONG + "b"),
    ],
)
def test_both_sides_differ_and_stay_short(old: object, new: object) -> None:
    rows = [row for row in lines(old, new) if row[0] in "+-"]
    texts = [row[1:] for row in rows]
    assert len(set(texts)) == len(texts) >= 2
    assert all(len(text) <= 102 for text in texts)
    assert {row[0] for row in rows} == {"+", "-"}


def test_short_values_share_a_line() -> None:
    assert lines("a", "b") == [" spec.x: a -> b"]
    assert lines(1, "1") == [' spec.x: 1 -> "1"']
    assert lines("a\u200b", "a\u200c") == [" spec.x: a\\u200b -> a\\u200c"]


def test_lines_that_do_not_fit_are_counted() -> None:
    rows = lines([str(n) for n in range(50)], [])
    assert rows[-1] == "   ... and 10 more lines"


@settings(deadline=None, max_examples=300)
@given(st.text("ab", max_size=300), st.text("ab", max_size=300))
def test_what_differs_never_looks_the_same(old: str, new: str) -> None:
    left, right = two_lines("x" + old, "x" + new)
    assert (left == right) == (old == new)
    assert max(len(left), len(right)) <= 100

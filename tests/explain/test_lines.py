"""Which fields a line of the input has to do with."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamoc.compiler.explain.input_line import fields_on
from dynamoc.documents.findings.finding import Findings, format_path
from dynamoc.documents.source.files import read_paths
from tests.explain.conftest import Run

TEXT = """\
# a comment
a: &base
  script: |
    one

    three
  folded: >-
    some words
    more words
  quoted: "first
    second"
  list:
  - x: 1   # one

  - {x: 2, z: 3}
b:
  <<: *base
  own: yes
c:
  own: 1
  <<: {more: 2}
d: [*base,
  5]
"""


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (1, []),
        (3, ["a.script", "b.script", "d[0].script"]),
        (5, ["a.script", "b.script", "d[0].script"]),
        (6, ["a.script", "b.script", "d[0].script"]),
        (8, ["a.folded", "b.folded", "d[0].folded"]),
        (9, ["a.folded", "b.folded", "d[0].folded"]),
        (11, ["a.quoted", "b.quoted", "d[0].quoted"]),
        (13, ["a.list[0].x", "b.list[0].x", "d[0].list[0].x"]),
        (14, []),
        (17, ["b.script", "b.folded", "b.quoted", "b.list[0].x", "b.list[1].x", "b.list[1].z"]),
        (18, ["b.own"]),
        (21, ["c.more"]),
        (23, ["d[1]"]),
    ],
)
def test_fields_of_lines(tmp_path: Path, line: int, fields: list[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(f"apiVersion: v1\nkind: ConfigMap\n{TEXT}")
    [document] = read_paths([str(file)], Findings())
    text = TEXT.split("\n")[line - 1]
    assert [format_path(path) for path in fields_on(document, line + 2, text)] == fields


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("graph.yaml:99",), "graph.yaml has 34 lines, so line 99 does not exist"),
        (("graph.yaml:0",), "so line 0 does not exist"),
        ((".:3",), ". is a directory"),
        (("graph.yaml", "pcs/wep"), "did you mean podcliqueset/web?"),
        (("graph.yaml", "pcs", "spec.template.cliques[frontent].name"), "did you mean frontend?"),
        (("graph.yaml", "pcs", "spec.replicas.x"), "the value before `x` has no fields"),
    ],
)
def test_wrong_lines_and_names_are_wrong_usage(dynamoc: Run, words: tuple[str, ...], said: str) -> None:
    result = dynamoc("explain", *words, "--target", "grove")
    assert result.code == 2
    assert said in result.err


def test_namespaces_tell_objects_of_one_name_apart(dynamoc: Run) -> None:
    text = Path("graph.yaml").read_text()
    other = text.replace("name: web\n", "name: web\n  namespace: other\n")
    Path("graph.yaml").write_text(f"{text}---\n{other}")
    assert "podcliqueset/other/web" in dynamoc("explain", "graph.yaml", "pcs", "--target", "grove").err
    result = dynamoc("explain", "graph.yaml", "pcs/other/web", "metadata.namespace", "--target", "grove")
    assert "graph.yaml:40:" in result.out

"""Text, unified diff, Markdown and JSON of a comparison."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.analysis.blocks import code, escaped, plain_text
from dynamoc.analysis.compare.answer import ComparisonAnswer, comparison_answer
from dynamoc.analysis.compare.text import comparison_blocks, comparison_markdown
from dynamoc.analysis.compare.unified import object_diff, unified
from dynamoc.documents.findings.answers import answer_text, plain
from tests.compare.conftest import Tree, compared, item


def deployment(env: list[Tree], **more: object) -> Tree:
    return item(
        "Deployment", spec={"replicas": 1, "template": {"spec": {"containers": [{"name": "main", "env": env, **more}]}}}
    )


def test_text_names_object_effect_field_and_total() -> None:
    old, new = deployment([{"name": "A", "value": "1"}]), deployment([{"name": "A", "value": "2"}])
    text = plain_text(comparison_blocks(compared([old], [new])))
    assert text == (
        "~ Deployment/a (team)  rolls pods: 1 pod restarts\n"
        '      spec.template.spec.containers[main].env[A].value: "1" -> "2"\n'
        "\n"
        "1 of 1 object differs: 1 rolls pods; 1 pod restarts\n"
    )


def test_arguments_are_told_one_by_one() -> None:
    old, new = deployment([], args=["--model", "m"]), deployment([], args=["--model", "m", "--tp", "2"])
    rows = plain_text(comparison_blocks(compared([old], [new]))).splitlines()[1:5]
    assert [row.split() for row in rows] == [
        ["spec.template.spec.containers[main].args:"],
        ["+", "--tp"],
        ["+", '"2"'],
        [],
    ]


def test_the_content_of_secrets_stays_secret() -> None:
    found = compared([item("Secret", data={"key": "old-key"})], [item("Secret", data={"key": "new-key"})])
    everything = (
        plain_text(comparison_blocks(found))
        + unified(found)
        + comparison_markdown(found, "t")
        + answer_text(comparison_answer(found, ComparisonAnswer))
    )
    assert "old-key" not in everything
    assert "new-key" not in everything
    assert "data.key" in everything


def test_text_does_not_steer_the_terminal() -> None:
    found = compared([item(data={"a": "x"})], [item(data={"a": "\x1b[31mred"})])
    assert "\x1b" not in plain_text(comparison_blocks(found))


def test_unified_shows_only_what_differs_in_lists() -> None:
    one, two, three = ({"name": name, "value": name} for name in "ABC")
    found = compared([deployment([one, two])], [deployment([three, two, one])])
    rows = [row for row in unified(found).splitlines() if row[:1] in "+-"]
    assert rows[2:] == ["+        - name: C", "+          value: C"]


def test_unified_leaves_out_what_is_ignored() -> None:
    old, new = item(data={"a": "1", "b": "1"}), item(data={"a": "2", "b": "2"})
    text = unified(compared([old], [new], ignores=["data.b"]))
    assert '-  a: "1"\n+  a: "2"' in text
    assert "-  b" not in text


quick = settings(max_examples=60)
SMALL = st.recursive(
    st.integers(0, 2) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "env", "labels", "verbs", "x"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@quick
@given(SMALL, SMALL)
def test_a_difference_shows_in_the_unified_diff(old: object, new: object) -> None:
    found = compared([item(data=old)], [item(data=new)])
    for entry in found.objects:
        shown = object_diff(entry)
        assert bool(shown) == any(change.how != "reordered" for change in entry.changes)


@pytest.mark.parametrize("limit", [1000, 5000, 65_536])
def test_markdown_keeps_within_the_limit_and_says_so(limit: int) -> None:
    old = [item(name=f"c{number}", data={"a": "1" * 400}) for number in range(300)]
    new = [item(name=f"c{number}", data={"a": "2" * 400}) for number in range(300)]
    text = comparison_markdown(compared(old, new), "title", limit)
    assert len(text) <= limit
    if "to stay within" in text:
        assert f"{300 - text.count('<details>')} objects left out" in text
    else:
        assert f"{300 - text.count('| `ConfigMap')} rows of the table and all details are left out" in text
    assert len(comparison_markdown(compared(old, new), "title", 1_000_000)) > 65_536


def test_an_object_that_is_too_long_does_not_keep_out_those_behind_it() -> None:
    sizes = {"a": 3, "b": 9000, "c": 3}
    old, new = ([item(name=name, data={"x": char * size}) for name, size in sizes.items()] for char in "12")
    text = comparison_markdown(compared(old, new), "title", 4000)
    assert [text.count(f"<code>ConfigMap/{name}") for name in sizes] == [1, 0, 1]
    assert "1 object left out" in text


def test_names_do_not_break_the_table() -> None:
    text = comparison_markdown(compared([], [item(name="a|b`c")]), "a_b|c")
    assert "| `` ConfigMap/a\\|b`c (team) `` | added |" in text
    assert "### a\\_b\\|c" in text


def test_markdown_closes_what_it_opens() -> None:
    found = compared([item(data={"a": "```\nx"})], [item(data={"a": "````\ny"})])
    text = comparison_markdown(found, "title")
    assert "`````diff" in text
    assert text.count("<details>") == text.count("</details>") == 1


@quick
@given(st.text(alphabet="a`*_[]<>|@#!~\\\n", max_size=20))
def test_escaped_text_is_inert(text: str) -> None:
    safe = escaped(text)
    assert "\n" not in safe
    plain = safe
    for char in "\\`*_[]<>|@#!~":
        plain = plain.replace("\\" + char, "")
    assert plain.strip("a {}") == ""
    assert code(text).strip("`").strip(" ") == text.replace("\n", " ").strip(" ") or "`" in text


def test_json_has_what_programs_need() -> None:
    old, new = deployment([{"name": "A", "value": "1"}]), deployment([{"name": "A", "value": "2"}])
    record = plain(comparison_answer(compared([old], [new]), ComparisonAnswer))
    [changed] = record["objects"]
    assert changed["changes"][0]["path"] == [
        "spec",
        "template",
        "spec",
        "containers",
        {"name": "main"},
        "env",
        {"name": "A"},
        "value",
    ]
    assert record["summary"]["effects"]["rolls"] == 1
    assert record["summary"]["restarted"] == {"pods": 1, "gpus": 0}
    assert json.loads(json.dumps(record)) == record

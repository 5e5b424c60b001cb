"""How texts look after a change: comments, line ends and everything beside the entry stay."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.analysis.fixed_text import entries
from dynamoc.analysis.fixes import apply, attach
from dynamoc.documents.findings.edits import Change, Edit, Fix
from dynamoc.documents.findings.finding import Finding, Place

REMOVE = Change("remove")


def changed(text: str, path: tuple[Any, ...], change: Change, *, key: bool = True) -> str | None:
    """The text after a change at a path; None where there is no fix."""
    [entry] = [each for each in entries(text) if each.path == path]
    offset = entry.start if key else entry.value.start
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    place = Place("a.yaml", before.count("\n") + 1, len(before) - before.rfind("\n"))
    finding = Finding("schema/type", "Wrong.", place=place, path=path, change=change)
    attach([finding], lambda _: text)
    return None if finding.fix is None else apply(text, [finding.fix])[0]


@pytest.mark.parametrize(
    ("text", "path", "right"),
    [
        ("a: 1\nb: 2\n", ("a",), "b: 2\n"),
        ("a: 1\nb: 2\n", ("b",), "a: 1\n"),
        ("a: 1\nb: 2", ("b",), "a: 1\n"),
        ("a: 1\r\nb: 2 # x\r\nc: 3\r\n", ("b",), None),
        ("# a\na: 1 # one\n# b\nb:\n  # c\n  c: 2\n\n# d\nd: 1\n", ("b",), None),
        ("a: |\n  text\n\n# b\nb: 2\n", ("a",), "\n# b\nb: 2\n"),
        ("a: 'one\n  two'\nb: 2\n", ("a",), "b: 2\n"),
        ("a:\nb: 2\n", ("a",), "b: 2\n"),
        ("- a: 1\n  b: 2\n", (0, "a"), "- b: 2\n"),
        ("- a: 1 # x\n  # about b\n  b: 2\n", (0, "a"), None),
        ("- a: 1\n  b: 2\n", (0, "b"), "- a: 1\n"),
        ("- - a: 1\n    b: 2\n", (0, 0, "a"), "- - b: 2\n"),
        ("a:\n- b\n- c # x\n- d\n", ("a", 1), None),
        ("a:\n  - b: 1\n    c: 2\n  - d\n", ("a", 0), "a:\n  - d\n"),
        ("a:\n  b: 1\nc: 2\n", ("a", "b"), "a: {}\nc: 2\n"),
        ("a:\n  - b\nc: 2\n", ("a", 0), "a: []\nc: 2\n"),
        ("- a: 1\n", (0, "a"), "- {}\n"),
        ("{a: 1, b: 2}\n", ("a",), "{b: 2}\n"),
        ("{a: 1, b: 2}\n", ("b",), "{a: 1}\n"),
        ("{a: 1, b: 2, }\n", ("b",), "{a: 1, }\n"),
        ("a: {b: 1} # c\n", ("a", "b"), "a: {} # c\n"),
        ("a: [1, 2, 3]\n", ("a", 1), "a: [1, 3]\n"),
        ('{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n', ("b",), '{\n  "a": 1\n}\n'),
        ("{a: , b: 1}\n", ("a",), "{b: 1}\n"),
        ("---\n# empty\n---\na: 1\nb: 2\n---\nc: 3\n", ("b",), "---\n# empty\n---\na: 1\n---\nc: 3\n"),
        # a comment would be lost, or another place changed as well
        ("a: # x\n  b: 1\nc: 2\n", ("a", "b"), None),
        ("{a: 1, # x\n b: 2}\n", ("a",), None),
        ("a: &x 1\nb: *x\n", ("a",), None),
        ("a: &x {b: 1, c: 2}\nd: *x\n", ("a", "b"), None),
        ("a: !!str 1\nb: 2\n", ("a",), None),
        ("a: 1\n", ("a",), None),
        ("? a\n: 1\n? b\n: 2\n", ("a",), None),
    ],
)
def test_removal(text: str, path: tuple[Any, ...], right: str | None) -> None:
    assert changed(text, path, REMOVE) == right


@pytest.mark.parametrize(
    ("text", "path", "change", "right"),
    [
        ("a: 1 # x\n", ("a",), Change("rename", "b"), "b: 1 # x\n"),
        ('{"a": 1}\n', ("a",), Change("rename", "b"), '{"b": 1}\n'),
        ("'a' : 1\n", ("a",), Change("rename", "b"), "'b' : 1\n"),
        ("a: 1\nb: 2\n", ("a",), Change("rename", "b"), None),
        ("a:\n  - {c: 1}\n", ("a", 0, "c"), Change("rename", "d"), "a:\n  - {d: 1}\n"),
        ("a: 010  # x\n", ("a",), Change("quote"), 'a: "010"  # x\n'),
        ("a: [1.10, yes]\n", ("a", 1), Change("quote"), 'a: [1.10, "yes"]\n'),
        ("a: >\n  1\n", ("a",), Change("quote"), None),
        ("a: x\n", ("a",), Change("list"), "a: [x]\n"),
        ("a: 'x,y'\n", ("a",), Change("list"), "a: ['x,y']\n"),
        ("a: --x\n", ("a",), Change("list"), 'a: ["--x"]\n'),
        ("a: x\n", ("a",), Change("write", "z", "x"), "a: z\n"),
        ("a: x\n", ("a",), Change("write", "y", "z"), None),
        ("a: 'x'\n", ("a",), Change("write", "y", "x"), "a: 'y'\n"),
        ('a: "x"\n', ("a",), Change("write", "y", "x"), 'a: "y"\n'),
        ("a: x\n", ("a",), Change("write", "no", "x"), 'a: "no"\n'),
        ('a: "5"\n', ("a",), Change("write", 5, "5"), "a: 5\n"),
        ("a: 'yes'\n", ("a",), Change("write", True, "yes"), "a: true\n"),
        ("a: 64 gi\n", ("a",), Change("write", "64Gi", "64 gi"), "a: 64Gi\n"),
        ("a: 4 cpus\n", ("a",), Change("write", "4", "4 cpus"), 'a: "4"\n'),
        ("a: &x 1\n", ("a",), Change("quote"), None),
    ],
)
def test_values_and_keys(text: str, path: tuple[Any, ...], change: Change, right: str | None) -> None:
    assert changed(text, path, change) == right


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_other_systems(end: str) -> None:
    text = f"a: 1{end}b:{end}  c: yes{end}"
    assert changed(text, ("b", "c"), Change("quote")) == f'a: 1{end}b:{end}  c: "yes"{end}'


def test_line_ends_that_only_yaml_counts() -> None:
    text = "a: 'x\u2028y'\nb: yes\n"
    assert changed(text, ("b",), Change("quote")) == "a: 'x\u2028y'\nb: \"yes\"\n"


def test_positions_are_those_of_editors() -> None:
    finding = Finding("schema/type", "Wrong.", place=Place("a", 2, 6), path=("a", "b"), change=Change("quote"))
    attach([finding], lambda _: "a:\n  b: yes # x\n")
    assert finding.fix == Fix("Put the value of `b` in quotes", (Edit("a", 2, 6, 2, 9, '"yes"', 8, 11),))


def test_a_text_with_errors_has_no_fix() -> None:
    for text in ("a: yes\nb: [\n", "a: yes\na: 2\n"):
        finding = Finding("schema/type", "Wrong.", place=Place("a", 1, 4), path=("a",), change=Change("quote"))
        attach([finding], lambda _, text=text: text)  # type: ignore[misc]
        assert finding.fix is None


def test_edits_that_overlap_wait() -> None:
    one, other = Edit("a", 1, 1, 1, 4, "", 0, 3), Edit("a", 1, 3, 1, 5, "x", 2, 4)
    assert apply("abcdef", [Fix("One", (one,)), Fix("Other", (other,))]) == ("def", 1)
    assert apply("abcdef", [Fix("One", (one,)), Fix("Again", (one,))]) == ("def", 2)


_VALUES = st.recursive(
    st.sampled_from(["a", "x y", "yes", "1.10", "", "two\nlines\n", "# none", 7, True, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abcd"), _VALUES, min_size=2), st.booleans(), st.integers(0, 1000))
def test_what_is_beside_an_entry_stays(value: dict[str, Any], flow: bool, number: int) -> None:
    """Comments on lines of their own stay, but for those inside of what is removed; so do all other values."""
    lines = yaml.safe_dump(value, default_flow_style=flow, sort_keys=False).split("\n")
    text = "".join(f"# {at}\n{line}\n" for at, line in enumerate(lines)) if not _has_text(value) else "\n".join(lines)
    found = entries(text)
    entry = found[number % len(found)]
    right = changed(text, entry.path, REMOVE) if entry.path else None
    if right is None:
        return
    inside = text[entry.start : entry.value.end]
    kept = [line for line in text.split("\n") if line.startswith("# ") and line not in inside.split("\n")]
    assert [line for line in kept if line not in right.split("\n")] == []
    assert yaml.safe_load(right) == _without(yaml.safe_load(text), entry.path)


def _has_text(value: Any) -> bool:
    """Whether a text goes over several lines, in which a comment is text."""
    if isinstance(value, dict | list):
        return any(map(_has_text, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and ("\n" in value or value == "# none")


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    return value

"""Packed marks say of every place what nested ones do, and no text that repeats values has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml.error import YAMLError
from yaml.events import StreamEndEvent

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source import compose as compose_compose
from dynamoc.documents.source.compose import _Composer, _may_repeat, _Packing, compose
from dynamoc.documents.source.document import Document, PackedMarks, Report, Unreadable
from dynamoc.documents.source.events import EventParser

ROOT = Path(__file__).parents[2]
PARTS = ("a: 1", "b", "- c", ": ", "&x ", "*x", "<<: ", "\n", "  ", "{", "}", "[", "]", ", ", '"', "'", "|\n", "#")
PIECES = [
    *PARTS,
    "!!str ",
    "---\n",
    "1.10",
    "yes",
    "é🎈",
    "\u2028",
    "? ",
    "<<EOF",
    "a && b",
    "a: 2",
    "~",
    "&y",
    "!merge",
]


def read(text: str, composer: Any) -> tuple[list[Any], list[Any]]:
    """Values with their marks, and what is wrong, as one of the composers has it."""
    findings, found = Findings(), []
    before = compose_compose._may_repeat
    compose_compose._may_repeat = lambda _: composer is _Composer
    try:
        found = list(compose(text, Report("a.yaml", findings)))
    except (Unreadable, YAMLError) as end:
        findings.texts["end"] = str(getattr(end, "finding", end)).encode()
    finally:
        compose_compose._may_repeat = before
    told = [(item.slug, str(item.place), item.message, list(map(str, item.related))) for item in findings.items]
    return found, told


def plain(marks: Any) -> Any:
    """Marks as plain data."""
    if isinstance(marks, dict):
        own = {key: (plain(pair[0]), plain(pair[1])) for key, pair in marks.items() if key is not None}
        return {**own, None: plain(marks[None])}
    if isinstance(marks, list):
        return list(map(plain, marks))
    return (marks.line, marks.column, getattr(marks, "text", None))


def paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Every path of a value, and for each one that leads on to nothing."""
    yield path
    yield (*path, "nowhere")
    yield (*path, 99)
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in parts:
        yield from paths(item, (*path, key))


def assert_same(text: str) -> None:
    nested, packed = read(text, _Composer), read(text, _Packing)
    assert nested[1] == packed[1]
    assert [value for value, _ in nested[0]] == [value for value, _ in packed[0]]
    for (value, marks), (_, places) in zip(nested[0], packed[0], strict=True):
        assert isinstance(places, PackedMarks)
        assert plain(places.nested()) == plain(marks)
        document = Document(value, "a.yaml", 0, marks)
        for path in paths(value):
            for key in (False, True):
                mark = places.at(path, key=key)
                place = document.place(path, key=key)
                assert (place.line, place.column) == (mark.line + 1, mark.column + 1), path


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.yaml")), ids=lambda path: path.name)
def test_of_the_examples(path: Path) -> None:
    assert_same(path.read_text())


def test_of_scalars_keys_and_faults() -> None:
    for text in (
        "a: 1.10\nb: yes\nc: 0755\nd: ~\ne:\nf: 'x'\ng: !!str 1\n1: 2\n",
        "- [1, {a: b}, []]\n- {}\n- |\n  text\n  text\n",
        "a: 1\nb: 2\na: 3\nb: 4\na: 5\n",
        "x: {a: 1, a: 2}\n---\ny: 1\n---\n",
        "? [a]\n: b\n",
        "a: *b\n",
        "a: !odd b\n",
        "a: .nan\n",
        "é: 🎈\n\u2028b: c\n",
        "",
        "word\n",
    ):
        assert_same(text)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_of_any_text_without_anchors_and_merges_and_no_other_is_taken_for_one(text: str) -> None:
    if not _may_repeat(text):
        assert not repeats(text)
        assert_same(text)


def repeats(text: str) -> bool:
    """Whether a text has an anchor, or a key that may merge, as far as it can be read."""
    parser = EventParser(text)
    try:
        while (event := parser.get_event()).__class__ is not StreamEndEvent:
            is_alias = event.__class__.__name__ == "AliasEvent"
            if getattr(event, "anchor", None) is not None and not is_alias:
                return True
            if getattr(event, "value", None) == "<<" and (event.implicit[0] or str(event.tag).endswith("merge")):
                return True
    except YAMLError:
        pass
    return False


def test_shell_texts_do_not_look_like_anchors_and_merges() -> None:
    assert not _may_repeat("args:\n- |\n  a && b & c >&2 2>&1\n  cat <<EOF > x\n  EOF\n  cat <<'EOF'\n  EOF\n")
    for text in ("a: &b c\n", "&a\nb: c\n", "[&a b]\n", "{a: b, &c d: e}\n", "a:\n  <<: {b: c}\n", "<< : {a: b}\n"):
        assert _may_repeat(text)


def test_marks_become_nested_where_many_ask() -> None:
    ((value, marks),) = read("a: {b: 1}\nc: [2]\n", _Packing)[0]
    document = Document(value, "a.yaml", 0, marks)
    for _ in range(9):
        assert str(document.place(("a", "b"))) == "a.yaml:1:8"
        assert str(document.place(("c", 0), key=True)) == "a.yaml:2:5"
    assert not isinstance(document.shared_marks, PackedMarks)
    assert document.spelling(("a", "b")) is None

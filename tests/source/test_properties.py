from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dynamoc.documents.source.document import Document
from tests.source.reading import read, same, values
from tests.source.test_places import paths_of


def objects(characters: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """JSON objects. Integers beyond 64 bits are floats in Go, so there are none."""
    keys = st.text(characters, max_size=5)
    integers = st.integers(-(2**63), 2**64 - 1)
    floats = st.floats(allow_nan=False, allow_infinity=False)
    scalars = st.none() | st.booleans() | integers | floats | st.text(characters)
    values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4))
    return st.dictionaries(keys, values, max_size=4)


any_character = st.characters(exclude_categories=["Cs"])
# What JSON writes as it stands, or as one escape that YAML knows, too.
common_character = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"], exclude_characters="\x7f")
yaml_pieces = st.sampled_from(
    [
        *"ay1-?:,[]{}&*!|>'\"%@`#~.=< \t\n\r\\",
        "- ",
        ": ",
        "\n  ",
        "? ",
        "<<: ",
        "&a ",
        "*a",
        "!!int ",
        "---\n",
        "...\n",
        "\\x",
        "\ufeff",
        "é",
    ]
)


def close(left: Any, right: Any) -> bool:
    """Equal, where a large whole float may be the integer of its shortest digits."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(close(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(close, left, right))
    if isinstance(right, float) and isinstance(left, int):
        return float(left) == right and right.is_integer()
    return same(left, right)


@given(objects(any_character), st.sampled_from([None, 1, "\t"]), st.booleans())
@example({"a": 1e16}, None, True)
@example({"a": "\x85\u2028\ufeff\x7f\U0001f600"}, "\t", False)
def test_json_reads_back(value: dict[str, Any], indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    (found,) = values(text, "f.json")
    assert close(found, value)
    assert list(found) == list(value)


@given(objects(common_character))
def test_json_is_yaml_behind_a_comment(value: dict[str, Any]) -> None:
    text = json.dumps({"a": value})
    (found,) = values(f"# no JSON\n{text}")
    assert close(found, {"a": value})


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_place(data: bytes) -> None:
    judge(data)


@given(st.lists(yaml_pieces, max_size=25).map("".join))
@settings(max_examples=500)
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    judge(text.encode())
    judge(f"apiVersion: v1\nkind: A\n{text}".encode())


def judge(data: bytes) -> None:
    documents, findings = read(data)
    for finding in findings:
        assert finding.slug.startswith("read/")
        assert finding.place is not None
        assert finding.place.line >= 1
        assert finding.place.column >= 1
    for document in documents:
        assert isinstance(document.value, dict)
        assert_places(document)
        json.dumps(document.value, allow_nan=False).encode()
    once_more, _ = read(data)
    assert [item.value for item in once_more] == [item.value for item in documents]


def assert_places(document: Document) -> None:
    """Each value has a place of its own in the marks."""
    for path, _ in paths_of(document.value):
        place = document.place(path)
        assert place.line >= 1
        assert place.column >= 1

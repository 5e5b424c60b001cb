from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dynamoc.source.document import Document
from tests.source.reading import read, same, values
from tests.source.test_places import paths_of

# JSON's integers beyond 64 bits are floats in Go.
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
trees = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4))
objects = st.dictionaries(keys, trees, max_size=4)
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


def go(value: Any) -> Any:
    """A JSON value as Go's JSON numbers have it: whole floats are integers, up to 1e21."""
    if isinstance(value, dict):
        return {key: go(item) for key, item in value.items()}
    if isinstance(value, list):
        return [go(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value) if abs(value) < 2**53 else int(f"{value:.0f}") if float(int(value)) != value else None
    return value


def close(left: Any, right: Any) -> bool:
    """Equal, where a large whole float may be the integer of its shortest digits."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(close(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(close, left, right))
    if isinstance(right, float) and isinstance(left, int):
        return float(left) == right and right.is_integer()
    return same(left, right)


@given(objects, st.sampled_from([None, 1, "\t"]), st.booleans())
@example({"a": 1e16}, None, True)
@example({"a": "\x85\u2028\ufeff\x7f\U0001f600"}, "\t", False)
def test_json_reads_back(value: dict[str, Any], indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    (found,) = values(text, "f.json")
    assert close(found, value)
    assert list(found) == list(value)


@given(objects)
@settings(max_examples=50)
def test_an_object_reads_the_same_as_yaml(value: dict[str, Any]) -> None:
    """JSON below a key of YAML, escaped for it."""
    text = json.dumps({"a": value}).replace("\\u", "\\u")
    if "\\ud" in text:
        return
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

from __future__ import annotations

import pytest

from tests.source.reading import HEAD, read, told, values


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    assert values("a: é😀\n".encode(encoding)) == [{"a": "é😀"}]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_marks(encoding: str) -> None:
    assert values("\ufeffa: é\n".encode(encoding)) == [{"a": "é"}]


@pytest.mark.parametrize(
    ("data", "slug", "place"),
    [
        (b"a: 1\nb: \xc3\xa9\xe9\n", "read/encoding", "2:5"),
        (b"\xff", "read/encoding", "1:1"),
        (b"\xed\xa0\x80", "read/encoding", "1:1"),
        (b"\xff\xfea", "read/encoding", "1:1"),
        (b"\xff\xfe\x00\xd8", "read/encoding", "1:1"),
        ("a: 1".encode("utf-16-le"), "read/character", "1:2"),
        (("\ufeff" + HEAD + "---\n" + HEAD).encode("utf-16-le"), "read/encoding", "1:1"),
    ],
)
def test_what_is_no_text(data: bytes, slug: str, place: str) -> None:
    assert told(data) == [(slug, place)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    text = f"{HEAD}a: |\n  b\n  c\nd: 1\nd: 2\n".replace("\n", end)
    documents, (finding,) = read(text)
    assert str(finding.place) == "f.yaml:7:1"
    documents, _ = read(text.replace("d: 2", "e: 2"))
    assert documents[0].value["a"] == "b\nc\n"


def test_a_mark_inside_a_value_is_text() -> None:
    assert values("a: \ufeffb\n") == [{"a": "\ufeffb"}]


def test_a_mark_at_the_start_counts_for_nothing() -> None:
    assert values('\ufeff{\n\t"a": "\\/"}') == [{"a": "/"}]
    documents, _ = read("\ufeff{a: 1}", objects=False)
    assert str(documents[0].place(("a",))) == "f.yaml:1:5"

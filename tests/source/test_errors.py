"""What is wrong is told where it is wrong, by a name, with what to write instead."""

from __future__ import annotations

import pytest

from dynamoc.documents.findings.finding import ERROR, WARNING
from tests.source.reading import HEAD, read, told


@pytest.mark.parametrize(
    ("text", "slug", "place"),
    [
        ("a:\n\tb: 1\n", "read/tab", "4:1"),
        ("a: 'open\nb: 1\n", "read/unclosed-quote", "3:4"),
        ('a: "open\n---\nb: 1\n', "read/unclosed-quote", "3:4"),
        ("a: 'it's'\n", "read/after-value", "3:8"),
        ("a: [1]]\n", "read/after-value", "3:7"),
        ("a: [1, 2\nb: 3\n", "read/unclosed-bracket", "3:4"),
        ("a: {b: 1\nc: 3\n", "read/unclosed-bracket", "3:4"),
        ("a: [1,,2]\n", "read/no-value", "3:7"),
        ("a: b: c\n", "read/colon", "3:4"),
        ("a: ? b\n", "read/colon", "3:4"),
        ("a:1\nb: 2\n", "read/no-colon", "3:1"),
        ("a: - b\n", "read/dash", "3:4"),
        ("a:\n  b: 1\n c: 2\n", "read/indentation", "5:2"),
        ("a:\n- b: 1\n  c: 2\n   d: 3\n", "read/indentation", "6:4"),
        ("a: @b\n", "read/reserved-character", "3:4"),
        ("a: `b`\n", "read/reserved-character", "3:4"),
        ("a: *.yaml\n", "read/alias", "3:5"),
        ("a: *nothing\n", "read/alias", "3:4"),
        ("a: &a [*a]\n", "read/alias", "3:8"),
        ('a: "\\d"\n', "read/escape", "3:5"),
        ('a: "\\xg"\n', "read/escape", "3:7"),
        ('a: "\\/"\n', "read/escape", "3:4"),
        ("a: |x\n b\n", "read/block-text", "3:5"),
        ("a: !b!c d\n", "read/tag", "3:4"),
        ("a: !!int b\n", "read/tag", "3:4"),
        ("a: !!timestamp 2001-01-01\n", "read/tag", "3:4"),
        ("a: -.inf\n", "read/number", "3:4"),
        ("a: 1\nb: 2\na: 3\n", "read/duplicate-key", "5:1"),
        ("y: 1\ntrue: 2\n", "read/duplicate-key", "4:1"),
        ("a: &a b\nb: 1\n*a : 2\n", "read/duplicate-key", "5:1"),
        ("<<: {a: 1}\na: 2\na: 3\n", "read/duplicate-key", "5:1"),
        ("? {a: 1}\n: 2\n", "read/key", "3:3"),
        ("a: {[b]: 2}\n", "read/key", "3:5"),
        ("~: 1\n", "read/key", "3:1"),
        ("18446744073709551615: 1\n", "read/key", "3:1"),
        ("<<: 1\n", "read/merge", "3:5"),
        ("<<: [{a: 1}, b]\n", "read/merge", "3:14"),
        ("a: \x07\n", "read/character", "3:4"),
        ("é😀: \x00", "read/character", "3:5"),
        ("\ufeffa: 1\n", "read/encoding", "3:1"),
        ("--- a\n", "read/separator", "3:4"),
        ("---a: 1\n", "read/separator", "3:4"),
        ("a: 'b\n---- c'\n", "read/separator", "4:4"),
        ("---\n%YAML 1.1\n---\na: 1\n", "read/directive", "4:1"),
        ("...\n%YAML 1.1\n---\na: 1\n", "read/directive", "4:1"),
        ("...\na: 1\n", "read/indentation", "4:1"),
    ],
)
def test_one_error(text: str, slug: str, place: str) -> None:
    assert told(HEAD + text) == [(slug, place)]
    finding = read(HEAD + text)[1][0]
    assert finding.severity == ERROR
    assert finding.message.endswith(".")
    assert finding.hint or slug == "read/alias"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("kind: Pod\n", "1:1"),
        ("apiVersion: ''\nkind: Pod\n", "1:1"),
        ("\napiVersion: 1\nkind: Pod\n", "2:13"),
        ("--- # one\n  {kind: Pod}\n", "2:3"),
    ],
)
def test_without_version(text: str, place: str) -> None:
    assert told(text) == [("read/no-api-version", place)]


def test_separators() -> None:
    documents, findings = read(f"--- \n--- # c\n{HEAD}---\t\r\n---\n{HEAD}---")
    assert findings == []
    assert [str(item.place(())) for item in documents] == ["f.yaml:3:1", "f.yaml:7:1"]


def test_without_kind() -> None:
    documents, (finding,) = read("apiVersion: v1\nKind: Pod\n")
    assert documents == []
    assert (finding.slug, finding.hint) == ("read/no-kind", "Write `kind` instead of `Kind`.")


@pytest.mark.parametrize(
    ("text", "noun"), [("- a", "a list"), ("a", "a string"), ("3", "a number"), ("on", "true or false")]
)
def test_no_object(text: str, noun: str) -> None:
    _, (finding,) = read(f"\n---\n{text}\n")
    assert finding.slug == "read/not-an-object"
    assert noun in finding.message
    assert str(finding.place) == "f.yaml:3:1"


@pytest.mark.parametrize(
    ("text", "first", "slug"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3:1", "read/duplicate-key"),
        ("a: [1, 2\nb: 3\n", "f.yaml:4:2", "read/unclosed-bracket"),
    ],
)
def test_related_places(text: str, first: str, slug: str) -> None:
    (finding,) = read(HEAD + text)[1]
    assert finding.slug == slug
    assert [str(place) for place in finding.related] == [first]


@pytest.mark.parametrize("text", ["a: {{ .Values.a }}\n", "{{- if .Values.a }}\na: 1\n", "a:\n${BLOCK}\nb: 1\n"])
def test_templates_are_recognised(text: str) -> None:
    finding = read(HEAD + text)[1][0]
    assert "helm template" in (finding.hint or "")


def test_all_errors_of_a_document_are_told_and_the_others_read() -> None:
    text = f"{HEAD}a: .inf\n~: 1\nb: *b\n---\n{HEAD}---\n{HEAD}a: [\n"
    documents, findings = read(text)
    assert [item.slug for item in findings] == ["read/number", "read/key", "read/alias", "read/unclosed-bracket"]
    assert [item.index for item in documents] == [0]
    assert str(documents[0].place(())) == "f.yaml:7:1"


def test_enough_is_enough() -> None:
    findings = read(HEAD + "~: 1\n" * 1000)[1]
    assert len(findings) == 51
    assert findings[-1].slug == "read/too-many-errors"
    warnings = read(HEAD + "a:\n" + "- !b c\n" * 1000)[1]
    assert len(warnings) == 50
    assert warnings[-1].slug == "read/too-many-warnings"


def test_warnings() -> None:
    documents, findings = read(HEAD + "a: &a {b: 1}\nc:\n  b: 2\n  <<: *a\nd: !vault e\n")
    assert [(item.severity, item.slug, str(item.place)) for item in findings] == [
        (WARNING, "read/merge-order", "f.yaml:6:3"),
        (WARNING, "read/unknown-tag", "f.yaml:7:4"),
    ]
    assert documents[0].value["c"] == {"b": 1}
    assert documents[0].value["d"] == "e"
    assert read(HEAD + "a: &a {b: 1}\nc:\n  <<: *a\n  b: 2\nd: ! e\n")[1] == []

"""JSON is read as JSON where it is JSON, and as YAML where it is that."""

from __future__ import annotations

import pytest

from tests.source.reading import read, same, told, values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{\n\t"a": 1\n}', {"a": 1}),
        (r'{"a": "\/"}', {"a": "/"}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (r'{"a": "\ud83d"}', {"a": "\ufffd"}),
        ('{"a": "x\u2028y\x7f"}', {"a": "x\u2028y\x7f"}),
        (
            '{"a": [1e3, -0, 1.0, 0.5, 1E-2, 12345678901234567890123]}',
            {"a": [1000, 0, 1, 0.5, 0.01, 1.2345678901234568e22]},
        ),
        ('{"y": true, "n": [false, null]}', {"y": True, "n": [False, None]}),
        ("{}", {}),
        # no JSON, but YAML
        ("{a: y}", {"a": True}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": 01}', {"a": 1}),
        ('{"a": +1}', {"a": 1}),
        ('{"a": 1.}', {"a": 1}),
        ('{"a": 1e400}', {"a": "1e400"}),
        ('{"a": nullify}', {"a": "nullify"}),
        ("{'a': 1} # c", {"a": 1}),
    ],
)
@pytest.mark.parametrize("file", ["f.yaml", "f.json", "-"])
def test_values(text: str, value: object, file: str) -> None:
    (found,) = values(text, file)
    assert same(found, value)


def test_several_values() -> None:
    assert values('{"a": 1}{"b": 2}\n{"c": 3}\n') == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert values('{"a": 1}\n---\n{"b": 2}\n') == [{"a": 1}, {"b": 2}]
    assert values('[1]\n"a"', "f.json") == [[1], "a"]
    assert values("", "f.json") == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "3:3"),
        ('{"a": [1, 2}', "1:12"),
        ('{"a": "x', "1:7"),
        ('{"a": "x\ty"', "1:9"),
        ('{"a": "\\d"}', "1:8"),
        ('{"a" 1}', "1:6"),
        ('{"a": ]', "1:7"),
        ('{"a": .5]', "1:7"),
        ("{}[}", "1:4"),
        ('{\n\t"a": \n', "3:1"),
        ("nope: [", "1:1"),
    ],
)
def test_errors_of_a_json_file(text: str, place: str) -> None:
    assert told(text, "f.json")[-1] == ("read/json", place)
    assert read(text, "f.yaml")[1]


def test_repeated_keys() -> None:
    _, (finding,) = read('{"apiVersion": "v1", "kind": "Pod",\n "kind": "Pod"}')
    assert finding.slug == "read/duplicate-key"
    assert str(finding.place) == "f.yaml:2:2"
    assert [str(place) for place in finding.related] == ["f.yaml:1:22"]

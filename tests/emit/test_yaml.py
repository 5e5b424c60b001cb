"""The YAML writer: what it writes reads back as the same value, in YAML 1.1, YAML 1.2 and as Go reads it."""

from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text
from tests import quick_yaml

tricky = st.sampled_from(
    [
        *(
            "",
            " ",
            "-",
            "--",
            "---",
            "...",
            "~",
            "=",
            "<<",
            "<",
            "?",
            ":",
            "|",
            ">",
            "!",
            "&a",
            "*a",
            "@",
            "`",
            "%",
            "#",
        ),
        *("y", "Y", "n", "No", "ON", "off", "TRUE", "null", "Null", ".inf", "-.INF", ".NaN", "inf", "nan", "Infinity"),
        *(
            "0",
            "-1",
            "+1",
            "1_000",
            "08",
            "0o17",
            "0x1F",
            "0b1",
            "1e3",
            "1.5e+3",
            ".5",
            "5.",
            "1:30",
            "-1:30:00.5",
            "1,2",
        ),
        *(
            "2001-01-01",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43.10 -5",
            "12e03",
            "685.230_15e+03",
            "0x1p4",
        ),
        *(
            "a: b",
            "a:",
            "a:b",
            "a #b",
            "a#b",
            "- a",
            "-a",
            "--a",
            "? a",
            "a\tb",
            "\ta",
            "a ",
            " a",
            "a\nb",
            "a\n",
            "\n",
            "\na",
        ),
        *("a\n\n", "a\n  b\n", "  a\nb", "a \nb", "a\n\tb", "a\r\nb", "a\n---\nb", "a\n# b\n", "a\n\n\nb", "é", "ü\nü"),
        *(
            "\x85",
            "\u2028",
            "\ufeff",
            "\xa0",
            "\x7f",
            "\0",
            "😀",
            "it's",
            'say "hi"',
            "back\\slash",
            "'",
            '"',
            "{}",
            "[]",
            "[a]",
        ),
        *("{a: b}", "1Gi", "500m", "16k", "$(VAR)", "${VAR}", "*.example.com", "a, b", "!!str a", "a\u0301"),
    ]
)
characters = st.characters(exclude_categories=["Cs"])
strings = tricky | st.text(characters, max_size=12) | st.text(st.sampled_from("ab \n\t:#-'\"\\1.é"), max_size=14)
# Between 2**53 and 1e21 Go, and our reader, print a float as an integer that is another number to Python.
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(-(2.0**53), 2.0**53) | st.floats(1e22, allow_infinity=False)
values = st.recursive(
    strings | numbers | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)
roots = st.dictionaries(strings, values, max_size=4)


def read_libyaml(text: str) -> list[Any]:
    return list(quick_yaml.load_all(text))


def read_ruamel(text: str) -> list[Any]:
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return list(reader.load_all(StringIO(text)))


def read_own(text: str) -> list[Any]:
    findings = Findings()
    documents = read_text(text.encode(), "-", findings, objects=False)
    assert not findings.items
    return [document.value for document in documents]


@pytest.mark.parametrize("read", [read_libyaml, read_own])
@given(roots)
def test_reads_back(read: Any, value: dict[str, Any]) -> None:
    assert read(dump_yaml([value])) == [value]


@given(roots)
@settings(max_examples=60)
def test_reads_back_as_yaml_1_2(value: dict[str, Any]) -> None:
    assert read_ruamel(dump_yaml([value])) == [value]


@pytest.mark.parametrize("read", [read_libyaml, read_own, read_ruamel])
@given(st.lists(strings, min_size=1, max_size=30))
@settings(max_examples=30)
def test_strings_stay_strings(read: Any, texts: list[str]) -> None:
    value = {"keys": dict.fromkeys(texts, 1), "items": texts, "nested": [[text] for text in texts]}
    assert read(dump_yaml([value])) == [value]


@given(st.lists(roots, max_size=4))
def test_documents_stay_apart(objects: list[dict[str, Any]]) -> None:
    assert read_libyaml(dump_yaml(objects)) == objects


@given(roots)
def test_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert dump_yaml([value]) == dump_yaml([dict(reversed(value.items()))])


@pytest.mark.parametrize("length", [900, 999, 1000, 1100, 5000])
def test_long_keys(length: int) -> None:
    value = {"k" * length: {"a": [1, {"b": 2}]}, "é" * length: "v", "z": "\n" * length}
    assert read_libyaml(dump_yaml([value])) == [value]
    assert read_own(dump_yaml([value])) == [value]


@pytest.mark.parametrize(
    "text", ["1Gi", "500m", "16k", "--model", "-c", "/etc/x", "$(VAR)", "nvidia.com/gpu", "http://a:1/b"]
)
def test_common_strings_stay_plain(text: str) -> None:
    assert dump_yaml([{"k": text}]) == f"k: {text}\n"


@pytest.mark.parametrize(
    "text", ["y", "No", "1e3", "0x1", "1:30", "2001-01-01", "~", "null", "08", "1_000", "=", "<<", ""]
)
def test_ambiguous_strings_are_quoted(text: str) -> None:
    assert dump_yaml([{"k": text}]) == f'k: "{text}"\n'


def test_looks_like_kubectl() -> None:
    item = {"spec": {"b": [{"y": "a\nb\n", "x": []}, [1, {}]], "a": None}, "kind": "K", "f": 1e21, "q": '{"a": 1}'}
    assert dump_yaml([item, {"a": True}]) == (
        "f: 1.0e+21\n"
        "kind: K\n"
        "q: '{\"a\": 1}'\n"
        "spec:\n"
        "  a: null\n"
        "  b:\n"
        "  - x: []\n"
        '    "y": |\n'
        "      a\n"
        "      b\n"
        "  - - 1\n"
        "    - {}\n"
        "---\n"
        "a: true\n"
    )


def test_nothing() -> None:
    assert dump_yaml([]) == ""


def test_half_of_a_surrogate_pair_becomes_what_go_writes() -> None:
    assert dump_yaml([{"k": "\ud800"}]) == 'k: "\\uFFFD"\n'

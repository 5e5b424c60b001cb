"""The reader of texts that do not parse, against the one that reads those that do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import PositionEncodingKind

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.interfaces.lsp.completion import _GROUPS, _groups
from dynamoc.interfaces.lsp.documents import Lines
from dynamoc.interfaces.lsp.outline import Outline
from dynamoc.interfaces.lsp.schemas import spot_at

ROOT = Path(__file__).parents[2]
INPUTS = [
    path
    for folder in ("examples", "golden")
    for path in sorted((ROOT / folder).rglob("*.yaml"))
    if ".github" not in path.parts
]
ENCODINGS = list(PositionEncodingKind)


def paths(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*at, key)
        yield from paths(item, (*at, key))


def readable() -> Iterator[tuple[Path, list[Document]]]:
    for path in INPUTS:
        findings = Findings()
        documents = read_text(path.read_bytes(), path.name, findings, objects=False)
        # Aliases repeat what is written elsewhere.
        if not findings.errors and documents and "&" not in path.read_text():
            yield path, documents


def test_paths_and_places_are_those_of_the_real_reader() -> None:
    number = 0
    for path, documents in readable():
        outline = Outline(Lines(path.read_text()).texts)
        parts = [part for part in outline.parts if part.entries]
        assert len(parts) == len(documents), path
        for part, document in zip(parts, documents, strict=True):
            found = {entry.path: entry for entry in part.entries}
            assert set(found) == set(paths(document.value)), path
            for entry in found.values():
                place = document.place(entry.path, key=True)
                assert entry.line + 1 == place.line, (path, entry)
                if entry.key is not None:
                    assert entry.key.start - len(entry.key.quote) + 1 == place.column, (path, entry)
                    assert entry.key.text == entry.path[-1]
        number += 1
    assert number > 100


@given(st.lists(st.sampled_from([*"ab:-[]{}\"'#|>&!, \n", "  ", "- ", "key: ", "\U0001f996"]), max_size=60), st.data())
def test_any_text_has_an_outline_and_a_spot(pieces: list[str], data: st.DataObject) -> None:
    lines = Lines("".join(pieces)).texts
    outline = Outline(lines)
    line = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[line])))
    outline.entry_at(line, column)
    spot = spot_at(lines, line, column)
    if spot is not None:
        assert spot.start <= column <= spot.end <= len(lines[line])
        assert lines[line][spot.start : column] == spot.word


@given(st.text(alphabet="aé\u2028\U0001f996\r\n", max_size=40), st.sampled_from(ENCODINGS), st.data())
def test_positions_lead_back_to_where_they_came_from(
    text: str, encoding: PositionEncodingKind, data: st.DataObject
) -> None:
    lines = Lines(text, encoding)
    line = data.draw(st.integers(0, len(lines.texts) - 1))
    column = data.draw(st.integers(0, len(lines.texts[line])))
    assert lines.point(lines.position(line, column)) == (line, column)


@pytest.mark.parametrize(
    ("engine", "flags"),
    [
        (
            "vllm",
            ["--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size", "--kv-transfer-config"],
        ),
        ("sglang", ["--tp-size", "--dp-size", "--dist-init-addr", "--disaggregation-mode", "--enable-dp-attention"]),
        ("trtllm", ["--tensor-parallel-size", "--extra-engine-args", "--disaggregation-mode"]),
    ],
)
def test_what_rules_look_for_is_among_the_arguments(engine: str, flags: list[str]) -> None:
    known = {name for group in _GROUPS[engine] for name in _groups()[group]["arguments"]}
    assert set(flags) <= known


def test_all_arguments_have_a_source() -> None:
    for group in _groups().values():
        assert group["source"]
        assert group["version"]
        assert group["file"].endswith(".py")
        assert all(name.startswith("--") for name in group["arguments"])
        assert list(group["arguments"]) == sorted(group["arguments"])

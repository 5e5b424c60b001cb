"""Both composers of YAML see entries at the same places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.convert import nodes as nodes_nodes
from dynamoc.admission.convert import nodes as nodes_places
from dynamoc.admission.convert import round_trip as round_trip_round_trip
from dynamoc.admission.convert.rewrite import _value

GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("*/*/*.yaml"))
STYLES = """\
# a comment
a: &anchor   # behind
  - x
  -   - nested
      - "two
        lines"
  - k: v
    l: [1, {b: c},
        2]
b: *anchor
c: |
  text # none
  more
'd': {e: f,
  g: h}
i:
- j
- &other
  k: l
m: !!str 1
n: plain
  folded
o: >-
  folded

  more
"""


def _entries(composer: Any, text: str) -> list[tuple[Any, ...]]:
    value, lines = _value(text), text.split("\n")
    return [
        (entry.path, entry.line, entry.column, entry.behind)
        for entry in nodes_nodes.entries(composer(text), value, lines)
    ]


@pytest.mark.parametrize("number", range(6))
def test_golden_documents(number: int) -> None:
    texts = [text for path in GOLDEN[number::18] for text in path.read_text().split("\n---\n") if _value(text)]
    assert texts
    for text in texts:
        assert _entries(nodes_places.compose, text) == _entries(round_trip_round_trip.compose, text)


def test_all_styles() -> None:
    assert _entries(nodes_places.compose, STYLES) == _entries(round_trip_round_trip.compose, STYLES)
    assert len(_entries(nodes_places.compose, STYLES)) > 20

"""The nodes of a release are read one by one, and are those of its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynamoc.documents.schema import schemas
from dynamoc.reference.releases import ORDER


@pytest.mark.parametrize("release", ORDER)
def test_nodes_are_those_of_the_file(release: str) -> None:
    file = Path(schemas.__file__).with_name("data") / f"{release}.json"
    written = json.loads(file.read_text(encoding="utf-8"))
    schema = schemas.load(release)
    assert schema["nodes"].all() == written["nodes"]
    assert {**schema, "nodes": written["nodes"]} == written


def test_a_node_is_read_when_it_is_asked_for() -> None:
    nodes = schemas.Nodes(['{"type":"string"},', "no JSON,", '{"type":"object"}'])
    assert nodes[2] == {"type": "object"}
    assert nodes[2] is nodes[2]
    with pytest.raises(ValueError, match="Expecting value"):
        nodes[1]

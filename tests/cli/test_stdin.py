"""Findings on stdin show their line, though it cannot be read a second time."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Run

GRAPH = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: web}\nspec: {servics: {}}\n"


@pytest.mark.parametrize("command", ["render", "validate"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_line_is_shown(command: str, mark: bytes, dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(mark + GRAPH.encode())))
    result = dynamoc(command, "-")
    assert result.code == 1
    assert "-:4:8: error" in result.err
    assert "\n  4 | spec: {servics: {}}\n" in result.err

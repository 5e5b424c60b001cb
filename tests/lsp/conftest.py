"""Ends the server that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.editor import SETTINGS, SHARED


@pytest.fixture(scope="session", autouse=True)
def shared() -> Iterator[None]:
    yield
    SHARED.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with settings."""
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)
    return tmp_path

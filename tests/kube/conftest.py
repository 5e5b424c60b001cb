from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference() -> Path:
    """The shared reference data beside the repository; only developers have it."""
    folder = Path(__file__).parents[3] / "shared" / "reference"
    if not folder.is_dir():
        pytest.skip("no reference data beside the repository")
    return folder


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The recordings of the operator beside the repository; only developers have them."""
    folder = Path(__file__).parents[3] / "shared" / "conformance"
    if not folder.is_dir():
        pytest.skip("no conformance recordings beside the repository")
    return folder

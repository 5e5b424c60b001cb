"""What holds for all tests."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks.installed import Installed

# No test fails because a machine is slow: speed is for benchmarks/.
# The same examples on every machine: what fails here fails everywhere. `--hypothesis-profile search` looks for new
# ones.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unhurried", unhurried, derandomize=True, database=None)
settings.register_profile("search", unhurried, max_examples=1000)
settings.load_profile("unhurried")


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


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The package as a wheel installs it: with its bundle."""
    return Installed(tmp_path_factory.mktemp("site"))

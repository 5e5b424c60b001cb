"""What holds for all tests."""

import gc
import os
import pickle
import sys
from pathlib import Path

import pytest

try:
    import fcntl
except ImportError:
    fcntl = None

ROOT = Path(__file__).parents[1]
BYTECODE = (sys.dont_write_bytecode, sys.pycache_prefix)
if BYTECODE == (True, None):
    # Rewriting the assertions of all modules takes longer than the rest of collecting them, and each process that a
    # test starts would compile the program. What Python is told not to keep beside the sources is kept in pytest's
    # cache.
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(ROOT / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

from hypothesis import HealthCheck, settings  # noqa: E402

from benchmarks.installed import Installed  # noqa: E402

# No test fails because a machine is slow: speed is for benchmarks/.
# The same examples on every machine: what fails here fails everywhere. `--hypothesis-profile search` looks for new
# ones.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unhurried", unhurried, derandomize=True, database=None)
settings.register_profile("search", unhurried, max_examples=1000)
settings.load_profile("unhurried")


def pytest_collection_finish() -> None:
    # Tests compile modules too, and look where the bytecode goes.
    sys.dont_write_bytecode, sys.pycache_prefix = BYTECODE
    # What was collected stays until the end: looking through it for garbage again and again is a tenth of the run.
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


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
    """The package as a wheel installs it: with its bundle. Made once for all workers, since it takes seconds."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" not in os.environ or fcntl is None:
        return Installed(folder / "site")
    made = folder.parent / "site.pickle"
    with (folder.parent / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            made.write_bytes(pickle.dumps(Installed(folder.parent / "site")))
    found: Installed = pickle.loads(made.read_bytes())
    return found


@pytest.fixture
def as_installed(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that a test starts find dynamoc as a wheel installs it: they start in a third of the time."""
    folders = [str(installed.folder), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))

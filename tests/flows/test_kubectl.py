"""dynamoc beside the real kubectl, which talks to a small API server on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.help import EXAMPLES
from tests.capture.api_server import Resources, serving
from tests.capture.test_capture import environment as kubeconfig
from tests.flows.page_run import BIN, assert_page, environment

pytestmark = pytest.mark.usefixtures("as_installed")

needs_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="NO KUBECTL HERE: its plugin, its apply and its diff were not run"
)


def resources() -> Resources:
    roles = "rbac.authorization.k8s.io/v1"
    return {
        ("v1", "configmaps"): ("ConfigMap", True, []),
        ("v1", "serviceaccounts"): ("ServiceAccount", True, []),
        ("v1", "services"): ("Service", True, []),
        (roles, "roles"): ("Role", True, []),
        (roles, "rolebindings"): ("RoleBinding", True, []),
        ("grove.io/v1alpha1", "podcliquesets"): ("PodCliqueSet", True, []),
    }


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables for a kubectl whose cluster is empty."""
    with serving(resources()) as (address, _):
        yield environment(**{name: kubeconfig(tmp_path, address)[name] for name in ("KUBECONFIG", "HOME")})


@needs_kubectl
def test_the_page(tmp_path: Path, cluster: dict[str, str]) -> None:
    (tmp_path / "page").mkdir()
    assert_page("how-to/kubectl.md", tmp_path / "page", cluster)


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, env=environment(**more), check=False, capture_output=True, text=True)


def test_help_names_what_the_user_types() -> None:
    page = run(f"{BIN}/kubectl-dynamoc", "render", "--help").stdout
    assert page.startswith("Usage: kubectl dynamoc render [OPTION]... PATH...")
    assert [f"  {line.replace('dynamoc', 'kubectl dynamoc')}" for line in EXAMPLES["render"]] == [
        line for line in page.splitlines() if line.startswith("  ") and "kubectl dynamoc" in line
    ]
    assert "`kubectl dynamoc render --help`" in run(f"{BIN}/kubectl-dynamoc", "render").stderr


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, labels: {x: z}}\ndata: {k: one}\n"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    """The directories that `kubectl diff` makes, with a file without an extension."""
    for folder, text in (("LIVE-12", CONFIG_MAP), ("MERGED-34", CONFIG_MAP.replace("one", "two"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "v1.ConfigMap.b.a").write_text(text)
    return str(tmp_path / "LIVE-12"), str(tmp_path / "MERGED-34")


def test_diff_of_the_directories_of_kubectl(sides: tuple[str, str]) -> None:
    done = run(f"{BIN}/dynamoc-diff", *sides)
    assert (done.returncode, done.stderr) == (1, "")
    assert "data.k: one -> two" in done.stdout
    assert run(f"{BIN}/dynamoc-diff", sides[0], sides[0]).returncode == 0
    assert "`dynamoc diff live → merged`" in run(f"{BIN}/dynamoc-diff", *sides, "-o", "markdown").stdout.replace(
        "# ", "`"
    ).replace("\n", "`", 1)


def test_an_object_that_kubectl_would_create_is_added(sides: tuple[str, str]) -> None:
    os.remove(f"{sides[0]}/v1.ConfigMap.b.a")
    done = run(f"{BIN}/dynamoc-diff", *sides)
    assert done.returncode == 1
    assert "+ ConfigMap/a (b)" in done.stdout


def test_errors_are_more_than_1_as_kubectl_expects(sides: tuple[str, str]) -> None:
    assert run(f"{BIN}/dynamoc-diff", *sides, "--nope").returncode == 2
    assert run(f"{BIN}/dynamoc-diff", sides[0]).returncode == 2
    Path(sides[1], "v1.ConfigMap.b.a").write_text("a: [")
    assert run(f"{BIN}/dynamoc-diff", *sides).returncode == 2


def test_options_that_kubectl_would_drop(sides: tuple[str, str]) -> None:
    assert run(f"{BIN}/dynamoc-diff", *sides, DYNAMOC_DIFF_OPTIONS="--ignore 'data.*'").returncode == 0
    assert run(f"{BIN}/dynamoc-diff", *sides, DYNAMOC_DIFF_OPTIONS="--ignore 'data.*").returncode == 2

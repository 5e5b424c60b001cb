"""A light install has PyYAML alone: what renders works, and all else says which package is missing."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.failure import EDITORS, OPTIONAL

ROOT = Path(__file__).parents[2]
GRAPH = str(ROOT / "examples" / "llama.yaml")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    hidden = f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}))"
    script = f"{hidden}; from dynamoc.interfaces.cli.entry import run; sys.exit(run(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", script, *words], check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    "line",
    [
        "render {} --target lws",
        "validate {} --target grove",
        "diff {} {}",
        "requires {}",
        "convert {} --to v1alpha1",
        "convert {} --to v1beta1",
        "--version",
    ],
)
def test_what_renders_needs_no_other_package(line: str) -> None:
    done = run(*line.replace("{}", GRAPH).split())
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("--help", "typer"),
        ("render --nope", "typer"),
        ("schema", "typer"),
        (f"diff {GRAPH} {GRAPH} --color always", "rich"),
    ],
)
def test_a_missing_package_is_named(line: str, package: str) -> None:
    done = run(*line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert f"the package {package}, which is not installed. Install it: pip install {package}" in done.stderr


def test_the_extra_is_what_the_light_install_lacks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {item for item in project["dependencies"] if not item.startswith("PyYAML")}
    extras = {name: set(items) for name, items in project["optional-dependencies"].items()}
    assert extras["all"] == needed | extras["lsp"]


def test_the_language_server_says_what_it_needs() -> None:
    hidden = f"import sys; sys.modules.update(dict.fromkeys({EDITORS!r}))"
    script = f"{hidden}; from dynamoc.interfaces.cli.entry import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", script, "lsp"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs the package pygls, which is not installed. Install it: pip install pygls" in done.stderr


def test_no_other_command_loads_it() -> None:
    script = (
        "import sys; from dynamoc.interfaces.cli.app import app; from dynamoc.interfaces.cli.entry import run; "
        f"run(['check', {GRAPH!r}]); print(*sys.modules, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "dynamoc.analysis.check.run" in loaded
    assert not [name for name in loaded if name.startswith(("dynamoc.lsp", *EDITORS))]

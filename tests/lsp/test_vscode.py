"""The extension for VS Code: it builds, and its client library talks with the server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lsp.test_diagnostics import GRAPH

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
HOW = "install Node.js 20, and run `npm ci` in editors/vscode (or `make vscode`)"


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None or not (EXTENSION / "node_modules" / "vscode-languageclient").is_dir():
        pytest.skip(f"needs the modules of the extension: {HOW}")
    return found


def test_the_client_library_talks_with_the_server(node: str, folder: Path) -> None:
    (folder / "graph.yaml").write_text(GRAPH)
    words = [node, str(EXTENSION / "test" / "dialogue.js"), str(folder), sys.executable, "-m", "dynamoc", "lsp"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_its_own_code_starts_the_server_and_shows_what_it_renders() -> None:
    """Stand-ins take the place of VS Code and of the client library, so that Node.js alone is needed."""
    found = shutil.which("node")
    if found is None:
        pytest.skip(f"needs Node.js: {HOW}")
    words = [found, str(EXTENSION / "test" / "extension.js")]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_it_builds(node: str, tmp_path: Path) -> None:
    built = tmp_path / "extension.js"
    words = ["npm", "run", "build", "--silent", "--", f"--outfile={built}"]
    subprocess.run(words, check=True, cwd=EXTENSION, capture_output=True)
    subprocess.run([node, "--check", str(built)], check=True)
    text = built.read_text()
    assert "dynamoc.render" in text
    assert 'require("vscode")' in text


def test_its_commands_are_those_of_its_code() -> None:
    """Needs no Node.js."""
    package = json.loads((EXTENSION / "package.json").read_text())
    code = (EXTENSION / "extension.js").read_text()
    for command in package["contributes"]["commands"]:
        assert f'registerCommand("{command["command"]}"' in code
    locked = json.loads((EXTENSION / "package-lock.json").read_text())
    assert locked["packages"][""]["dependencies"] == package["dependencies"]
    assert package["version"] == locked["version"]


def test_nothing_of_others_is_in_its_folder() -> None:
    listed = subprocess.run(["git", "ls-files", "."], check=False, cwd=EXTENSION, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("needs a clone of git")
    assert sorted(listed.stdout.split()) == [
        ".gitignore",
        "extension.js",
        "package-lock.json",
        "package.json",
        "test/dialogue.js",
        "test/extension.js",
    ]

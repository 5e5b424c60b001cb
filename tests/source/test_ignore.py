"""Patterns of .dynamocignore and --exclude: verdicts as `git check-ignore` gives them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import expand
from dynamoc.documents.source.found import Rules
from tests.source.reading import HEAD

FILES = ("a.yaml", "b.json", "sub/a.yaml", "sub/deep/a.yaml", "sub/deep/c.yaml", "a/b/c.yaml", "x[1].yaml", "#.yaml")
PATTERNS = (
    ["a.yaml"],
    ["/a.yaml"],
    ["sub/"],
    ["sub"],
    ["a.yaml/"],
    ["sub/*"],
    ["sub/*.yaml"],
    ["sub/**"],
    ["**/a.yaml"],
    ["sub/**/a.yaml"],
    ["a/**/c.yaml"],
    ["*.json", "", "# a comment", "*.yaml  "],
    ["*.yaml", "!sub/deep/a.yaml"],
    ["sub", "!sub/a.yaml"],
    ["?.yaml"],
    ["[ab].yaml"],
    ["[!a].yaml"],
    ["[a-b].*"],
    ["deep/a.yaml"],
    ["deep"],
    ["\\#.yaml"],
    ["x\\[1].yaml"],
    ["*"],
    ["*", "!a.yaml"],
)


@pytest.mark.parametrize("lines", PATTERNS, ids=" ".join)
def test_git_says_the_same(lines: list[str], tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("\n".join(lines) + "\n")
    asked = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
    told = subprocess.run(asked, input="\0".join(FILES), capture_output=True, text=True, check=False)
    assert told.returncode in (0, 1), told.stderr
    assert [file for file in FILES if Rules(lines).leaves_out(file)] == told.stdout.split("\0")[:-1]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("graphs/a.yaml", "graphs/drafts/b.yaml", "graphs/drafts/keep/c.yaml", "values.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expanded(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return expand(list(paths), Findings(), exclude)


def test_files_of_the_current_directory_and_of_nearer_ones_count(tree: Path) -> None:
    (tree / ".dynamocignore").write_text("values.yaml\ngraphs/drafts/*.yaml\n")
    assert expanded(".") == ["./graphs/a.yaml", "./graphs/drafts/keep/c.yaml"]
    assert expanded("graphs") == ["graphs/a.yaml", "graphs/drafts/keep/c.yaml"]
    assert expanded(str(tree / "graphs")) == [str(tree / "graphs" / name) for name in ("a.yaml", "drafts/keep/c.yaml")]
    (tree / "graphs/drafts/.dynamocignore").write_text("!b.yaml\n")
    assert expanded("graphs/**/*.yaml") == ["graphs/a.yaml", "graphs/drafts/b.yaml", "graphs/drafts/keep/c.yaml"]


def test_what_is_given_by_its_name_is_never_left_out(tree: Path) -> None:
    (tree / ".dynamocignore").write_text("drafts/\nvalues.yaml\n")
    assert expanded("graphs") == ["graphs/a.yaml"]
    assert expanded("graphs/drafts") == ["graphs/drafts/b.yaml", "graphs/drafts/keep/c.yaml"]
    assert expanded("values.yaml", "graphs/drafts/b.yaml") == ["values.yaml", "graphs/drafts/b.yaml"]


def test_an_option_leaves_out_named_files_too(tree: Path) -> None:
    assert expanded(".", exclude=("drafts/", "values.yaml")) == ["./graphs/a.yaml"]
    assert expanded("values.yaml", "graphs/a.yaml", "-", exclude=("values.yaml", "*")) == ["-"]


def test_patterns_elsewhere_start_at_the_directory_that_is_given(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / ".dynamocignore").write_text("/graphs\n")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert expanded(str(tree)) == [str(tree / "values.yaml")]
    assert expanded(str(tree / "graphs/drafts")) == [
        str(tree / "graphs/drafts" / name) for name in ("b.yaml", "keep/c.yaml")
    ]

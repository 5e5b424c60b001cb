"""What the words of `dynamoc diff` mean, and what is said where they mean nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH
from tests.compare.test_diff import git


@pytest.fixture
def history(dynamoc: Run) -> None:
    """`first` has graphs/a.yaml and graphs/b.yaml; the head has a renamed a.yaml, and c.yaml for b.yaml."""
    git("init", "-q", "-b", "main")
    Path("graphs").mkdir()
    Path("empty").mkdir()
    for name in ("a", "b"):
        Path(f"graphs/{name}.yaml").write_text(GRAPH.replace("name: web", f"name: {name}"))
    git("add", "-A")
    git("commit", "-qm", "one")
    git("tag", "first")
    git("mv", "graphs/a.yaml", "graphs/renamed.yaml")
    git("rm", "-q", "graphs/b.yaml")
    Path("graphs/c.yaml").write_text(GRAPH.replace("name: web", "name: c"))
    git("add", "-A")
    git("commit", "-qm", "two")


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    "words",
    [
        ("first..HEAD",),
        ("first...HEAD", "--", "graphs"),
        ("first", "HEAD"),
        ("first", "main", "graphs"),
        ("first..",),
        ("first",),
        ("first", "--", "graphs/"),
        ("first:graphs", "graphs"),
    ],
)
def test_ways_to_name_two_sides(dynamoc: Run, words: tuple[str, ...]) -> None:
    result = dynamoc("diff", "--target", "grove", "--summary", *words)
    assert (result.code, "6 are added, 6 are removed" in result.out) == (1, True), result.out + result.err
    # A file under another name is no difference.
    assert "of 20 objects" in result.out


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("HEAD:graphs/a.yaml", "graphs/renamed.yaml"), "graphs/a.yaml does not exist in HEAD"),
        (("first..nothing",), "neither a path nor a range of revisions"),
        (("first..HEAD", "--", "absent"), "absent exists neither on disk nor in the revisions"),
        (("empty", "empty"), "exists on either side"),
        (("-", "-"), "stdin, which can be only one of the sides"),
        (("graphs",), "needs two sides"),
    ],
)
def test_words_that_mean_nothing_are_wrong_usage(dynamoc: Run, words: tuple[str, ...], said: str) -> None:
    result = dynamoc("diff", *words)
    assert result.code == 2
    assert said in result.err


@pytest.mark.usefixtures("history")
def test_a_directory_may_be_empty_on_one_side(dynamoc: Run) -> None:
    assert "14 are removed" in dynamoc("diff", "graphs", "empty", "--target", "grove", "--summary").out


@pytest.mark.usefixtures("history")
def test_a_shallow_clone_says_what_it_lacks(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path.cwd()
    subprocess.run(("git", "clone", "-q", "--depth", "1", f"file://{here}", "clone"), check=True, capture_output=True)
    monkeypatch.chdir("clone")
    assert "This clone is shallow" in dynamoc("diff", "HEAD~1..HEAD").err


def test_outside_of_a_repository_git_is_quoted(dynamoc: Run) -> None:
    assert "not a git repository" in dynamoc("diff", "main..HEAD").err

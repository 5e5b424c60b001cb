"""What a repository that a stranger prepared must not be able to do to `dynamoc diff`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH
from tests.compare.test_diff import git


def object_file(name: str) -> Path:
    return Path(".git/objects", name[:2], name[2:])


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that only a program of the repository would make."""
    return tmp_path / "executed"


def commit_without_content() -> str:
    """A commit of graph.yaml whose content is missing, as in a partial clone; the name of the content."""
    git("init", "-q", "-b", "main")
    Path("graph.yaml").write_text(GRAPH)
    git("add", "-A")
    git("commit", "-qm", "one")
    listed = subprocess.run(["git", "rev-parse", "HEAD:graph.yaml"], capture_output=True, text=True, check=True)
    content = listed.stdout.strip()
    object_file(content).unlink()
    return content


def promise(url: str) -> None:
    """Says that a remote has what is missing, so that git asks it."""
    git("config", "remote.origin.url", url)
    git("config", "remote.origin.promisor", "true")
    git("config", "remote.origin.partialclonefilter", "blob:none")
    git("config", "extensions.partialClone", "origin")
    git("config", "core.repositoryformatversion", "1")


def test_a_remote_that_is_a_program_is_not_run(dynamoc: Run, marker: Path) -> None:
    commit_without_content()
    promise(f"ext::sh -c touch% {marker}")
    git("config", "protocol.ext.allow", "always")
    result = dynamoc("diff", "HEAD", "--target", "grove")
    assert result.code == 2
    assert "Traceback" not in result.err
    assert not marker.exists()


def test_the_environment_cannot_allow_it_either(dynamoc: Run, marker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit_without_content()
    promise(f"ext::sh -c touch% {marker}")
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:file")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.ext.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")
    assert dynamoc("diff", "HEAD", "--target", "grove").code == 2
    assert not marker.exists()


def test_nothing_is_fetched_from_a_remote_that_has_it(dynamoc: Run, tmp_path: Path) -> None:
    content = commit_without_content()
    origin = tmp_path / "origin.git"
    git("init", "-q", "--bare", str(origin))
    source = subprocess.run(
        ["git", "--git-dir", str(origin), "hash-object", "-w", "graph.yaml"], capture_output=True, text=True, check=True
    )
    assert source.stdout.strip() == content
    promise(str(origin))
    result = dynamoc("diff", "HEAD", "--target", "grove")
    assert result.code == 2
    assert not object_file(content).exists()


def test_missing_content_is_named(dynamoc: Run) -> None:
    commit_without_content()
    result = dynamoc("diff", "HEAD", "--target", "grove")
    assert result.code == 2
    assert "HEAD:graph.yaml is missing in this clone" in result.err
    assert "git fetch --refetch --no-filter" in result.err


def test_a_folder_that_looks_like_a_repository_is_none(
    dynamoc: Run, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q", "-b", "main")
    Path("graph.yaml").write_text(GRAPH)
    git("add", "-A")
    git("commit", "-qm", "one")
    # Plain files, which any pull request can bring.
    Path(".git").rename("bare")
    Path("bare/config").write_text(
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\turl = ext::sh -c touch% {marker}\n\tpromisor = true\n'
        '[protocol "ext"]\n\tallow = always\n'
    )
    monkeypatch.chdir(tmp_path / "bare" if (tmp_path / "bare").exists() else Path("bare").resolve())
    result = dynamoc("diff", "HEAD", "--target", "grove")
    assert result.code == 2
    assert not marker.exists()


@pytest.mark.parametrize("damage", ["HEAD", "objects"])
def test_a_damaged_repository_is_an_error(dynamoc: Run, damage: str) -> None:
    git("init", "-q", "-b", "main")
    Path("graph.yaml").write_text(GRAPH)
    git("add", "-A")
    git("commit", "-qm", "one")
    if damage == "HEAD":
        Path(".git/HEAD").write_text("nonsense\n")
    else:
        for path in Path(".git/objects").rglob("*"):
            if path.is_file():
                path.chmod(0o644)
                path.write_bytes(b"nonsense")
    result = dynamoc("diff", "HEAD", "--target", "grove")
    assert result.code == 2
    assert "dynamoc has a bug" not in result.err

"""Links of the input lead nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, dynamoc
from tests.compare.conftest import GRAPH

__all__ = ["dynamoc"]


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A token beside the checkout, which is the current directory."""
    checkout = tmp_path / "checkout"
    (checkout / "graphs").mkdir(parents=True)
    (checkout / "graphs" / "web.yaml").write_text(GRAPH)
    (tmp_path / "outside").mkdir()
    token = tmp_path / "outside" / "token.yaml"
    token.write_text("canary: [\n")
    monkeypatch.chdir(checkout)
    return token


WORDS = [("graphs",), ("graphs/*.yaml",), ("graphs/link.yaml",), ("graphs/web.yaml", "graphs/link.yaml")]
COMMANDS = ["validate", "render", "convert --to v1beta1", "explain", "requires", "diff graphs/web.yaml"]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_links_that_lead_out_are_refused(dynamoc: Run, outside: Path, words: tuple[str, ...], command: str) -> None:
    Path("graphs/link.yaml").symlink_to(outside)
    if command.startswith(("diff", "explain")):
        words = words[-1:]
    result = dynamoc(*command.split(), *words)
    assert result.code in (1, 2)
    assert "canary" not in result.err + result.out
    assert "graphs/link.yaml is a link" in result.err
    assert "--load-restrictor none" in result.err
    assert "[read/link]" in result.err or command.startswith("diff")
    assert "canary" in dynamoc("validate", "graphs/link.yaml", "--load-restrictor", "none").err


def test_linked_folders_and_contexts_too(dynamoc: Run, outside: Path) -> None:
    Path("graphs/folder").symlink_to(outside.parent)
    assert "graphs/folder/token.yaml is a link, or below one" in dynamoc("validate", "graphs").err
    result = dynamoc("validate", "graphs/web.yaml", "--cluster", "graphs")
    assert "canary" not in result.err
    assert "[read/link]" in result.err


def test_links_inside_are_read(dynamoc: Run, outside: Path) -> None:
    Path("base").mkdir()
    Path("base/web.yaml").write_text(GRAPH.replace("name: web", "name: other"))
    Path("graphs/link.yaml").symlink_to("../base/web.yaml")
    assert dynamoc("validate", "graphs").code == 0
    assert dynamoc("validate", "graphs/link.yaml").code == 0


def test_the_root_directory_restricts_nothing_by_itself(
    dynamoc: Run, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("graphs/link.yaml").symlink_to(outside)
    folder = str(Path("graphs").resolve())
    monkeypatch.chdir("/")
    assert "canary" not in dynamoc("validate", folder).err


def test_what_a_shell_hands_over_is_read(dynamoc: Run, outside: Path) -> None:
    with Path("graphs/web.yaml").open() as file:
        assert dynamoc("validate", f"/dev/fd/{file.fileno()}").code == 0

"""What the README shows is what dynamoc does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = "examples/llama.yaml"


def shown(page: str, start: str) -> list[str]:
    """The lines behind the command in a block that starts with a line of this text."""
    [found] = [text for text in re.findall(r"```text\n(.*?)```", page, re.DOTALL) if text.startswith(start)]
    return str(found).splitlines()[1:]


@pytest.fixture
def example(dynamoc: Run) -> Path:
    """A copy of the example at its own path in the current directory."""
    path = Path(EXAMPLE)
    path.parent.mkdir()
    path.write_text((ROOT / EXAMPLE).read_text())
    return path


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= 120
    assert len(README.split()) <= 900


def test_the_commands_work(dynamoc: Run, example: Path) -> None:
    lines = [line for line in README.splitlines() if line.startswith("./run dynamoc ")]
    assert len(lines) == 1
    for line in lines:
        assert dynamoc(*shlex.split(line, comments=True)[2:]).code == 0, line


def test_the_finding_is_what_the_misspelling_gives(dynamoc: Run, example: Path) -> None:
    example.write_text(example.read_text().replace("replicas: 1", "replcias: 1"))
    result = dynamoc("check", EXAMPLE)
    assert result.code == 1
    expected = shown(README, f"$ dynamoc check {EXAMPLE}")
    assert result.err.splitlines()[: len(expected) - 1] == expected[:-1]


def test_the_difference_and_the_upgrade_are_real(dynamoc: Run, example: Path) -> None:
    text = example.read_text()
    for folder, content in (("graphs", text), ("new/graphs", text.replace("3.1-405B-Instruct", "3.1-405B"))):
        Path(folder).mkdir(parents=True)
        Path(folder, "llama.yaml").write_text(content)
    printed = dynamoc("diff", "graphs", "new/graphs", "--target", "grove").out.replace("new/graphs/", "graphs/")
    assert "\n".join(shown(README, "$ dynamoc diff")) in printed
    printed = dynamoc("upgrade", "graphs", "--from", "1.2", "--to", "1.4", "--target", "grove").out
    assert [line for line in shown(README, "$ dynamoc upgrade") if line not in printed.splitlines()] == []


def test_the_figures_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "fidelity.md").read_text()
    figures = re.findall(r"^\| ([\d.]+)[^|]*\| (\d+ of \d+) \| (\d+ of \d+) \|", README, re.MULTILINE)
    assert [release for release, *_ in figures] == ["0.6", "1.0", "1.4", "1.5"]
    for release, *row in figures:
        [line] = [line for line in page.splitlines() if line.startswith(f"| {release} | ") and " of " in line]
        assert line.endswith(f"| {' | '.join(row)} |")

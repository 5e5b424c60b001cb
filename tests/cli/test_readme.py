"""What the README shows is what dynamoc does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.options import COMMANDS
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = "examples/llama.yaml"


def block(start: str) -> list[str]:
    """The lines of the code block that starts with a line of this text."""
    [found] = [text for text in re.findall(r"```\w*\n(.*?)```", README, re.DOTALL) if text.startswith(start)]
    return str(found).splitlines()


@pytest.fixture
def example(dynamoc: Run) -> Path:
    """A copy of the example at its own path in the current directory."""
    path = Path(EXAMPLE)
    path.parent.mkdir()
    path.write_text((ROOT / EXAMPLE).read_text())
    return path


def test_the_input_stands_in_the_example() -> None:
    lines = iter((ROOT / EXAMPLE).read_text().splitlines())
    assert [line for line in block("    - name: Worker") if line not in lines] == []


def test_the_output_is_what_the_first_command_prints(dynamoc: Run, example: Path) -> None:
    [command] = [line for line in README.splitlines() if line.startswith("./run dynamoc ")]
    result = dynamoc(*shlex.split(command)[2:])
    assert result.code == 0
    [printed] = [text for text in result.out.split("---\n") if "kind: LeaderWorkerSet" in text]
    lines = iter(printed.splitlines())
    shown = [line for line in block("kind: LeaderWorkerSet") if not line.strip().startswith("# ...")]
    assert [line for line in shown if line not in lines] == []


def test_the_finding_is_what_the_misspelling_gives(dynamoc: Run, example: Path) -> None:
    example.write_text(example.read_text().replace("replicas: 1", "replcias: 1"))
    result = dynamoc("render", EXAMPLE)
    assert result.code == 1
    assert result.err.splitlines() == block(f"{EXAMPLE}:35")


def test_every_option_is_described() -> None:
    for option in COMMANDS["render"]:
        assert all(f"`{flag}" in README for flag in option.flags), option.name

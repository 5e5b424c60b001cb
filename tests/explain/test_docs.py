"""What docs/explain.md shows is what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.entry import run

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```\n\$ dynamoc (.*)\n((?s:.*?))```", (ROOT / "docs/explain.md").read_text())


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 4


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_examples_are_real_output(
    command: str, shown: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    capfd.readouterr()
    run(shlex.split(command))
    # `# ...` stands for what was left out behind an excerpt.
    assert shown.removesuffix("# ...\n") in capfd.readouterr().out

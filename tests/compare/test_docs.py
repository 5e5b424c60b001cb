"""What the pages show is what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.options import COMMANDS
from tests.cli.conftest import Run
from tests.docs.pages import shows

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


def sessions(page: str) -> list[tuple[str, str]]:
    """Commands of dynamoc in the page, with the output below them."""
    found = []
    for block in blocks(page, "console"):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
        found += [(command, out) for command, out in zip(parts[1::2], parts[2::2], strict=True) if "dynamoc" in command]
    return found


def write_inputs(page: str) -> None:
    graph = blocks(page, "yaml")[0]
    Path("chat.yaml").write_text(graph)
    Path("old.yaml").write_text(graph)
    longer = graph.replace('"--tensor-parallel-size"', '"--max-model-len", "8192", "--tensor-parallel-size"')
    Path("new.yaml").write_text(longer.replace("replicas: 2", "replicas: 4"))


@pytest.mark.parametrize("page", ["diff.md", "upgrade.md"])
def test_the_output_is_real(dynamoc: Run, page: str) -> None:
    write_inputs(page)
    shown = sessions(page)
    assert len(shown) >= 3
    for command, out in shown:
        assert shows(out, dynamoc(*shlex.split(command)[1:]).out), command


@pytest.mark.parametrize(("page", "command"), [("diff.md", "diff"), ("upgrade.md", "upgrade")])
def test_the_page_names_every_option_of_its_own(page: str, command: str) -> None:
    text = (DOCS / page).read_text() + (DOCS / "diff.md").read_text()
    of_render = {option.name for option in COMMANDS["render"]} - {"output"}
    for option in COMMANDS[command]:
        if option.name not in of_render:
            assert any(flag in text for flag in option.flags), option.name

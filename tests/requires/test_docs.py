"""What the page shows is what the command prints."""

from __future__ import annotations

import shlex
from pathlib import Path

from dynamoc.interfaces.cli.command_options import REQUIRES_COMMANDS
from tests.cli.conftest import Run
from tests.compare.test_docs import DOCS, blocks, sessions

PAGE = "requires.md"


def test_the_output_is_real(dynamoc: Run) -> None:
    for name, text in zip(("chat.yaml", "context.yaml"), blocks(PAGE, "yaml"), strict=True):
        Path(name).write_text(text)
    shown = sessions(PAGE)
    assert shown
    for command, out in shown:
        assert (command, dynamoc(*shlex.split(command)[1:]).out) == (command, out)


def test_the_page_names_the_options() -> None:
    text = (DOCS / PAGE).read_text()
    for option in REQUIRES_COMMANDS["requires"]:
        assert any(flag in text for flag in option.flags), option.name

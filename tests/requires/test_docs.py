"""What the page shows is what the command prints."""

from __future__ import annotations

import shlex
from pathlib import Path

from dynamoc.interfaces.cli.options import COMMANDS
from tests.cli.conftest import Run
from tests.compare.test_docs import DOCS, blocks, sessions
from tests.docs.pages import shows

PAGE = "requires.md"


def test_the_output_is_real(dynamoc: Run) -> None:
    for name, text in zip(("chat.yaml", "context.yaml"), blocks(PAGE, "yaml"), strict=True):
        Path(name).write_text(text)
    shown = sessions(PAGE)
    assert shown
    for command, out in shown:
        assert shows(out, dynamoc(*shlex.split(command)[1:]).out), command


def test_the_page_names_the_options_of_its_own() -> None:
    text = (DOCS / PAGE).read_text()
    of_render = {option.name for option in COMMANDS["render"]} - {"output"}
    own = [option for option in COMMANDS["requires"] if option.name not in of_render]
    assert {option.name for option in own} == {"output"}
    assert [option.name for option in own if not any(flag in text for flag in option.flags)] == []

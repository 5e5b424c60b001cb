"""Flags in the text of a shell command, against the regular expression that the operator has for it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.rendering.rules.command import inject_into_text

# internal/dynamo/utils.go injectFlagsIntoPythonCommand; Go's \s has no vertical tab, and its $ is the end of the text.
_SPACE = r"[\t\n\f\r ]"
_COMMAND = rf"(python[0-9.]*{_SPACE}+[^|&;]*vllm[^|&;]*?)({_SPACE}|\Z|[|&;])"
_PIECES = (
    "python",
    "python3",
    "3.",
    " ",
    "  ",
    "\t",
    "\n",
    "\v",
    "vllm",
    "dynamo.vllm",
    " -m ",
    "&&",
    "|",
    ";",
    "x",
    "\xa0",
)


@given(st.lists(st.sampled_from(_PIECES), max_size=10).map("".join))
def test_flags_go_where_the_expression_puts_them(text: str) -> None:
    wanted = re.sub(_COMMAND, lambda match: f"{match[1]} --flag{match[2]}", text)
    assert inject_into_text(text, "--flag", "vllm") == wanted


def test_each_command_of_a_line_gets_them() -> None:
    line = "cd /x && python3 -m dynamo.vllm --model m & exec python -m dynamo.vllm"
    wanted = "cd /x && python3 -m dynamo.vllm --f --model m & exec python -m dynamo.vllm --f"
    assert inject_into_text(line, "--f", "vllm") == wanted

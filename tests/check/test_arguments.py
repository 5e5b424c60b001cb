"""Words of command lines as a shell has them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.check.arguments import Arguments, split


@given(st.text(alphabet="ab '\"\\\t\n$&", max_size=20))
def test_words_are_those_of_a_shell(text: str) -> None:
    try:
        wanted: list[str] | None = shlex.split(text)
    except ValueError:
        wanted = None
    assert split(text) == wanted


@pytest.mark.parametrize(
    ("args", "value"),
    [
        (["--model", "a"], "a"),
        (["--model=a"], "a"),
        (["python3 -m dynamo.vllm --model 'a' --x"], "a"),
        (['sh -c "python3 -m dynamo.vllm --model \\"a\\""'], "a"),
        (["python3 -m dynamo.vllm \\\n  --model a"], "a"),
        (["echo 'not closed --model a"], "a"),
        (["--model"], None),
    ],
)
def test_values_of_flags(args: list[str], value: str | None) -> None:
    assert Arguments({"args": args}).value("--model") == value

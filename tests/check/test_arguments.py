"""Words of command lines as a shell has them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.analysis.check.arguments import Arguments, split


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


def test_comments_of_a_script_are_no_words() -> None:
    text = "# --tp 8 on others\npython3 -m dynamo.vllm --tp 4 # not '8\n --x a#b '# c'"
    assert split(text) == ["python3", "-m", "dynamo.vllm", "--tp", "4", "--x", "a#b", "# c"]


@pytest.mark.parametrize(
    ("line", "is_open"),
    [
        ("--model m", False),
        ("--model $MODEL --tensor-parallel-size $(TP)", False),
        ("--node-rank $(( 2 * $(INDEX) )) --x", False),
        ("--node-rank $((INDEX)) --x", False),
        ("--model m $EXTRA", True),
        ("--model=m ${EXTRA[@]}", True),
        ("$(EXTRA) --model m", True),
        ("--rank $(( 1 + 1 )) $EXTRA", True),
    ],
)
def test_variables_that_may_bring_flags(line: str, is_open: bool) -> None:
    """Then a flag that is not there may be all the same."""
    for args in ([f"exec python3 -m dynamo.vllm {line}"], ["-m", "dynamo.vllm", *line.split()]):
        found = Arguments({"args": args})
        assert found.is_open == is_open
        assert found.number("--pipeline-parallel-size") == (None if is_open else 1)


def test_engines_that_are_started_together_are_several() -> None:
    one = "python3 -m dynamo.vllm --model a"
    assert not Arguments({"args": [one]}).several
    assert Arguments({"args": [f"{one} & python3 -m dynamo.vllm --model b; wait"]}).several


def test_vllm_takes_underscores_for_dashes() -> None:
    args = ["--tensor_parallel_size=4"]
    assert Arguments({"command": ["-m", "dynamo.vllm"], "args": args}).number("--tensor-parallel-size") == 4
    assert Arguments({"command": ["-m", "dynamo.sglang"], "args": args}).number("--tensor-parallel-size") == 1

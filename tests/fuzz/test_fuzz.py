"""A few hundred fixed executions of the fuzzer, and what it found."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.commands import Endless, command
from tests.fuzz.mutations import documents, text_of
from tests.fuzz.oracles import Judge


@given(number=st.integers(0, 2**32))
@settings(max_examples=40, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_changed_golden_inputs(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    random = Random(number)
    folder: Path = tmp_path_factory.mktemp("fuzz")
    text, other = (text_of(random, documents(random)) for _ in range(2))
    Judge(folder).judge(text, other, random)
    shutil.rmtree(folder)


def test_a_command_that_takes_too_many_steps_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text_of(Random(1), documents(Random(1))))
    with pytest.raises(Endless):
        command("render", str(path), steps=100)

"""A few hundred fixed executions of the fuzzer, and what it found."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.fuzz.commands import Endless, command
from tools.fuzz.mutations import change, documents, text_of
from tools.fuzz.oracles import Judge


@pytest.mark.slow
@given(number=st.integers(0, 2**32))
@settings(max_examples=40, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_changed_golden_inputs(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    random = Random(number)
    folder: Path = tmp_path_factory.mktemp("fuzz")
    text, other = (text_of(random, documents(random)) for _ in range(2))
    Judge(folder).judge(text, other, random)
    shutil.rmtree(folder)


EXPORTS = sorted((Path(__file__).parents[1] / "compare" / "live").glob("*.live.yaml"))


@pytest.mark.slow
@given(number=st.integers(0, 2**32))
@settings(max_examples=25, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_changed_exports_of_a_cluster(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    random = Random(number)
    export = random.choice(EXPORTS)
    made = list(yaml.safe_load_all(export.read_text()))
    for _ in range(random.randrange(1, 6)):
        change(random, made)
    path = tmp_path_factory.mktemp("fuzz") / "export.yaml"
    path.write_text(text_of(random, made), encoding="utf-8", newline="")
    graph = str(export.with_name("plain.yaml"))
    judge = Judge(path.parent)
    judge.run("diff", str(export), str(path), "-o", random.choice(("text", "json", "unified", "markdown")))
    judge.run("render", graph, "--cluster", str(path), "--keep-going")
    judge.run("validate", graph, "--against", str(path))
    judge.run("requires", str(path))


@pytest.mark.parametrize("part", ["labels: 5", "annotations: [a]", "ownerReferences: {a: b}", "finalizers: 1"])
def test_metadata_of_the_wrong_shape_in_what_passes_through(part: str, tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  uid: x\n  {}\nspec: {}\n"
    (tmp_path / "a.yaml").write_text(text.format(part, "{ports: 1}"))
    (tmp_path / "b.yaml").write_text(text.format("labels: {a: b}", 5))
    Judge(tmp_path).run("diff", str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"))


def test_a_command_that_takes_too_many_steps_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text_of(Random(1), documents(Random(1))))
    with pytest.raises(Endless):
        command("render", str(path), steps=100)

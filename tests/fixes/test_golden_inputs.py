"""Inputs whose objects the operator itself recorded: removing what it ignores changes none of them, and mistakes in
them are corrected to the very bytes that they were made from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.golden.cases import Case, cases

#: what the rules of `check` correct is meant to change what runs
_LEAVE = ("--allow", "check")
#: a pattern, and the mistake instead of its first place
_MISTAKES = (
    (r"\breplicas:", "Replicas:"),
    (r"\bcomponentType:", "componentTpye:"),
    (r"\bextraPodSpec:", "extraPodspec:"),
    (r"\bpodTemplate:", "podTemplates:"),
    (r"\bresources:", "resuorces:"),
    (r"\bmultinode:", "multiNode:"),
    (r"\bnodeCount: (\d+)", r'nodeCount: "\1"'),
    (r"\bvalue: [\"'](\d+|true)[\"']", r"value: \1"),
    (r"\bimagePullSecrets:", "imagePullSecret:"),
)


def _words(case: Case) -> list[str]:
    words = ["a.yaml", "--operator-version", case.release, "--target", case.targets[0]]
    if case.operator_config:
        words += ["--operator-config", str(case.folder / case.operator_config)]
    return words


#: the Job of a request holds the text of the request, whatever is ignored in it
_GRAPHS = [case for case in cases() if "DynamoGraphDeploymentRequest" not in case.input.read_text()]


@pytest.mark.slow
@pytest.mark.parametrize("case", _GRAPHS, ids=lambda case: f"{case.name}-{case.release}")
def test_mistakes_are_corrected(case: Case, dynamoc: Run) -> None:
    words = _words(case)
    written = case.input.read_text()
    path = Path("a.yaml")
    path.write_text(written)
    before = dynamoc("render", *words)
    dynamoc("check", *words, "--fix", *_LEAVE)
    base = path.read_text()
    assert dynamoc("render", *words).out == before.out or before.code
    if dynamoc("check", *words, "-o", "json", *_LEAVE).code:
        # The operator refuses it, so that corrections may be as wrong.
        return
    wrong = base
    for pattern, mistake in _MISTAKES:
        wrong = re.sub(pattern, mistake, wrong, count=1)
    path.write_text(wrong)
    dynamoc("check", *words, "--fix", *_LEAVE)
    left = [
        each["slug"]
        for each in json.loads(dynamoc("check", *words, "-o", "json", *_LEAVE).out)["findings"]
        if "fix" in each
    ]
    assert left == []
    assert re.sub(r"['\"]", "", path.read_text()) == re.sub(r"['\"]", "", base)
    assert dynamoc("render", *words).out == before.out

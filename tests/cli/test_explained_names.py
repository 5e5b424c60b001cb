"""Each name that an output prints can be given to `dynamoc explain`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.explain import is_name
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
INPUTS = sorted((ROOT / "golden").glob("*/*/input.yaml"))


@pytest.mark.parametrize(("version", "target"), [("0.6", "plain"), ("1.0", "lws"), ("1.4", "grove")])
def test_origins_and_findings_have_names_that_explain_takes(dynamoc: Run, version: str, target: str) -> None:
    from dynamoc.interfaces.cli import explain

    known, found = explain._known(), set()
    for path in INPUTS[::6]:
        result = dynamoc("render", str(path), "-o", "annotated", "--operator-version", version, "--target", target)
        found |= set(re.findall(r"# (?:.*? )?(?:rule|builder|constant|config) ([\w./-]+)", result.out))
        found |= set(re.findall(r"\[([a-z0-9-]+/[a-z0-9-]+)\]$", result.err, re.MULTILINE))
    assert len(found) > 30
    assert found - known.keys() == set()


@pytest.mark.parametrize("name", ["probes/worker", "container/defaults", "check/floating-image", "grove/kai", "pods"])
def test_a_name_is_explained(dynamoc: Run, name: str) -> None:
    assert is_name(name)
    for options in ((), ("-o", "json")):
        result = dynamoc("explain", name, *options)
        assert (result.code, result.err) == (0, "")
        assert name in result.out

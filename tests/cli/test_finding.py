"""`dynamoc explain`: what a finding means, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

from dynamoc.reference.findings import entries
from tests.cli.conftest import Run


def test_a_finding_is_explained_with_both_examples(dynamoc: Run) -> None:
    found = dynamoc("explain", "schema/unknown-field")
    assert (found.code, found.err) == (0, "")
    head, *rest = found.out.splitlines()
    assert head == "schema/unknown-field (error or warning)"
    assert "  -       replcias: 2" in rest
    assert "  +       replicas: 2" in rest


def test_the_brackets_of_a_report_may_stay(dynamoc: Run) -> None:
    assert dynamoc("explain", "[read/tab]").out == dynamoc("explain", "read/tab").out


def test_all_are_listed(dynamoc: Run) -> None:
    lines = dynamoc("explain", "--list=findings").out.splitlines()
    assert lines[0] == "KIND\tNAME\tRELEASES\tWHAT IT IS"
    assert [line.split("\t")[1] for line in lines[1:]] == list(entries())


def test_a_name_that_does_not_exist_has_a_hint(dynamoc: Run) -> None:
    found = dynamoc("explain", "schema/unknown-feld")
    expected = (
        "dynamoc: error: schema/unknown-feld is neither a file nor a name that dynamoc prints; "
        "did you mean schema/unknown-field?\n"
    )
    assert (found.code, found.out, found.err) == (2, "", expected)
    assert dynamoc("explain", "nothing/at-all").err.endswith("`dynamoc explain --list` lists the names.\n")


def test_json_holds_examples_that_can_be_run(dynamoc: Run) -> None:
    report = json.loads(dynamoc("explain", "schema/range", "-o", "json").out)
    assert report["apiVersion"] == "dynamoc.findings/v1"
    [entry] = report["findings"]
    assert entry["severities"] == ["error"]
    for side, code in (("wrong", 1), ("right", 0)):
        example = entry["example"][side]
        for name, text in example["files"].items():
            Path(name).write_text(text)
        assert dynamoc(*example["command"].split()[1:]).code == code


def test_a_finding_without_an_example_has_none(dynamoc: Run) -> None:
    [entry] = json.loads(dynamoc("explain", "read/unreadable", "-o", "json").out)["findings"]
    assert entry["example"] is None

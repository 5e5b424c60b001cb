from __future__ import annotations

import json

from dynamoc.release import RELEASES
from tests.cli.conftest import Run


def test_releases_as_json(dynamoc: Run) -> None:
    result = dynamoc("release", "list", "-o", "json")
    assert result.code == 0
    rows = json.loads(result.out)
    assert [row["name"] for row in rows] == list(RELEASES)
    assert sum(row["default"] for row in rows) == 1
    assert all(row["source"] and row["exactness"] for row in rows)


def test_releases_as_text_are_a_line_each(dynamoc: Run) -> None:
    lines = dynamoc("release", "list").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["RELEASE", *RELEASES]
    assert {line.count("\t") for line in lines} == {6}


def test_the_default_release_of_the_option_is_the_releases_own() -> None:
    from dynamoc.cli.option_table import COMMANDS
    from dynamoc.release import DEFAULT_RELEASE

    for options in COMMANDS.values():
        [option] = [option for option in options if option.name == "operator_version"]
        assert option.default == DEFAULT_RELEASE


def test_difference_of_releases_as_json(dynamoc: Run) -> None:
    result = dynamoc("release", "diff", "1.0", "1.4", "-o", "json")
    assert result.code == 0
    difference = json.loads(result.out)
    assert (difference["old"], difference["new"]) == ("1.0", "1.4")
    assert {"hub/v1beta1"} <= {row["name"] for row in difference["features"] if row["change"] == "came"}
    assert all(row["reason"] and row["source"] for row in difference["features"])
    fields = {(row["change"], row["kind"]) for row in difference["fields"] if row["field"] == ""}
    assert ("added", "nvidia.com/v1beta1/DynamoGraphDeployment") in fields
    assert all(row["old"] != row["new"] for row in difference["constants"])


def test_difference_runs_both_ways(dynamoc: Run) -> None:
    there, back = (
        json.loads(dynamoc("release", "diff", *pair, "-o", "json").out) for pair in (("1.0", "1.4"), ("1.4", "1.0"))
    )
    assert {row["name"] for row in there["features"]} == {row["name"] for row in back["features"]}
    assert [(row["new"], row["old"]) for row in there["constants"]] == [
        (row["old"], row["new"]) for row in back["constants"]
    ]


def test_a_release_does_not_differ_from_itself(dynamoc: Run) -> None:
    difference = json.loads(dynamoc("release", "diff", "1.0", "1.0", "-o", "json").out)
    assert not any(difference[part] for part in ("features", "constants", "rules", "fields"))


def test_difference_as_text_names_what_came(dynamoc: Run) -> None:
    text = dynamoc("release", "diff", "1.0", "1.4").out
    assert "  + hub/v1beta1: " in text
    assert "fields of the API" in text


def test_unknown_release_is_wrong_usage(dynamoc: Run) -> None:
    result = dynamoc("release", "diff", "1.0", "7.7")
    assert result.code == 2
    assert "7.7" in result.err

from __future__ import annotations

import json

import pytest

from dynamoc.interfaces.cli.options import COMMANDS
from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES, get_release
from tests.cli.conftest import Run


def test_releases_as_json(dynamoc: Run) -> None:
    result = dynamoc("--version", "--verbose", "-o", "json")
    assert result.code == 0
    rows = json.loads(result.out)
    assert [row["name"] for row in rows] == list(RELEASES)
    assert sum(row["default"] for row in rows) == 1
    assert all(row["source"] and row["exactness"] for row in rows)


def test_releases_as_text_are_a_line_each(dynamoc: Run) -> None:
    lines = dynamoc("--version", "--verbose").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["RELEASE", *RELEASES]
    assert {line.count("\t") for line in lines} == {6}


def test_the_default_release_of_the_option_is_the_releases_own(dynamoc: Run) -> None:
    """The table of options names it `latest`, so that `--version` needs no release; help names the release."""
    for command, options in COMMANDS.items():
        found = [option.default for option in options if option.name in ("operator_version", "new_release")]
        assert found in (["latest"], []), command
        assert not found or f"[default: {DEFAULT_RELEASE}]" in dynamoc(*command.split(), "--help").out
    assert get_release("latest").name == DEFAULT_RELEASE


def test_difference_of_releases_as_json(dynamoc: Run) -> None:
    result = dynamoc("upgrade", "--from", "1.0", "--to", "1.4", "-o", "json")
    assert result.code == 0
    difference = json.loads(result.out)
    assert (difference["old"], difference["new"]) == ("1.0", "1.4")
    assert {"hub/v1beta1"} <= {row["name"] for row in difference["features"] if row["change"] == "came"}
    assert all(row["reason"] and row["source"] for row in difference["features"])
    fields = {(row["change"], row["kind"]) for row in difference["fields"] if row["field"] == ""}
    assert ("added", "nvidia.com/v1beta1/DynamoGraphDeployment") in fields
    assert all(row["old"] != row["new"] for row in difference["constants"])


@pytest.mark.parametrize("new", [*RELEASES][1:])
def test_difference_as_json_has_each_kind_of_value(dynamoc: Run, new: str) -> None:
    """What has no order in a table, such as the variables of `snapshot/refreshed-env`, is a sorted list."""
    result = dynamoc("upgrade", "--from", next(iter(RELEASES)), "--to", new, "-o", "json")
    assert result.code == 0, result.err
    rows = {f"{row['table']} {row['name']}": row["new"] for row in json.loads(result.out)["constants"]}
    found = next((value for name, value in rows.items() if "snapshot/refreshed-env" in name), ["A", "B"])
    assert found
    assert found == sorted(found)


def test_difference_runs_both_ways(dynamoc: Run) -> None:
    there, back = (
        json.loads(dynamoc("upgrade", "--from", pair[0], "--to", pair[1], "-o", "json").out)
        for pair in (("1.0", "1.4"), ("1.4", "1.0"))
    )
    assert {row["name"] for row in there["features"]} == {row["name"] for row in back["features"]}
    assert [(row["new"], row["old"]) for row in there["constants"]] == [
        (row["old"], row["new"]) for row in back["constants"]
    ]


def test_a_release_does_not_differ_from_itself(dynamoc: Run) -> None:
    difference = json.loads(dynamoc("upgrade", "--from", "1.0", "--to", "1.0", "-o", "json").out)
    assert not any(rows for rows in difference.values() if isinstance(rows, list))


def test_difference_as_text_names_what_came(dynamoc: Run) -> None:
    text = dynamoc("upgrade", "--from", "1.0", "--to", "1.4").out
    assert "  + hub/v1beta1\n" in text
    assert "fields of the API" in text


@pytest.mark.parametrize(
    ("old", "new", "section", "shown"),
    [
        ("1.3", "1.4", "webhooks", "  ~ checks v1beta1/graph-last\n      + topology_is_complete\n"),
        ("1.3", "1.4", "webhooks", "  ~ updates v1beta1/DynamoGraphDeployment\n      old: judge_graph\n"),
        ("1.3", "1.4", "the operator's configuration", "  ~ default of the chart infrastructure.nats_address\n"),
        ("1.3", "1.4", "the operator's configuration", "  - field featureGates.gmsSnapshot\n"),
        ("1.3", "1.4", "values of the Helm chart", "  - value global.nats.install\n"),
        ("1.3", "1.4", "values of the Helm chart", "  + key dynamo-operator.planner\n"),
        ("1.3", "1.4", "dependencies", "  ~ module Grove\n      old: github.com/ai-dynamo/grove/operator/api v0"),
        ("1.3", "1.4", "Go types", "  + dynamo/v1beta1.GroveSpec  (the whole type)\n"),
        ("1.3", "1.4", "builders", "  + kube/names/discovery-label-value\n"),
        ("1.3", "1.4", "constants", "  ~ planner/rules\n"),
        ("1.4", "1.5", "annotations that users write", "  + nvidia.com/workload-provider\n"),
        ("1.4", "1.5", "pod rules", ""),
        ("0.4", "0.5", "flags of the operator", "  - flag enable-lws\n"),
        ("0.4", "0.5", "constants", '  ~ lws/needs\n      old: []\n      new: ["leaderworkerset.x-k8s.io"]\n'),
        ("1.4", "1.3", "builders", "  - kube/names/discovery-label-value\n"),
    ],
)
def test_difference_shows_what_is_not_in_a_rule(dynamoc: Run, old: str, new: str, section: str, shown: str) -> None:
    text = dynamoc("upgrade", "--from", old, "--to", new).out
    part = text.partition(f"\n\n{section}\n")[2].partition("\n\n")[0] + "\n"
    assert shown in part


def test_unknown_release_is_wrong_usage(dynamoc: Run) -> None:
    result = dynamoc("upgrade", "--from", "1.0", "--to", "7.7")
    assert result.code == 2
    assert "7.7" in result.err

from typing import Any

import pytest

from dynamoc.documents.findings.finding import format_path
from dynamoc.documents.schema.check import check


def problems(metadata: Any) -> list[str]:
    value = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": metadata, "spec": {}}
    _, found = check("1.0", value["kind"], value["apiVersion"], value)
    return [f"{problem.slug} {format_path(problem.path)}" for problem in found]


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a"},
        {"name": "a.b-c.d2"},
        {"name": "a" * 253},
        {"name": "a", "generateName": "a-"},
        {"name": "a", "namespace": "team-1"},
        {"name": "a", "labels": {"app": "", "example.com/a_b": "x.Y-1"}},
        {"name": "a", "annotations": {"Example.com/Some_Key": "any\ntext", "a": None}},
        {"name": "a", "creationTimestamp": None, "uid": "u", "resourceVersion": "1", "generation": 2},
        {"name": "a", "creationTimestamp": "2025-01-31T12:00:00Z"},
        {"name": "a", "deletionTimestamp": "2025-01-31T12:00:00.5+01:00"},
        {"name": "a", "managedFields": [{"manager": "kubectl"}], "ownerReferences": [], "finalizers": ["x/y"]},
    ],
)
def test_admitted(metadata: Any) -> None:
    assert problems(metadata) == []


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (None, "schema/name metadata.name"),
        ({}, "schema/name metadata.name"),
        ({"name": ""}, "schema/name metadata.name"),
        ({"name": "", "generateName": "a-"}, "schema/name metadata.name"),
        ({"generateName": "a-"}, "schema/name metadata.name"),
        ([], "schema/type metadata"),
        ({"name": 5}, "schema/type metadata.name"),
        ({"name": "Bad_Name"}, "schema/name metadata.name"),
        ({"name": "a..b"}, "schema/name metadata.name"),
        ({"name": "a" * 254}, "schema/name metadata.name"),
        ({"name": "a\n"}, "schema/name metadata.name"),
        ({"name": "a", "generateName": "A-"}, "schema/name metadata.generateName"),
        ({"name": "a", "namespace": "a.b"}, "schema/name metadata.namespace"),
        ({"name": "a", "namespace": "a" * 64}, "schema/name metadata.namespace"),
        ({"name": "a", "labels": []}, "schema/type metadata.labels"),
        ({"name": "a", "labels": {"a": 1}}, "schema/type metadata.labels.a"),
        ({"name": "a", "labels": {"a b": ""}}, "schema/label metadata.labels.a b"),
        ({"name": "a", "labels": {"/a": ""}}, "schema/label metadata.labels[/a]"),
        ({"name": "a", "labels": {"a": "x" * 64}}, "schema/label metadata.labels.a"),
        ({"name": "a", "annotations": {"a": True}}, "schema/type metadata.annotations.a"),
        ({"name": "a", "annotations": {"-": "x"}}, "schema/annotation metadata.annotations.-"),
        ({"name": "a", "annotations": {"a": "x" * 2**18}}, "schema/annotation metadata.annotations"),
        ({"name": "a", "generation": "2"}, "schema/type metadata.generation"),
        *(
            ({"name": "a", "creationTimestamp": text}, "schema/format metadata.creationTimestamp")
            for text in (
                *("yesterday", "", "2025-01-31", "2025-01-31T12:00:00", "2025-01-31 12:00:00Z", "2025-02-31T12:00:00Z"),
                *(
                    "2025-01-31T12:00:00.Z",
                    "2025-01-31T12:00Z",
                    "2025-01-31T12:00:00+0100",
                    "2025-01-31T12:00:00+01:0x",
                ),
            )
        ),
        ({"name": "a", "label": {}}, "schema/unknown-field metadata.label"),
    ],
)
def test_refused(metadata: Any, expected: str) -> None:
    assert problems(metadata) == [expected]


def test_a_name_that_can_be_saved_is_suggested() -> None:
    value = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "My_Graph"}}
    (problem,) = check("1.0", value["kind"], value["apiVersion"], value)[1]
    assert problem.hint == "write `my-graph`"

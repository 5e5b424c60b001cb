"""The fields that both versions have: each is a field of its type, and each field of both types has a row."""

from __future__ import annotations

import pytest

from dynamoc.kube.go_types import CONVERSIONS, FLAGS, load
from dynamoc.reference import features

A, B = "dynamo/v1alpha1.", "dynamo/v1beta1."
GRAPH, COMPONENT = "DynamoGraphDeploymentSpec", "DynamoComponentDeploymentSharedSpec"
#: the types in v1alpha1 and v1beta1 that hold the fields of a part
TYPES = {
    "graph": (A + GRAPH, B + GRAPH),
    "topology": (A + "SpecTopologyConstraint", B + "SpecTopologyConstraint"),
    "component": (A + COMPONENT, B + COMPONENT),
    "renamed": (A + COMPONENT, B + COMPONENT),
    "main": (A + COMPONENT, "core/v1.Container"),
    "sidecar": (A + "FrontendSidecarSpec", "core/v1.Container"),
    "mount": (A + "VolumeMount", "core/v1.VolumeMount"),
    "reference": (A + "DynamoGraphDeploymentServiceRef", B + "DynamoGraphDeploymentComponentRef"),
    "status": (A + "DynamoGraphDeploymentStatus", B + "DynamoGraphDeploymentStatus"),
    "status-component": (A + "DynamoComponentDeploymentStatus", B + "DynamoComponentDeploymentStatus"),
    "status-update": (A + "RollingUpdateStatus", B + "RollingUpdateStatus"),
    "request": (A + "DynamoGraphDeploymentRequestSpec", B + "DynamoGraphDeploymentRequestSpec"),
}
TABLES = load(CONVERSIONS)
#: parts of a map, or raw JSON, which has any field
FREE = ("JSON", "map[")


def fields_of(name: str) -> dict[str, str]:
    return {field: kind.lstrip(FLAGS) for field, kind in TABLES.declared(name).items()}


def field(name: str, path: tuple[str, ...]) -> str:
    """The type of the field at a path, "" where the type has none."""
    for step in path:
        name = name.lstrip("*[]")
        if name.startswith(FREE):
            return name
        name = fields_of(name).get(step, "") if name in TABLES else ""
    return name


@pytest.mark.parametrize("part", sorted(features._BOTH))
def test_each_row_names_fields(part: str) -> None:
    alpha, beta = TYPES[part]
    rows = features.beta_places(part)
    assert [row for row in rows if not field(alpha, row[0]) or not field(beta, row[1])] == []


@pytest.mark.parametrize("part", ["graph", "component"])
def test_each_field_of_one_name_and_type_has_a_row(part: str) -> None:
    """A field that both versions got in a new release is forgotten by conversion without one."""
    alpha, beta = map(fields_of, TYPES[part])
    same = {name for name in alpha.keys() & beta.keys() if _bare(alpha[name]) == _bare(beta[name])}
    handled = {"frontendSidecar", "scalingAdapter"}
    assert sorted(same - handled - features.beta_names(part).keys()) == []


def _bare(kind: str) -> str:
    return kind.replace(A, "").replace(B, "")

"""What no cluster can hold is refused with its place, and never reaches what reads the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.cluster.objects import existing
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}}
TOPOLOGY = {"apiVersion": "grove.io/v1alpha1", "kind": "ClusterTopologyBinding", "metadata": {"name": "racks"}}
TEMPLATE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "gpus"}}
CHECKPOINT = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoCheckpoint", "metadata": {"name": "warm"}}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (SECRET | {"metadata": {}}, ("metadata",)),
        (SECRET | {"metadata": {"name": "keys", "labels": [1]}}, ("metadata", "labels")),
        (SECRET | {"metadata": {"name": "keys", "annotations": {"a": 1}}}, ("metadata", "annotations", "a")),
        (SECRET | {"type": 5}, ("type",)),
        (SECRET | {"data": ["a"]}, ("data",)),
        (SECRET | {"data": {"key": "no base64!"}}, ("data", "key")),
        (SECRET | {"stringData": {"key": True}}, ("stringData", "key")),
        (TOPOLOGY | {"spec": {"levels": 3}}, ("spec", "levels")),
        (TOPOLOGY | {"spec": {"levels": [{"domain": 3}]}}, ("spec", "levels", 0, "domain")),
        (TEMPLATE | {"spec": {"spec": {"devices": {"requests": [None]}}}}, ("spec", "spec", "devices", "requests", 0)),
        (CHECKPOINT | {"spec": {}, "status": "Ready"}, ("status",)),
    ],
)
def test_refused_at_its_place(value: dict[str, Any], path: tuple[str | int, ...]) -> None:
    found, problems = existing(value, "1.4")
    assert found is None
    assert [(problem.slug, problem.path, problem.severity) for problem in problems] == [
        ("context/malformed", path, "error")
    ]


@pytest.mark.parametrize(
    "value",
    [
        SECRET | {"data": {"key": "a2V5\n"}, "stringData": {}, "type": "Opaque"},
        SECRET | {"metadata": {"generateName": "keys-"}},
        TOPOLOGY | {"spec": {"levels": [{"domain": "rack"}], "other": 3}},
        {"apiVersion": "example.com/v1", "kind": "Secret", "metadata": {"name": "other"}, "data": 5},
    ],
)
def test_taken_as_it_is(value: dict[str, Any]) -> None:
    assert existing(value, "1.4") == (value, [])


def test_words_that_yaml_takes_for_something_else() -> None:
    """`y` is true, and `1` a number."""
    for value in (True, 1):
        _, [problem] = existing(SECRET | {"metadata": {"name": "keys", "labels": {"a": value}}}, "1.4")
        assert problem.hint == "Put it in quotes."


def test_null_is_absent() -> None:
    found, _ = existing(SECRET | {"data": None, "stringData": {"a": None}}, "1.4")
    assert found == SECRET | {"stringData": {"a": ""}}


def test_what_has_no_name_is_told_and_left_out(tmp_path: Path) -> None:
    """A configuration of a tool among the manifests of a directory is none of them."""
    path = tmp_path / "kind.yaml"
    path.write_text("apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nnodes: [{role: worker}]\n")
    findings = Findings()
    assert compile_paths([str(path)], Options(operator_version="1.4", namespace="inference"), findings) == []
    assert [(item.slug, item.severity) for item in findings.items] == [("context/nameless", "warning")]


def test_a_checkpoint_of_another_schema_is_not_read() -> None:
    """Release 0.6 has no such kind, and looks at none; 1.4 has, and its schema refuses this one."""
    value = CHECKPOINT | {"spec": {"identity": 5}}
    assert existing(value, "0.6") == (value, [])
    found, problems = existing(value, "1.4")
    assert found is None
    assert {problem.slug for problem in problems} >= {"schema/type"}


def test_a_malformed_name_is_a_finding_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 5}\n---\nkind: A\napiVersion: b\nmetadata: []\n")
    findings = Findings()
    assert compile_paths([str(path)], Options(operator_version="1.4"), findings) == []
    assert [(item.slug, item.place.line if item.place else 0) for item in findings.items] == [
        ("read/metadata", 3),
        ("read/metadata", 7),
    ]

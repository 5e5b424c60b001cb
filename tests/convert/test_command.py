"""`convert_paths`: what is written, printed and reported."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dynamoc.admission.convert.command import convert_paths
from dynamoc.admission.convert.specs import V1BETA1
from dynamoc.documents.findings.finding import Findings

ALPHA = (
    "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: x}\nspec:\n  services:\n    a: {}\n"
)
OTHER = "kind: ConfigMap # c\napiVersion: v1\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "graph.yaml").write_text(f"{OTHER}---\n{ALPHA}")
    (tmp_path / "other.yaml").write_text(OTHER)
    return tmp_path


def test_prints(files: Path) -> None:
    findings = Findings()
    result = convert_paths([str(files)], "v1beta1", findings)
    graph, other = str(files / "graph.yaml"), OTHER
    assert result.files == [graph]
    assert result.text.startswith(f"{OTHER}---\napiVersion: nvidia.com/v1beta1\n")
    assert result.text.endswith(f"\n---\n{other}")
    assert (files / "graph.yaml").read_text() == f"{OTHER}---\n{ALPHA}"
    assert findings.items == []


def test_prints_json(files: Path) -> None:
    result = convert_paths([str(files / "graph.yaml")], "v1beta1", Findings(), output="json")
    items = json.loads(result.text)["items"]
    assert [item["apiVersion"] for item in items] == ["v1", V1BETA1]


def test_writes_what_has_changed(files: Path) -> None:
    os.chmod(files / "graph.yaml", 0o640)
    untouched = (files / "other.yaml").stat().st_ino
    result = convert_paths([str(files)], "v1beta1", Findings(), write=True)
    assert result.text == ""
    assert result.files == [str(files / "graph.yaml")]
    assert "nvidia.com/v1beta1" in (files / "graph.yaml").read_text()
    assert (files / "graph.yaml").stat().st_mode & 0o777 == 0o640
    assert (files / "other.yaml").stat().st_ino == untouched
    assert sorted(path.name for path in files.iterdir()) == ["graph.yaml", "other.yaml"]
    assert convert_paths([str(files)], "v1beta1", Findings(), write=True).files == []


def test_writes_through_a_link(files: Path) -> None:
    (files / "link.yaml").symlink_to("graph.yaml")
    convert_paths([str(files / "link.yaml")], "v1beta1", Findings(), write=True)
    assert (files / "link.yaml").is_symlink()
    assert "nvidia.com/v1beta1" in (files / "graph.yaml").read_text()


def test_a_file_with_a_refused_document_is_left_alone(files: Path) -> None:
    text = f"{ALPHA}---\n{ALPHA.replace('{}', '{replicas: two}')}"
    (files / "graph.yaml").write_text(text)
    findings = Findings()
    result = convert_paths([str(files / "graph.yaml")], "v1beta1", findings, write=True)
    assert result.files == []
    assert [item.slug for item in findings.items] == ["convert/wrong-type"]
    assert (files / "graph.yaml").read_text() == text


def test_checks(files: Path) -> None:
    findings = Findings()
    result = convert_paths([str(files)], "v1beta1", findings, check=True)
    assert result.text == ""
    assert result.files == [str(files / "graph.yaml")]
    [item] = findings.items
    assert (item.slug, item.severity, item.place.line) == ("convert/other-version", "error", 4)  # type: ignore[union-attr]
    findings = Findings()
    assert convert_paths([str(files)], "v1alpha1", findings, check=True).files == []
    assert findings.items == []

from __future__ import annotations

import json
from typing import Any

import pytest

from dynamoc.documents.findings.finding import Path, format_path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import copy_tree
from tests.source.reading import read

TEXT = """\
# a comment
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: a, "labels": {y: "1"}}
spec:
  envs:
  - name: A
    value: |
      text
  -   name: B
  services:
    Frontend: &front
      replicas: 2
    Worker:
      <<: *front
      args: []
    Other: *front
"""


@pytest.fixture(scope="module")
def document() -> Document:
    documents, findings = read(TEXT, "dir/f.yaml")
    assert findings == []
    return documents[0]


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), "2:1", "2:1"),
        (("apiVersion",), "2:13", "2:1"),
        (("metadata",), "4:11", "4:1"),
        (("metadata", "name"), "4:18", "4:12"),
        (("metadata", "labels", "true"), "4:35", "4:32"),
        (("spec",), "6:3", "5:1"),
        (("spec", "envs"), "7:3", "6:3"),
        (("spec", "envs", 0), "7:5", "7:5"),
        (("spec", "envs", 0, "value"), "8:12", "8:5"),
        (("spec", "envs", 1), "10:7", "10:7"),
        (("spec", "services", "Frontend"), "12:15", "12:5"),
        (("spec", "services", "Worker", "replicas"), "13:17", "13:7"),
        (("spec", "services", "Worker", "args"), "16:13", "16:7"),
        (("spec", "services", "Other"), "17:12", "17:5"),
        (("spec", "services", "Other", "replicas"), "13:17", "13:7"),
        # what is not there stands at its nearest ancestor
        (("spec", "nothing"), "6:3", "6:3"),
        (("spec", "envs", 2), "7:3", "7:3"),
        (("spec", "envs", -1), "7:3", "7:3"),
        (("spec", "envs", "name"), "7:3", "7:3"),
        (("spec", "envs", 0, "name", "deeper", 3), "7:11", "7:11"),
        (("metadata", 0), "4:11", "4:11"),
    ],
)
def test_place(document: Document, path: Path, value: str, key: str) -> None:
    assert str(document.place(path)) == f"dir/f.yaml:{value}"
    assert str(document.place(path, key=True)) == f"dir/f.yaml:{key}"


def test_every_value_of_json_stands_where_it_is_written(document: Document) -> None:
    """The same object as JSON, indented with tabs: the text at each place starts as the value does."""
    text = json.dumps(document.value, indent="\t")
    (other,), findings = read(text)
    assert findings == []
    assert other.value == document.value
    lines = text.split("\n")
    for path, value in paths_of(other.value):
        place = other.place(path)
        assert lines[place.line - 1][place.column - 1 :].startswith(json.dumps(value, indent="\t")[:1]), format_path(
            path
        )


def paths_of(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    found = [(path, value)]
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += paths_of(item, (*path, step))
    return found


def test_columns_count_characters() -> None:
    documents, _ = read('{"😀é": a, b: c}', objects=False)
    assert str(documents[0].place(("b",))) == "f.yaml:1:14"


def test_a_copy_shares_nothing(document: Document) -> None:
    copy = copy_tree(document.value)
    copy["spec"]["services"]["Frontend"]["replicas"] = 7
    copy["spec"]["envs"].clear()
    assert document.value["spec"]["services"]["Frontend"] == {"replicas": 2}
    assert len(document.value["spec"]["envs"]) == 2


def test_aliases_are_copies(document: Document) -> None:
    services = document.value["spec"]["services"]
    assert services["Other"] == services["Frontend"]
    assert services["Other"] is not services["Frontend"]


def test_documents_are_counted_and_keys_keep_their_order() -> None:
    documents, _ = read("---\n# nothing\n---\nkind: A\napiVersion: v1\nb: 1\na: 2\n---\napiVersion: v1\nkind: B\n")
    assert [(item.index, item.value["kind"]) for item in documents] == [(0, "A"), (1, "B")]
    assert list(documents[0].value) == ["kind", "apiVersion", "b", "a"]
    assert str(documents[1].place(("kind",))) == "f.yaml:10:7"

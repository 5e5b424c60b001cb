"""Objects of a List are converted where they stand, and all around them stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.convert.rewrite import rewrite
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text

GOLDEN = Path(__file__).parents[2] / "golden"
INPUTS = sorted(GOLDEN.glob("*/*/input.yaml"))
LIST = """\
# what runs
apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
# the graph
- apiVersion: nvidia.com/v1alpha1
  kind: DynamoGraphDeployment
  metadata: {name: web}   # called web
  spec:
    services:
      # comes first
      Frontend:
        componentType: frontend   # a frontend
        extraPodSpec:
          mainContainer:
            args:
            - |
              a

              b
  # its end
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}   # as it is

# the last one
-   apiVersion: nvidia.com/v1alpha1
    kind: DynamoComponentDeployment
    metadata: {name: alone}
    spec: {serviceName: W, componentType: worker}

# closing
"""
CONVERTED = """\
# what runs
apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
# the graph
- apiVersion: nvidia.com/v1beta1
  kind: DynamoGraphDeployment
  metadata: {name: web}   # called web
  spec:
    components:
    # comes first
    - name: Frontend
      type: frontend   # a frontend
      podTemplate:
        spec:
          containers:
          - name: main
            args:
            - |
              a

              b
  # its end
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}   # as it is

# the last one
-   apiVersion: nvidia.com/v1beta1
    kind: DynamoComponentDeployment
    metadata: {name: alone}
    spec: {name: W, type: worker}

# closing
"""


def converted(text: str, to: str = V1BETA1) -> tuple[str, list[str]]:
    findings = Findings()
    result = rewrite(text.encode(), "list.yaml", to, findings)
    return result.data.decode(), [item.slug for item in findings.items]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_stay(newline: str) -> None:
    text, told = converted(LIST.replace("\n", newline))
    assert text == CONVERTED.replace("\n", newline)
    assert told == []


def test_a_converted_list_is_not_touched() -> None:
    assert converted(CONVERTED) == (CONVERTED, [])


def test_json() -> None:
    items: list[Any] = [document.value for document in read_text(LIST.encode(), "", Findings())]
    text, told = converted(json.dumps({"apiVersion": "v1", "kind": "List", "items": items, "metadata": {}}))
    assert told == []
    found = json.loads(text)
    assert list(found) == ["apiVersion", "kind", "items", "metadata"]
    assert found["items"] == [document.value for document in read_text(CONVERTED.encode(), "", Findings())]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: List\nitems: [{apiVersion: %s, kind: DynamoGraphDeployment, metadata: {name: a}}]\n",
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: %s, kind: DynamoGraphDeployment, metadata: {name: a}}\n",
        "apiVersion: v1\nkind: List\nitems:\n-\n  apiVersion: %s\n  kind: DynamoGraphDeployment\n",
        "apiVersion: %s\nkind: DynamoGraphDeploymentList\nitems:\n- metadata: {name: a}\n",
        "apiVersion: v1\nkind: List\nitems:\n- &a\n  apiVersion: %s\n  kind: DynamoGraphDeployment\n- *a\n",
    ],
    ids=["flow list", "flow item", "bare dash", "typed list", "anchor"],
)
def test_what_cannot_be_cut_out_is_told(text: str) -> None:
    text = text % V1ALPHA1
    found, told = converted(text)
    assert found == text
    assert set(told) == {"convert/in-list"}


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.relative_to(GOLDEN).as_posix())
def test_an_item_becomes_what_the_document_becomes(path: Path) -> None:
    text = path.read_text()
    documents = read_text(text.encode(), "", Findings())
    if len(documents) != 1:
        pytest.skip("several documents")
    to = V1BETA1 if documents[0].value["apiVersion"] == V1ALPHA1 else V1ALPHA1
    alone, _ = converted(text, to)
    lines = text.removeprefix("---\n").strip("\n").split("\n")
    body = "\n".join("  " + line if line else "" for line in lines)
    listed, told = converted("apiVersion: v1\nkind: List\nitems:\n- " + body.removeprefix("  ") + "\n", to)
    if "convert/in-list" in told:
        assert text.startswith("#")
        return
    values = [[item.value for item in read_text(found.encode(), "", Findings())] for found in (alone, listed)]
    assert values[0] == values[1]

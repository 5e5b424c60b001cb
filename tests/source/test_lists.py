from __future__ import annotations

from tests.source.reading import read, told


def test_a_list_is_its_items() -> None:
    text = """\
apiVersion: v1
kind: List
metadata: {}
items:
- apiVersion: v1
  kind: Secret
  metadata: {name: a}
- {apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: b}}
---
apiVersion: v1
kind: Pod
"""
    documents, findings = read(text)
    assert findings == []
    assert [(item.index, item.value["kind"]) for item in documents] == [
        (0, "Secret"),
        (1, "DynamoGraphDeployment"),
        (2, "Pod"),
    ]
    assert str(documents[0].place(("metadata", "name"))) == "f.yaml:7:20"
    assert str(documents[1].place(())) == "f.yaml:8:3"


def test_items_of_a_typed_list_have_its_type() -> None:
    text = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentList
items:
- metadata: {name: a}
- apiVersion: nvidia.com/v1beta1
  kind: DynamoGraphDeployment
"""
    documents, findings = read(text)
    assert findings == []
    assert documents[0].value == {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "a"},
    }
    assert str(documents[0].place(("kind",))) == "f.yaml:4:3"
    assert documents[1].value["apiVersion"] == "nvidia.com/v1beta1"


def test_items_with_half_a_type_are_refused() -> None:
    head = "apiVersion: v1\nkind: PodList\nitems:\n"
    assert told(f"{head}- kind: Pod\n- apiVersion: v1\n") == [("read/no-api-version", "4:3"), ("read/no-kind", "5:3")]


def test_lists_of_lists() -> None:
    text = '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"PodList","items":[{"a":1}]}]}'
    documents, findings = read(text)
    assert findings == []
    assert [item.value for item in documents] == [{"apiVersion": "v1", "kind": "Pod", "a": 1}]


def test_a_kind_that_ends_in_list_and_has_no_items_is_an_object() -> None:
    documents, findings = read("apiVersion: a/v1\nkind: AllowList\nspec: {}\n")
    assert findings == []
    assert documents[0].value["kind"] == "AllowList"


def test_bad_lists() -> None:
    head = "apiVersion: v1\nkind: List\n"
    assert told(head) == [("read/empty-list", "1:1")]
    assert told(head + "items: []\n") == [("read/empty-list", "3:8")]
    assert told(head + "items: a\n") == [("read/not-a-list", "3:8")]
    assert told(head + "items:\n- a: 1\n- b\n") == [
        ("read/no-kind", "4:3"),
        ("read/not-an-object", "5:3"),
    ]

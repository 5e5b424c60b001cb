"""Where the way of a graph to v1alpha1 and back can be seen to change nothing, it does change nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from dynamoc.admission.convert import operator
from dynamoc.admission.convert.kinds import KINDS, to_alpha
from dynamoc.admission.convert.operator import to_v1alpha1, to_v1beta1, unmoved
from dynamoc.admission.convert.specs import V1ALPHA1
from tests.convert.corpora import needs_corpora
from tests.convert.features import Tree, alpha_documents
from tests.convert.test_corpora import each_document
from tests.convert.test_properties import patient

GRAPH = "DynamoGraphDeployment"
MAIN = {"image": "main:1"}


def defaulted(written: Tree) -> Tree:
    """What a webhook makes of the converted graph: an annotation, and numbers where there are none."""
    value = to_v1beta1(written)
    spec = value.get("spec") or {}
    components = [{"replicas": 1, "minAvailable": 1, **item} for item in spec.get("components") or ()]
    spec = {**spec, **({"components": components} if components else {})}
    annotations = {**(value["metadata"].get("annotations") or {}), "nvidia.com/origin": "1.4.0"}
    return {**value, "metadata": {**value["metadata"], "annotations": annotations}, "spec": spec}


def assert_holds(written: Tree) -> bool:
    """Whether the way could be spared; where it could, that it leads to the same."""
    value = defaulted(written)
    view = unmoved(written, value)
    if view is None:
        return False
    stored = to_v1beta1(to_v1alpha1(value))
    assert stored == value
    assert view == to_alpha(stored, KINDS[GRAPH])
    return True


def graph(**service: Any) -> Tree:
    metadata = {"name": "g", "namespace": "n"}
    return {"apiVersion": V1ALPHA1, "kind": GRAPH, "metadata": metadata, "spec": {"services": {"Worker": service}}}


@given(alpha_documents)
@patient
def test_what_is_spared_would_change_nothing(document: Tree) -> None:
    if document["kind"] == GRAPH:
        assert_holds(document)


@needs_corpora
def test_what_is_spared_in_the_corpora_would_change_nothing() -> None:
    graphs = [item for _, item, _ in each_document() if item["kind"] == GRAPH and item["apiVersion"] == V1ALPHA1]
    spared = [assert_holds({**item, "metadata": {**item["metadata"], "namespace": "n"}}) for item in graphs]
    assert sum(spared) > len(graphs) / 2


@pytest.mark.parametrize(
    "service",
    [
        {"componentType": "worker"},
        {"componentType": "worker", "envs": [{"name": "A", "value": "1"}], "extraPodSpec": {"mainContainer": MAIN}},
        {"replicas": 0, "resources": {"limits": {"gpu": "1"}}, "labels": {"a": "b"}},
    ],
    ids=["bare", "two places", "numbers of its own"],
)
def test_usual_services_spare_the_way(service: Tree) -> None:
    assert assert_holds(graph(**service))


def test_a_moved_mount_takes_the_way() -> None:
    mounts = [{"mountPoint": "/cache", "useAsCompilationCache": True, "name": "c"}, {"name": "d", "mountPoint": "/d"}]
    written = graph(volumeMounts=mounts)
    assert unmoved(written, defaulted(written)) is None


def test_what_else_a_webhook_sets_takes_the_way() -> None:
    written = graph(componentType="worker")
    value = defaulted(written)
    value["spec"]["components"][0]["roles"] = [{"name": "leader", "replicas": 1}]
    assert unmoved(written, value) is None


def test_an_annotation_of_an_earlier_way_takes_it_again() -> None:
    written = to_v1alpha1(to_v1beta1(graph(componentType="worker")))
    written["metadata"]["annotations"] = {KINDS[GRAPH].spec_key: '{"version":1,"spec":{}}'}
    assert unmoved(written, defaulted(written)) is None


def test_the_first_operator_always_takes_the_way() -> None:
    written = graph(componentType="worker")
    assert operator.switchless_unmoved(written, defaulted(written)) is None

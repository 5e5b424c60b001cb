"""Graphs of v1beta1, as operator 1.4 judges them."""

from typing import Any

import pytest

from tests.webhooks.reviewing import Tree, component, graph, refusals, warnings

OFF = {"nvidia.com/enable-grove": "false"}


def annotated(annotations: dict[str, str], spec: Tree | None = None) -> Tree:
    value = component(spec or {})
    value["metadata"]["annotations"] = annotations
    return value


def test_a_graph_has_components() -> None:
    assert refusals(graph({}, version="v1beta1"), "1.4") == ["admission/no-services spec.components"]
    assert refusals(component({}), "1.4") == []


@pytest.mark.parametrize(
    ("key", "value", "slug"),
    [
        ("nvidia.com/dynamo-operator-origin-version", "1.0", None),
        ("nvidia.com/dynamo-operator-origin-version", "x", "admission/origin-version"),
        ("nvidia.com/vllm-distributed-executor-backend", "Ray", None),
        ("nvidia.com/vllm-distributed-executor-backend", "x", "admission/executor-backend"),
        ("nvidia.com/grove-update-strategy", "OnDelete", None),
        ("nvidia.com/grove-update-strategy", "ondelete", "admission/annotation-value"),
        ("nvidia.com/dynamo-kube-discovery-mode", "pod", None),
        ("nvidia.com/dynamo-kube-discovery-mode", "", "admission/annotation-value"),
    ],
)
def test_annotations(key: str, value: str, slug: str | None) -> None:
    assert refusals(annotated({key: value}), "1.4") == ([f"{slug} metadata.annotations[{key}]"] if slug else [])


@pytest.mark.parametrize(
    ("spec", "graph_spec", "path"),
    [
        ({"minAvailable": 1}, {}, "spec.components[0].minAvailable"),
        (
            {"experimental": {"grove": {"forceScalingGroup": True}}},
            {},
            "spec.components[0].experimental.grove.forceScalingGroup",
        ),
        ({}, {"priorityClassName": "high"}, "spec.priorityClassName"),
        (
            {},
            {"experimental": {"kvTransferPolicy": {"clusterTopologyName": "t", "domain": "rack"}}},
            "spec.experimental.kvTransferPolicy.clusterTopologyName",
        ),
    ],
)
def test_what_needs_grove(spec: Tree, graph_spec: Tree, path: str) -> None:
    value = component(spec, **graph_spec)
    assert refusals(value, "1.4") == []
    assert refusals(value, "1.4", target="lws") == [f"admission/needs-grove {path}"]
    value["metadata"]["annotations"] = OFF
    assert refusals(value, "1.4") == [f"admission/needs-grove {path}"]


@pytest.mark.parametrize(
    ("name", "spec", "fits"),
    [
        ("a" * 37, {}, True),
        ("a" * 38, {}, False),
        ("a" * 16, {"multinode": {"nodeCount": 2}}, True),
        ("a" * 17, {"multinode": {"nodeCount": 2}}, False),
        ("a" * 18, {"experimental": {"grove": {"forceScalingGroup": True}}}, True),
        ("a" * 19, {"experimental": {"grove": {"forceScalingGroup": True}}}, False),
    ],
)
def test_long_names_of_components(name: str, spec: Tree, fits: bool) -> None:
    """A graph's own name is cut, to 8 characters at least; a short one gives the component what it leaves."""
    value = component({**spec, "name": name})
    value["metadata"]["name"] = "b" * 60
    assert refusals(value, "1.4") == ([] if fits else ["admission/name-length spec.components[0].name"])
    value["metadata"]["name"] = "b" * 7
    assert refusals(value, "1.4") == []


def test_names_of_any_length_do_without_grove() -> None:
    assert refusals(component({"name": "a" * 63}), "1.4", target="lws") == []


def topology(*domains: str) -> Tree:
    levels = [{"domain": domain, "key": domain} for domain in domains]
    return {
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "t"},
        "spec": {"levels": levels},
    }


def constrained(graph_domain: str | None, component_domain: str | None) -> Tree:
    spec: dict[str, Any] = {"topologyConstraint": {"clusterTopologyName": "t"}}
    if graph_domain:
        spec["topologyConstraint"]["packDomain"] = graph_domain
    return component({"topologyConstraint": {"packDomain": component_domain}} if component_domain else {}, **spec)


GRAPH = "spec.topologyConstraint.packDomain"
COMPONENT = "spec.components[0].topologyConstraint.packDomain"


@pytest.mark.parametrize(
    ("graph_domain", "component_domain", "path"),
    [
        ("zone", None, None),
        ("zone", "rack", None),
        ("rack", "rack", None),
        (None, "rack", None),
        ("rack", "zone", COMPONENT),
        ("host", None, GRAPH),
        ("zone", "host", COMPONENT),
        (None, None, "spec.topologyConstraint"),
    ],
)
def test_topology(graph_domain: str | None, component_domain: str | None, path: str | None) -> None:
    value = constrained(graph_domain, component_domain)
    known = (topology("zone", "rack"),)
    assert refusals(value, "1.4", objects=known) == ([f"admission/topology {path}"] if path else [])
    assert warnings(value, "1.4", objects=known) == []


def test_a_topology_that_nobody_showed_is_unknown() -> None:
    value = constrained("zone", None)
    path = "spec.topologyConstraint.clusterTopologyName"
    assert refusals(value, "1.4") == []
    assert warnings(value, "1.4") == [f"context/unknown-clustertopologybinding {path}"]
    assert warnings(value, "1.4", target="lws") == []


def test_a_component_packs_into_the_graphs_topology() -> None:
    value = component({"topologyConstraint": {"packDomain": "rack"}})
    assert refusals(value, "1.4") == ["admission/topology spec.components[0].topologyConstraint"]


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ({"labelKey": "zone", "domain": "x"}, None),
        ({"clusterTopologyName": "t", "domain": "rack"}, None),
        ({"clusterTopologyName": "t", "domain": "host"}, "domain"),
        ({"clusterTopologyName": "T", "domain": "rack"}, "clusterTopologyName"),
    ],
)
def test_transfer_policy(policy: Tree, path: str | None) -> None:
    value = component({}, experimental={"kvTransferPolicy": policy})
    found = refusals(value, "1.4", objects=(topology("zone", "rack"),))
    assert found == ([f"admission/topology spec.experimental.kvTransferPolicy.{path}"] if path else [])

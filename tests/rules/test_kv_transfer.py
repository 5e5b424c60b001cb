"""KV transfer by topology, and packing by it."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.documents.findings.finding import Refusal
from dynamoc.rendering.rules.env import float32_text
from tests.rules.graphs import env, render

GRAPH = """
experimental: {kvTransferPolicy: {labelKey: topology.kubernetes.io/zone, domain: zone}}
components:
- name: worker
  type: decode
  podTemplate:
    spec:
      volumes: [{name: topology-labels, emptyDir: {}}, {name: work, emptyDir: {}}]
      containers:
      - name: main
        image: engine:1.4.0
        env: [{name: ZZ, value: z}, {name: DYN_KV_TRANSFER_DOMAIN, value: mine}]
        volumeMounts: [{name: work, mountPath: /etc/dynamo/topology}, {name: work, mountPath: /work}]
- name: Frontend
  type: frontend
  podTemplate: {spec: {containers: [{name: main, image: "frontend:1.4.0"}]}}
"""
_BINDING = {
    "apiVersion": "grove.io/v1alpha1",
    "kind": "ClusterTopologyBinding",
    "metadata": {"name": "racks"},
    "spec": {"levels": [{"domain": "zone", "key": "z"}, {"domain": "rack", "key": "r"}]},
}
_BY_TOPOLOGY = GRAPH.replace("labelKey: topology.kubernetes.io/zone", "clusterTopologyName: racks")


def test_workers_learn_the_policy_and_nobody_else() -> None:
    cliques = render(GRAPH).cliques()
    variables = env(cliques["worker"]["spec"]["podSpec"]["containers"][0])
    assert variables["DYN_KV_TRANSFER_DOMAIN"] == "zone"
    assert variables["DYN_KV_TRANSFER_ENFORCEMENT"] == "required"
    assert "DYN_KV_TRANSFER_PREFERRED_WEIGHT" not in variables
    assert "DYN_TOPOLOGY_ENABLED" not in env(cliques["frontend"]["spec"]["podSpec"]["containers"][0])


def test_the_topology_takes_the_place_of_what_the_user_put_there() -> None:
    pod = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]
    mounts = pod["containers"][0]["volumeMounts"]
    assert [(mount["name"], mount["mountPath"]) for mount in mounts[:2]] == [
        ("work", "/work"),
        ("topology-labels", "/etc/dynamo/topology"),
    ]
    (volume,) = [volume for volume in pod["volumes"] if volume["name"] == "topology-labels"]
    field = {"fieldPath": "metadata.labels['topology.kubernetes.io/zone']"}
    assert volume["downwardAPI"] == {"items": [{"path": "zone", "fieldRef": field}]}


def test_a_topology_gives_a_file_for_each_level() -> None:
    pod = render(_BY_TOPOLOGY, _BINDING).cliques()["worker"]["spec"]["podSpec"]
    (volume,) = [volume for volume in pod["volumes"] if volume["name"] == "topology-labels"]
    assert [item["path"] for item in volume["downwardAPI"]["items"]] == ["zone", "rack"]


def test_the_topology_marks_the_pods() -> None:
    annotations = render(_BY_TOPOLOGY, _BINDING).cliques()["worker"]["annotations"]
    assert annotations["nvidia.com/topology-cluster-topology-name"] == "racks"


def test_an_unknown_topology_is_told_and_a_missing_domain_refused() -> None:
    assert "context/unknown-clustertopologybinding" in [slug for slug, _ in render(_BY_TOPOLOGY).told]
    with pytest.raises(Refusal) as refused:
        render(_BY_TOPOLOGY.replace("domain: zone", "domain: block"), _BINDING)
    assert refused.value.slug == "topology/unknown-domain"


_PACKED = """
topologyConstraint: {clusterTopologyName: racks, packDomain: zone}
components:
- {name: lone, type: worker, topologyConstraint: {packDomain: rack}}
- {name: wide, type: worker, multinode: {nodeCount: 2}, topologyConstraint: {packDomain: rack}}
"""


def test_constraints_stand_at_the_set_at_groups_and_at_lone_cliques() -> None:
    template = render(_PACKED).one("PodCliqueSet")["spec"]["template"]
    cliques = {clique["name"]: clique.get("topologyConstraint") for clique in template["cliques"]}
    rack = {"pack": {"required": "rack"}}
    assert template["topologyConstraint"] == {"topologyName": "racks", "pack": {"required": "zone"}}
    assert cliques == {"lone": rack, "wide-ldr": None, "wide-wkr": None}
    assert template["podCliqueScalingGroups"][0]["topologyConstraint"] == rack


def test_components_name_the_topology_where_the_graph_packs_nothing() -> None:
    template = render(_PACKED.replace(", packDomain: zone", "")).one("PodCliqueSet")["spec"]["template"]
    assert "topologyConstraint" not in template
    expected = {"topologyName": "racks", "pack": {"required": "rack"}}
    assert template["cliques"][0]["topologyConstraint"] == expected


@pytest.mark.parametrize(("number", "text"), [(0.85, "0.85"), (1, "1"), (0.1, "0.1"), (1e-7, "0.0000001"), (0, "0")])
def test_weights_print_as_go_prints_float32(number: float, text: str) -> None:
    assert float32_text(number) == text


@given(st.floats(0, 1, width=32))
def test_weights_read_back_as_the_same_float32(number: float) -> None:
    text = float32_text(number)
    assert "e" not in text
    assert struct.pack("<f", float(text)) == struct.pack("<f", number)

"""Labels and annotations of what is made from a v1beta1 graph."""

from tests.rules.graphs import config, render

GRAPH = """
annotations: {team: graph, only-graph: g}
labels: {tier: graph, nvidia.com/dynamo-component: graph}
components:
- name: Decode
  type: decode
  modelRef: {name: org/model}
  podTemplate:
    metadata:
      labels: {tier: pod, nvidia.com/selector: mine}
      annotations: {team: pod}
    spec: {containers: [{name: main, image: engine:1.4.0}]}
- {name: Epp, type: epp, eppConfig: {config: {plugins: []}}}
"""
SERVICE = """
services:
  Worker:
    componentType: worker
    subComponentType: decode
    labels: {tier: service}
    annotations: {team: service, nvidia.com/dynamo-discovery-backend: kubernetes}
    extraPodMetadata: {annotations: {team: pod}}
    extraPodSpec: {mainContainer: {image: engine:1.4.0}}
"""


def test_system_labels_win_and_user_labels_are_most_specific_last() -> None:
    labels = render(GRAPH).cliques()["decode"]["labels"]
    assert labels["tier"] == "pod"
    assert labels["nvidia.com/dynamo-component"] == "Decode"
    assert labels["nvidia.com/selector"] == "llm-decode"
    assert labels["nvidia.com/dynamo-component-type"] == "decode"


def test_workers_beside_an_epp_carry_the_class_that_its_pool_selects() -> None:
    rendered = render(GRAPH)
    assert rendered.cliques()["decode"]["labels"]["nvidia.com/dynamo-component-class"] == "worker"
    assert "nvidia.com/dynamo-component-class" not in rendered.cliques()["epp"]["labels"]
    selector = rendered.one("InferencePool")["spec"]["selector"]["matchLabels"]
    assert selector == {"nvidia.com/dynamo-component-class": "worker", "nvidia.com/dynamo-namespace": "default-llm"}


def test_annotations_of_the_graph_s_spec_lie_below_the_pods() -> None:
    annotations = render(GRAPH).cliques()["decode"]["annotations"]
    assert (annotations["team"], annotations["only-graph"]) == ("pod", "g")


def test_the_clique_set_and_its_model_service_carry_the_graph_s_own() -> None:
    rendered = render(GRAPH)
    pcs = rendered.one("PodCliqueSet")["metadata"]
    assert pcs["labels"] == {
        "tier": "graph",
        "nvidia.com/dynamo-component": "graph",
        "nvidia.com/dynamo-graph-deployment-name": "llm",
    }
    assert pcs["annotations"] == {"team": "graph", "only-graph": "g"}
    (model,) = (item for item in rendered.of("Service") if item["metadata"]["name"].startswith("dynamo-model-"))
    assert model["metadata"]["annotations"]["only-graph"] == "g"


def test_a_service_s_own_labels_reach_cliques_below_the_pods() -> None:
    clique = render(SERVICE, version="v1alpha1").cliques()["worker"]
    assert clique["labels"]["tier"] == "service"
    assert clique["annotations"]["team"] == "pod"
    assert clique["labels"]["nvidia.com/dynamo-sub-component-type"] == "decode"
    assert clique["labels"]["nvidia.com/dynamo-component-type"] == "decode"


def test_a_service_s_annotations_do_not_steer_its_pods() -> None:
    template = render(SERVICE, version="v1alpha1", target="plain").one("Deployment")["spec"]["template"]
    assert template["metadata"]["annotations"]["nvidia.com/dynamo-discovery-backend"] == "kubernetes"
    names = {variable["name"] for variable in template["spec"]["containers"][0]["env"]}
    assert "DYN_DISCOVERY_BACKEND" not in names


def test_the_origin_version_stays_off_deployments_and_their_pods() -> None:
    deployment = render(GRAPH, target="plain").of("Deployment")[0]
    origin = "nvidia.com/dynamo-operator-origin-version"
    assert origin not in deployment["metadata"].get("annotations", {})
    assert origin not in deployment["spec"]["template"]["metadata"].get("annotations", {})
    assert origin in render(GRAPH).cliques()["decode"]["annotations"]


def test_an_epp_stays_out_of_the_mesh_without_grove_only() -> None:
    inject = "sidecar.istio.io/inject"
    deployments = {item["metadata"]["name"]: item for item in render(GRAPH, target="plain").of("Deployment")}
    assert deployments["llm-epp"]["spec"]["template"]["metadata"]["annotations"][inject] == "false"
    assert inject not in render(GRAPH).cliques()["epp"]["annotations"]


def test_discovery_labels_follow_the_graph() -> None:
    settings = config()
    settings.discovery.backend = "kubernetes"
    labels = render(GRAPH, settings=settings).cliques()["decode"]["labels"]
    assert labels["nvidia.com/dynamo-discovery-enabled"] == "true"
    assert "nvidia.com/dynamo-discovery-enabled" not in render(GRAPH).cliques()["decode"]["labels"]

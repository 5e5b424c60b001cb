"""DynamoComponentDeployments of a v1beta1 graph, and what is made from them without Grove."""

import json

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import Rendered, env, render

GRAPH = """
components:
- {name: Frontend, type: frontend, replicas: 2}
- name: Worker
  type: worker
  replicas: 3
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.vllm]
        args: [--model, m]
        resources: {limits: {nvidia.com/gpu: "1"}}
"""


def suffix(text: str) -> str:
    (worker,) = (item for item in render(text, target="plain").of("Deployment") if "worker" in item["metadata"]["name"])
    return str(worker["metadata"]["name"]).removeprefix("llm-worker-")


def test_only_workers_carry_the_hash() -> None:
    rendered = render(GRAPH, target="plain")
    digest = suffix(GRAPH)
    names = {item["metadata"]["name"] for item in rendered.of("Deployment")}
    assert names == {"llm-frontend", f"llm-worker-{digest}"}
    assert len(digest) == 8
    worker = next(item for item in rendered.of("Deployment") if digest in item["metadata"]["name"])
    assert worker["metadata"]["labels"]["nvidia.com/dynamo-worker-hash"] == digest
    assert env(worker["spec"]["template"]["spec"]["containers"][0])["DYN_NAMESPACE_WORKER_SUFFIX"] == digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("replicas: 3", "replicas: 4"),
        ("replicas: 3", "replicas: 3\n  minAvailable: 2"),
        ("replicas: 3", "replicas: 3\n  scalingAdapter: {}"),
        ("replicas: 2", "replicas: 7"),
        ("type: worker", "type: worker\n  runtimeVersionOverride: 1.4.9"),
    ],
)
def test_what_needs_no_new_workers_keeps_the_hash(old: str, new: str) -> None:
    assert suffix(GRAPH.replace(old, new)) == suffix(GRAPH)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("engine:1.4.0", "engine:1.4.1"),
        ("--model, m", "--model, n"),
        ("type: worker", "type: decode"),
        ("type: worker", "type: worker\n  modelRef: {name: m}"),
        ("type: worker", "type: worker\n  runtimeVersionOverride: 1.5.0"),
        ("components:", "env: [{name: A, value: b}]\ncomponents:"),
        ("components:", "labels: {a: b}\ncomponents:"),
    ],
)
def test_what_needs_new_workers_changes_the_hash(old: str, new: str) -> None:
    assert suffix(GRAPH.replace(old, new)) != suffix(GRAPH)


def test_a_version_says_the_same_in_the_tag_and_beside_it() -> None:
    by_tag = GRAPH.replace("engine:1.4.0", "engine:v1.5.0-rc1")
    assert suffix(by_tag) == suffix(by_tag.replace("type: worker", "type: worker\n  runtimeVersionOverride: 1.5.0"))


def test_the_backend_that_the_workers_run_is_written_into_every_component() -> None:
    components = render(GRAPH, target="plain").of("DynamoComponentDeployment")
    assert {item["spec"]["backendFramework"] for item in components} == {"vllm"}


@pytest.mark.parametrize("target", ["grove", "plain"])
def test_two_backends_in_one_graph_are_refused_on_every_pathway(target: str) -> None:
    other = "\n- name: Other\n  type: prefill\n  podTemplate: {spec: {containers: [{name: main, args: [%s]}]}}\n"
    with pytest.raises(Refusal) as refused:
        render(GRAPH + other % "python3 -m dynamo.sglang", target=target)
    assert refused.value.slug == "backend/mixed"


def test_a_component_keeps_what_v1beta1_cannot_say() -> None:
    service = "services: {Frontend: {componentType: frontend, labels: {a: b}, dynamoNamespace: mine}}"
    rendered = render(service, version="v1alpha1", target="plain")
    kept = json.loads(rendered.one("DynamoComponentDeployment")["metadata"]["annotations"]["nvidia.com/dcd-spec"])
    assert kept["spec"] == {"labels": {"a": "b"}, "dynamoNamespace": "mine"}
    assert kept["rawJSON"] == [{"path": "serviceName", "nil": True}]


def lws(nodes: int = 2, fields: str = "") -> Rendered:
    multinode = f"type: worker\n  multinode: {{nodeCount: {nodes}}}\n  {fields}"
    return render(GRAPH.replace("type: worker", multinode), target="lws")


def test_one_leader_worker_set_holds_all_replicas() -> None:
    rendered = lws(4)
    made = rendered.one("LeaderWorkerSet")
    assert made["metadata"]["name"].endswith("-0")
    assert "annotations" not in made["metadata"]
    assert (made["spec"]["replicas"], made["spec"]["leaderWorkerTemplate"]["size"]) == (3, 4)
    assert not rendered.of("PodGroup")
    for part in ("leader", "worker"):
        template = made["spec"]["leaderWorkerTemplate"][f"{part}Template"]
        assert template["metadata"]["labels"]["role"] == part
        assert "nvidia.com/selector" not in template["metadata"]["labels"]
        assert "schedulerName" not in template["spec"]


def test_a_leader_worker_set_must_say_what_it_runs() -> None:
    text = GRAPH.replace("type: worker", "type: worker\n  multinode: {nodeCount: 2}")
    with pytest.raises(Refusal) as refused:
        render(text.replace("args: [--model, m]", "args: []").replace("dynamo.vllm", "other"), target="lws")
    assert refused.value.slug == "lws/incomplete-main-container"


def test_nodes_need_an_orchestrator() -> None:
    with pytest.raises(Refusal) as refused:
        render(GRAPH.replace("type: worker", "type: worker\n  multinode: {nodeCount: 2}"), target="plain")
    assert refused.value.slug == "target/no-multinode-orchestrator"


STANDALONE = """
name: Worker
type: decode
backendFramework: vllm
podTemplate:
  metadata: {annotations: {nvidia.com/deployment-strategy: Recreate}}
  spec: {containers: [{name: main, image: engine:1.4.0}]}
"""


def test_a_component_alone_is_its_own_graph() -> None:
    deployment = render(STANDALONE, kind="DynamoComponentDeployment", name="alone").one("Deployment")
    template = deployment["spec"]["template"]
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert "replicas" not in deployment["spec"]
    assert template["metadata"]["labels"]["nvidia.com/dynamo-namespace"] == "default-alone"
    assert env(template["spec"]["containers"][0])["DYN_PARENT_DGD_K8S_NAME"] == "alone"
    assert template["spec"]["serviceAccountName"] == "default"


def test_labels_of_an_older_operator_keep_the_component_type_worker() -> None:
    labels = {"nvidia.com/dynamo-component-type": "worker"}
    rendered = render(STANDALONE, kind="DynamoComponentDeployment", name="alone", labels=labels)
    template = rendered.one("Deployment")["spec"]["template"]
    assert template["metadata"]["labels"]["nvidia.com/dynamo-component-type"] == "worker"
    assert env(template["spec"]["containers"][0])["DYN_COMPONENT"] == "worker"


def test_the_namespace_of_v1alpha1_holds_for_a_component_alone() -> None:
    text = "{serviceName: Worker, componentType: frontend, dynamoNamespace: mine}"
    rendered = render(text, kind="DynamoComponentDeployment", version="v1alpha1", name="alone")
    assert rendered.one("Service")["spec"]["selector"]["nvidia.com/dynamo-namespace"] == "mine"


def test_an_empty_dynamo_namespace_makes_no_service() -> None:
    with pytest.raises(Refusal) as refused:
        render(
            "{serviceName: W, componentType: frontend, dynamoNamespace: ''}",
            kind="DynamoComponentDeployment",
            version="v1alpha1",
        )
    assert refused.value.slug == "service/no-dynamo-namespace"

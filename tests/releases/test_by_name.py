"""Features, constants and steps that nothing else shows (tests/coverage/reached.toml)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.helm_values import chart_default
from dynamoc.admission.webhooks.defaults import leaves_alone
from dynamoc.reference.releases import get_release
from dynamoc.rendering.lower.snapshot_pods import contract_hash
from dynamoc.rendering.rules.command import joined
from tests.cluster.test_capabilities import definition, found
from tests.releases.compiled import Tree, compiled, container, env, frontend, graph, worker
from tests.releases.test_edges import IDENTITY, alpha, first_checkpoint, taken

SNAPSHOTS = "checkpoint: {enabled: true, storage: {type: pvc, pvc: {pvcName: snapshots, basePath: /snapshots}}}"
VLLM = {"command": ["python3", "-m", "dynamo.vllm"], "args": ["--model", "m"]}


def pod(objects: dict[str, Tree]) -> Tree:
    """The pod of the only workload."""
    (made,) = objects.values()
    spec: Tree = made["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("word", ["false", "False", "FALSE"])
def test_grove_is_turned_off_in_any_letter_case(tmp_path: Path, word: str) -> None:
    """controller/dynamographdeployment_controller.go reconcileResources since 0.5"""
    document = graph(worker(), annotations={"nvidia.com/enable-grove": word})
    made = compiled(tmp_path, "1.4", document)
    assert not made.of("PodCliqueSet")
    assert made.of("Deployment")


@pytest.mark.parametrize(("release", "alone"), [("1.2", False), ("1.4", True)])
def test_a_webhook_that_changes_nothing_writes_nothing_since_1_3(release: str, alone: bool) -> None:
    """controller-runtime v0.24.1, pkg/webhook/admission/defaulter_custom.go, Handle"""
    value: Tree = {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoComponentDeployment",
        "metadata": {"name": "c"},
        "spec": {"name": "c"},
    }
    context = ClusterContext([value], chart_default(release), get_release(release), "plain")
    assert leaves_alone(value, context) is alone


def test_snapshots_of_1_5_need_the_api_of_their_operator() -> None:
    """internal/features/gates.go of 1.5"""
    graphs = definition("nvidia.com")
    graphs["spec"] |= {"names": {"kind": "DynamoGraphDeployment"}, "versions": [{"name": "v1beta1", "served": True}]}
    for name, missing in (("1.4", ()), ("1.5", (("checkpoint.enabled", "nvidia.com/v1alpha1/PodSnapshot"),))):
        assert found("grove", graphs, name=name, checkpoint__enabled=True).missing == missing


def test_a_mesh_is_there_where_its_definitions_are() -> None:
    """internal/controller_common/predicate.go DetectIstioAvailability"""
    mesh = {"service_mesh__provider": "istio", "service_mesh__enabled": None}
    for kind, there in (("DestinationRule", True), ("Gateway", False)):
        rules = definition("networking.istio.io")
        rules["spec"] |= {"names": {"kind": kind}, "versions": [{"name": "v1beta1", "served": True}]}
        assert found("grove", definition("nvidia.com"), rules, name="1.4", **mesh).istio is there


@pytest.mark.parametrize(("release", "text"), [("0.6", "--model a b"), ("1.0", '--model "a b"')])
def test_words_are_quoted_for_a_shell_since_1_0(release: str, text: str) -> None:
    """internal/dynamo/utils.go shellQuoteForBashC"""
    assert joined(["--model", "a b"], get_release(release)) == text


@pytest.mark.parametrize(("release", "shadow"), [("1.2", True), ("1.4", False)])
def test_engines_without_failover_are_no_shadows_since_1_3(tmp_path: Path, release: str, shadow: bool) -> None:
    """internal/dynamo/backend_vllm.go UpdateContainer"""
    document = graph(worker(version="1.2.0", **VLLM, experimental={"gpuMemoryService": {"mode": "InterPod"}}))
    made = compiled(tmp_path, release, document, config="dra: {enabled: true}" if release == "1.4" else "")
    assert not made.errors, [item.message for item in made.findings.items]
    engines = [container(clique["spec"]["podSpec"], "main") for clique in made.template["cliques"]]
    shadows = [env(engine).get("DYN_VLLM_GMS_SHADOW_MODE") for engine in engines]
    assert ("true" in shadows) is shadow


def test_a_snapshot_of_1_0_is_restored_under_a_profile(tmp_path: Path) -> None:
    """internal/checkpoint/dgd_integration.go InjectCheckpointIntoPodSpec of 1.0; consts.go has the profile's name."""
    first_checkpoint(tmp_path, {"checkpointRef": "mine"}, taken(identityHash="abc"))
    options: Any = {"config": SNAPSHOTS, "context": [str(tmp_path / "known.json")], "target": "plain"}
    document = json.loads((tmp_path / "new.yaml").read_text())
    security = pod(compiled(tmp_path, "1.0", document, **options).of("Deployment"))["securityContext"]
    assert security["seccompProfile"] == {"type": "Localhost", "localhostProfile": "profiles/block-iouring.json"}


def test_what_a_restored_process_is_told_anew_is_not_in_its_contract() -> None:
    """internal/checkpoint/compatibility.go of 1.5"""

    def hashed(name: str, value: str) -> str:
        main = {"name": "main", "image": "i:1", "env": [{"name": name, "value": value}]}
        release = get_release("1.5")
        return contract_hash({"spec": {"containers": [main]}}, main, release, backend="vllm", memory=("disabled", ""))

    assert hashed("DYN_NAMESPACE", "a") == hashed("DYN_NAMESPACE", "b")
    assert hashed("MODEL", "a") != hashed("MODEL", "b")


def test_a_compilation_cache_is_a_volume_of_its_claim_in_1_2(tmp_path: Path) -> None:
    """internal/dynamo/graph.go GenerateBasePodSpec of 1.2"""
    document = graph(worker(**VLLM, compilationCache={"pvcName": "cache"}))
    made = compiled(tmp_path, "1.2", document, target="plain")
    volumes = pod(made.of("Deployment"))["volumes"]
    assert {"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}} in volumes
    # It is not one that a mount without a volume brings.
    assert "volumes/claim-of-mount" not in made.warnings


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_a_shared_snapshot_that_is_ready_is_restored(tmp_path: Path, release: str) -> None:
    """internal/checkpoint/podspec.go InjectCheckpointIntoPodSpec of 1.1, injectCheckpointIntoPodSpec of 1.2"""
    (tmp_path / "known.json").write_text(json.dumps(taken(identityHash="abc", checkpointID="abc")))
    if release == "1.1":
        main = {"image": "vllm-runtime:1.1.0", **VLLM}
        checkpoint = {"enabled": True, "checkpointRef": "mine"}
        document = alpha({"componentType": "worker", "checkpoint": checkpoint, "extraPodSpec": {"mainContainer": main}})
    else:
        document = graph(worker(**VLLM, experimental={"checkpoint": {"checkpointRef": "mine"}}))
    options: Any = {"config": SNAPSHOTS, "context": [str(tmp_path / "known.json")], "target": "plain"}
    made = compiled(tmp_path, release, document, **options)
    assert not made.errors, [item.message for item in made.findings.items]
    main = container(pod(made.of("Deployment")), "main")
    assert main["command"] == ["sleep", "infinity"]
    # In 1.1 the agent's own volume, which nothing shows here.
    assert ({"name": "checkpoint-storage", "mountPath": "/snapshots"} in main["volumeMounts"]) is (release == "1.2")


def snapshot_job(folder: Path, release: str, **identity: Any) -> Tree:
    """The container of the Job of a DynamoCheckpoint."""
    main = {"name": "main", "image": "i:1", **VLLM}
    document = taken()
    del document["status"]
    document["spec"]["identity"] = {**IDENTITY, **identity}
    document["spec"]["job"]["podTemplateSpec"]["spec"]["containers"] = [main]
    made = compiled(folder, release, document, config=SNAPSHOTS, target="plain")
    assert not made.errors, [item.message for item in made.findings.items]
    return container(pod(made.of("Job")), "main")


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_the_job_of_a_shared_snapshot(tmp_path: Path, release: str) -> None:
    """controller/checkpoint_job.go buildCheckpointJob, buildCheckpointWorkerDefaultEnv"""
    one, two = (snapshot_job(tmp_path, release, tensorParallelSize=size) for size in (1, 2))
    assert one["command"] == VLLM["command"]
    assert (two["command"], two["args"][:4]) == (["cuda-checkpoint"], ["--launch-job", *VLLM["command"]])
    assert env(one)["DYN_DISCOVERY_BACKEND"] == "kubernetes"
    assert env(one)["DYN_COMPONENT"] == "worker"
    assert ({"name": "checkpoint-storage", "mountPath": "/snapshots"} in one["volumeMounts"]) is (release == "1.2")


def test_a_user_s_labels_replace_none_of_the_operator_s_since_1_1(tmp_path: Path) -> None:
    """controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec of 1.1"""
    labels = {"nvidia.com/dynamo-component-type": "mine", "nvidia.com/dynamo-graph-deployment-name": "mine", "own": "a"}
    service = {"componentType": "worker", "extraPodMetadata": {"labels": labels}}
    service["extraPodSpec"] = {"mainContainer": {"image": "vllm-runtime:1.1.0", **VLLM}}
    (made,) = compiled(tmp_path, "1.1", alpha(service), target="plain").of("Deployment").values()
    found = made["spec"]["template"]["metadata"]["labels"]
    assert {name: found[name] for name in labels} == {
        "nvidia.com/dynamo-component-type": "worker",
        "nvidia.com/dynamo-graph-deployment-name": "llm",
        "own": "a",
    }


def test_a_worker_of_1_6_has_the_operator_s_addresses(tmp_path: Path) -> None:
    """internal/dynamo/component_common.go getCommonContainer of 1.6"""
    config = "infrastructure: {natsAddress: 'nats://here:4222'}"
    made = compiled(tmp_path, "1.6", graph(worker(**VLLM)), config=config)
    assert env(made.main("w"))["NATS_SERVER"] == "nats://here:4222"


def test_a_frontend_has_the_operator_s_ingress(tmp_path: Path) -> None:
    """controller/dynamocomponentdeployment_controller.go dcdIngressSpec since 1.2"""
    config = "ingress: {controllerClassName: nginx, hostSuffix: example.com}"
    made = compiled(tmp_path, "1.4", graph(frontend(), worker(**VLLM)), config=config, target="plain")
    assert [item["spec"]["rules"][0]["host"] for item in made.of("Ingress").values()] == ["g.example.com"]


def test_cliques_keep_the_order_of_components_since_1_2(tmp_path: Path) -> None:
    """internal/controller/dgd_grove_workload_renderer.go orderLikeExisting"""
    made = compiled(tmp_path, "1.4", graph(worker("zeta", **VLLM), worker("alpha", **VLLM)))
    assert [clique["name"] for clique in made.template["cliques"]] == ["zeta", "alpha"]


def test_an_ingress_has_no_dots_in_its_name_since_1_2(tmp_path: Path) -> None:
    """internal/dynamo/graph.go NormalizeKubeResourceName; before, no Service can be its backend"""
    config = "ingress: {controllerClassName: nginx, hostSuffix: example.com}"
    document = graph(frontend(), worker(**VLLM))
    document["metadata"]["name"] = "my.g"
    assert list(compiled(tmp_path, "1.4", document, config=config).of("Ingress")) == ["my-g-frontend"]

"""Snapshots of 1.5 and 1.6 as the operator's source and its own tests say; no record tells.

Facts of the operator's tests stand here in other words: controller/dgd_checkpoints_reconciler_test.go and
internal/checkpoint/{compatibility,podspec,native}_test.go of 3d741331e (1.5), the same and internal/dynamo/
failover_test.go of 689a20b49 (1.6).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.reference.releases import get_release
from dynamoc.rendering.lower.snapshot_pods import contract_hash
from tests.releases.compiled import Compiled, Tree, compiled, container, env, graph, worker

ON = "checkpoint: {enabled: true}"
VLLM = {"command": ["python3", "-m", "dynamo.vllm"], "args": ["--model", "m"]}
UID, JOB_UID = "graph-uid", "job-uid"
KEY = "nvidia.com/dynamo-"
CONTRACT, HASH = f"{KEY}snapshot-compatibility-version", f"{KEY}snapshot-compatibility-hash"


def document(checkpoint: Tree | None = None, *, service: Tree | None = None, **fields: Any) -> Tree:
    """A graph with one worker that has a checkpoint, and the UID of a cluster."""
    experimental: Tree = {"checkpoint": {"enabled": True, **(checkpoint or {})}}
    if service is not None:
        experimental["gpuMemoryService"] = service
    experimental |= fields.pop("experimental", {})
    value = graph(worker(**{**VLLM, **fields}, experimental=experimental))
    value["metadata"]["uid"] = UID
    return value


def rendered(folder: Path, value: Tree, release: str = "1.5", *known: Tree, **options: Any) -> Compiled:
    options.setdefault("config", ON)
    if known:
        (folder / "known.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(known)}))
        options["context"] = [str(folder / "known.json")]
    return compiled(folder, release, value, **options)


def job_of(found: Compiled) -> Tree:
    assert not found.errors, [item.message for item in found.findings.items]
    (job,) = found.of("SnapshotJob").values()
    return job


def hash_of(found: Compiled) -> str:
    annotations = job_of(found)["spec"]["podSnapshotTemplate"]["metadata"]["annotations"]
    return str(annotations[HASH])


def test_the_contract_has_the_hash_that_the_operator_pins() -> None:
    """TestComputeSnapshotCompatibilityHashV2KnownAnswer: the pod is that of the test, so that the digits are."""
    main = {
        "name": "main",
        "image": "registry.example/worker@sha256:" + "1" * 64,
        "imagePullPolicy": "IfNotPresent",
        "command": ["python3", "-m", "dynamo.vllm"],
        "args": ["--model", "/models/model", "--tensor-parallel-size", "1"],
        "workingDir": "/workspace",
        "env": [
            {"name": "MODEL_ROOT", "value": "/models"},
            {"name": "MODEL_PATH", "value": "$(MODEL_ROOT)/model"},
            {"name": "DYN_NAMESPACE", "value": "capture-runtime"},
        ],
        "envFrom": [{"prefix": "WORKER_", "configMapRef": {"name": "worker-config"}}],
        "resources": {
            "limits": {"nvidia.com/gpu": "1", "memory": "64Gi"},
            "requests": {"nvidia.com/gpu": "1", "memory": "32Gi"},
            "claims": [{"name": "accelerator", "request": "gpu"}],
        },
        "volumeMounts": [
            {"name": "models", "mountPath": "/models", "readOnly": True},
            {"name": "config", "mountPath": "/etc/worker", "readOnly": True},
        ],
        "securityContext": {"runAsNonRoot": True, "allowPrivilegeEscalation": False},
    }
    prepare = {
        "name": "prepare",
        "image": "registry.example/prepare@sha256:" + "2" * 64,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/bin/sh", "-c"],
        "args": ["cp /input/config.yaml /output/config.yaml"],
        "volumeMounts": [
            {"name": "config", "mountPath": "/input", "readOnly": True},
            {"name": "models", "mountPath": "/output"},
        ],
    }
    large = {"key": "nvidia.com/gpu.memory", "operator": "Gt", "values": ["70000"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [large]}]}
    spec = {
        "containers": [main],
        "initContainers": [prepare],
        "volumes": [
            {"name": "models", "persistentVolumeClaim": {"claimName": "model-cache", "readOnly": True}},
            {"name": "config", "configMap": {"name": "worker-config"}},
        ],
        "hostNetwork": True,
        "hostPID": True,
        "shareProcessNamespace": True,
        "securityContext": {"runAsNonRoot": True, "fsGroup": 1000},
        "runtimeClassName": "nvidia",
        "nodeName": "gpu-node-07",
        "nodeSelector": {"nvidia.com/gpu.product": "H100", "kubernetes.io/arch": "amd64"},
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
        "schedulerName": "gpu-scheduler",
        "resourceClaims": [{"name": "accelerator", "resourceClaimName": "gpu-claim"}],
    }
    for release in ("1.5", "1.6"):
        memory = ("IntraPod", "gpu.nvidia.com/h100")
        found = contract_hash({"spec": spec}, main, get_release(release), backend="vllm", memory=memory)
        assert found == "bdd84a0ec0b3c59217f168356fd65f64507e30de28e7d4fe2eda7290dd9f80f1"


GPU_NODE = {"nodeSelector": {"nvidia.com/gpu.product": "H100"}}
CHANGES: dict[str, tuple[Tree, bool]] = {
    "another image": ({"image": "vllm-runtime:1.5.1"}, True),
    "another policy for images": ({"imagePullPolicy": "Always"}, True),
    "another argument": ({"args": ["--model", "m", "--seed", "1"]}, True),
    "another variable": ({"env": [{"name": "MODEL_PATH", "value": "/other"}]}, True),
    "a variable that is refreshed": ({"env": [{"name": "DYN_SYSTEM_HOST", "value": "::"}]}, False),
    "the protocol of GPU memory": ({"env": [{"name": "DYN_GMS_USE_V1", "value": "false"}]}, False),
    "another probe": ({"livenessProbe": {"tcpSocket": {"port": 1}}}, False),
    "another port": ({"ports": [{"containerPort": 7}]}, False),
    "another end": ({"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}, False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_restored_process_needs_is_hashed_and_nothing_else(tmp_path: Path, name: str) -> None:
    """TestComputeSnapshotCompatibilityHashRejectsProcessContractChanges, …IsPortableAcrossGraphIdentity"""
    change, is_another = CHANGES[name]
    changed = document()
    container(changed["spec"]["components"][0]["podTemplate"]["spec"], "main").update(change)
    first, second = rendered(tmp_path, document()), rendered(tmp_path, changed)
    assert (hash_of(first) != hash_of(second)) is is_another


@pytest.mark.parametrize(
    ("change", "is_another"), [({"nodeSelector": {"gpu": "H100"}}, True), ({"tolerations": [{"key": "k"}]}, False)]
)
def test_where_pods_run_is_hashed(tmp_path: Path, change: Tree, is_another: bool) -> None:
    changed = document()
    changed["spec"]["components"][0]["podTemplate"]["spec"].update(change)
    assert (hash_of(rendered(tmp_path, changed)) != hash_of(rendered(tmp_path, document()))) is is_another


def test_graphs_share_contracts_but_no_jobs(tmp_path: Path) -> None:
    """TestDGDCheckpointsReconciler_ExplicitRestoreIsPortableAcrossDGDIdentity"""
    other = document()
    other["metadata"] |= {"name": "other", "uid": "another"}
    first, second = rendered(tmp_path, document()), rendered(tmp_path, other)
    assert hash_of(first) == hash_of(second)
    assert job_of(first)["metadata"]["name"] != job_of(second)["metadata"]["name"]


def test_the_operator_s_configuration_makes_another_snapshot(tmp_path: Path) -> None:
    """TestDGDCheckpointsReconciler_CompatibilityHashChangeRecaptures"""
    secure = "infrastructure: {natsTLSCAPath: /etc/ca.pem}\n" + ON
    first, second = rendered(tmp_path, document()), rendered(tmp_path, document(), config=secure)
    assert hash_of(first) != hash_of(second)
    assert job_of(first)["metadata"]["name"] != job_of(second)["metadata"]["name"]
    label = "nvidia.com/dynamo-worker-hash"
    assert job_of(first)["metadata"]["labels"][label] == job_of(second)["metadata"]["labels"][label]


@pytest.mark.parametrize("release", ["1.5", "1.6"])
def test_a_graph_takes_a_snapshot_by_a_job(tmp_path: Path, release: str) -> None:
    """buildAutomaticSnapshotJob; TestDGDCheckpointsReconciler_AutoPreservesPodTemplateMetadata, …AppliesDGDDefaults"""
    value = document({"deletionPolicy": "Retain"})
    value["spec"]["env"] = [{"name": "HF_HOME", "value": "/models"}]
    component = value["spec"]["components"][0]
    component["podTemplate"]["metadata"] = {"labels": {"own": "kept"}, "annotations": {"policy": "kept"}}
    found = rendered(tmp_path, value, release)
    job = job_of(found)
    generation = found.clique("w")["labels"]["nvidia.com/dynamo-worker-hash"]
    labels = {
        "nvidia.com/dynamo-graph-deployment-name": "g",
        "nvidia.com/dynamo-component": "w",
        "nvidia.com/dynamo-worker-hash": generation,
    }
    annotations = {
        f"{KEY}auto-checkpoint": "true",
        f"{KEY}checkpoint-deletion-policy": "Retain",
        f"{KEY}checkpoint-owner-uid": UID,
    }
    assert (job["metadata"]["labels"], job["metadata"]["annotations"]) == (labels, annotations)
    assert job["spec"]["activeDeadlineSeconds"] == 3600
    made = job["spec"]["podSnapshotTemplate"]
    assert made["targetContainers"] == ["main"]
    assert made["metadata"]["labels"] == labels
    own = {CONTRACT: "v2", HASH: hash_of(found), f"{KEY}snapshot-gms-mode": "disabled"}
    assert made["metadata"]["annotations"] == {**annotations, **own}
    template = job["spec"]["podTemplate"]
    assert template["metadata"]["labels"] == {"own": "kept", **labels}
    assert template["metadata"]["annotations"]["policy"] == "kept"
    pod = template["spec"]
    assert env(container(pod, "main"))["HF_HOME"] == "/models"
    assert "DYN_NAMESPACE_WORKER_SUFFIX" not in env(container(pod, "main"))
    assert (pod["restartPolicy"], pod["serviceAccountName"]) == ("Never", "g-k8s-service-discovery")
    assert [volume["name"] for volume in pod["volumes"]] == ["shared-memory"]


@pytest.mark.parametrize("target", ["grove", "plain"])
def test_pods_name_the_job_from_the_start(tmp_path: Path, target: str) -> None:
    """ApplyRestoreCandidateMetadata: readiness must not change the template; what the user wrote there goes."""
    value = document()
    own = {f"{KEY}restore-snapshot-uid": "mine", f"{KEY}checkpoint-name": "mine", "nvidia.com/snapshot-owner": "mine"}
    value["spec"]["components"][0]["podTemplate"]["metadata"] = {"annotations": own}
    found = rendered(tmp_path, value, target=target)
    name = job_of(found)["metadata"]["name"]
    if target == "grove":
        annotations, replicas = found.clique("w")["annotations"], found.clique("w")["spec"]["replicas"]
    else:
        (deployment,) = found.of("Deployment").values()
        annotations, replicas = (
            deployment["spec"]["template"]["metadata"]["annotations"],
            deployment["spec"]["replicas"],
        )
    marks = {key: text for key, text in annotations.items() if "checkpoint" in key or "restore" in key}
    assert marks == {
        f"{KEY}checkpoint-restore-candidate": "true",
        f"{KEY}checkpoint-name": name,
        f"{KEY}checkpoint-startup-policy": "Immediate",
        f"{KEY}restore-source-kind": "SnapshotJob",
        f"{KEY}restore-snapshot-job-uid": "11111111-1111-4111-8111-111111111111",
        f"{KEY}restore-snapshot-compatibility-hash": hash_of(found),
        f"{KEY}restore-target-containers": "main",
    }
    assert annotations["nvidia.com/snapshot-owner"] == "mine"
    assert replicas == 1
    told = [item.message for item in found.findings.items if item.slug == "snapshot/placeholder-uid"]
    assert len(told) == 1
    assert name in told[0]


def test_without_checkpoints_the_user_s_annotations_stay(tmp_path: Path) -> None:
    """internal/dynamo/graph.go buildCliqueForRole asks the gate before it touches them."""
    value = graph(worker(**VLLM))
    own = {f"{KEY}checkpoint-name": "mine"}
    value["spec"]["components"][0]["podTemplate"]["metadata"] = {"annotations": own}
    assert compiled(tmp_path, "1.5", value).clique("w")["annotations"].items() >= own.items()
    assert f"{KEY}checkpoint-name" not in compiled(tmp_path, "1.5", value, config=ON).clique("w")["annotations"]


@pytest.mark.parametrize("release", ["1.5", "1.6"])
def test_memory_of_gpus_is_served_by_the_newer_protocol(tmp_path: Path, release: str) -> None:
    """TestDGDCheckpointsReconciler_SnapshotJobPreservesGMSSaverClient; internal/gms/gms.go EnableV1"""
    saver = {"name": "gms-saver", "image": "saver:1", "command": ["/bin/saver"]}
    job = {"gmsClientContainers": ["gms-saver"], "podTemplate": {"spec": {"containers": [saver]}}}
    found = rendered(tmp_path, document({"job": job}, service={"mode": "IntraPod"}), release)
    pod = job_of(found)["spec"]["podTemplate"]["spec"]
    server = pod["initContainers"][0]
    assert server["name"] == "gms-server"
    for item in (server, container(pod, "main"), container(pod, "gms-saver")):
        assert env(item)["DYN_GMS_USE_V1"] == "true"
        assert item["resources"]["claims"] == [{"name": "intrapod-shared-gpu"}]
        assert {"name": "gms-intrapod-control", "mountPath": "/gms-intrapod-control"} in item["volumeMounts"]
    identifier = job_of(found)["metadata"]["name"]
    (claim,) = pod["resourceClaims"]
    assert claim["resourceClaimTemplateName"] == f"{identifier}-worker-gpu"
    template = found.of("ResourceClaimTemplate")[f"{identifier}-worker-gpu"]
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert (request["exactly"]["count"], request["exactly"]["deviceClassName"]) == (8, "gpu.nvidia.com")
    annotations = job_of(found)["spec"]["podSnapshotTemplate"]["metadata"]["annotations"]
    assert annotations[f"{KEY}snapshot-gms-mode"] == "intraPod"
    serving = found.clique("w")["spec"]["podSpec"]
    assert env(container(serving, "main"))["DYN_GMS_USE_V1"] == "true"
    assert env(serving["initContainers"][0])["DYN_GMS_USE_V1"] == "true"
    plain = graph(worker(**VLLM, experimental={"gpuMemoryService": {"mode": "IntraPod"}}))
    assert "DYN_GMS_USE_V1" not in env(compiled(tmp_path, release, plain).main("w"))


def test_the_job_runs_the_target_and_the_user_s_helpers(tmp_path: Path) -> None:
    """TestDGDCheckpointsReconciler_SnapshotJobUsesTargetContainer, …RejectsMissingClient"""
    helper = {"podTemplate": {"spec": {"containers": [{"name": "saver", "image": "s:1"}]}}}
    value = document({"targetContainerName": "engine", "job": helper})
    containers = value["spec"]["components"][0]["podTemplate"]["spec"]["containers"]
    containers += [{"name": "engine", "image": "e:1"}, {"name": "side", "image": "s:1"}]
    job = job_of(rendered(tmp_path, value))
    assert [item["name"] for item in job["spec"]["podTemplate"]["spec"]["containers"]] == ["engine", "saver"]
    assert job["spec"]["podSnapshotTemplate"]["targetContainers"] == ["engine"]
    missing = document({"job": {"gmsClientContainers": ["nobody"]}}, service={"mode": "IntraPod"})
    assert rendered(tmp_path, missing).errors == ["snapshot/no-target"]
    unknown = document(command=["./serve"], args=[])
    del unknown["spec"]["backendFramework"]
    assert rendered(tmp_path, unknown).errors == ["snapshot/backend"]


@pytest.mark.parametrize("target", ["grove", "plain"])
def test_pods_wait_for_the_snapshot_and_start_once_it_is_complete(tmp_path: Path, target: str) -> None:
    """applyCheckpointStartupPolicy, resolveAutomaticSnapshotJob, …CompatibilityVersionUpgradeRecaptures"""
    value = document({"startupPolicy": "WaitForCheckpoint"}, replicas=2, scalingAdapter={})

    def replicas(found: Compiled) -> int:
        if target == "grove":
            return int(found.clique("w")["spec"]["replicas"])
        (deployment,) = found.of("Deployment").values()
        return int(deployment["spec"]["replicas"])

    waiting = rendered(tmp_path, value, target=target)
    job = job_of(waiting)
    assert replicas(waiting) == 0
    assert not waiting.of("DynamoGraphDeploymentScalingAdapter")
    completed = {**job, "metadata": {**job["metadata"], "uid": JOB_UID}}
    completed["status"] = {
        "podSnapshotName": "taken",
        "podSnapshotUID": "snapshot-uid",
        "conditions": [{"type": "Completed", "status": "True"}],
    }
    snapshot = pod_snapshot("taken", hash_of(waiting), auto=True)
    for known, count in (([completed], 0), ([snapshot], 0), ([completed, snapshot], 2)):
        assert replicas(rendered(tmp_path, value, "1.5", *known, target=target)) == count
    ready = rendered(tmp_path, value, "1.5", completed, snapshot, target=target)
    assert ready.of("DynamoGraphDeploymentScalingAdapter")
    assert not [item for item in ready.findings.items if item.slug == "snapshot/placeholder-uid"]
    failed = {**completed, "status": {"conditions": [{"type": "Failed", "status": "True"}]}}
    assert rendered(tmp_path, value, "1.5", failed, target=target).errors == ["snapshot/unfit"]
    foreign = {**completed, "metadata": {**completed["metadata"], "annotations": {}}}
    assert rendered(tmp_path, value, "1.5", foreign, target=target).errors == ["snapshot/unfit"]


def pod_snapshot(name: str, contract: str, *, auto: bool = False, **annotations: str) -> Tree:
    """A PodSnapshot that is ready, as another operator leaves it."""
    own = {CONTRACT: "v2", HASH: contract, f"{KEY}snapshot-gms-mode": "disabled"}
    if auto:
        own |= {f"{KEY}auto-checkpoint": "true", f"{KEY}checkpoint-owner-uid": UID}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "PodSnapshot",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": "snapshot-uid",
            "annotations": {**own, **annotations},
        },
        "spec": {"source": {"podRef": {"name": "capture", "containers": ["main"]}}},
        "status": {
            "boundPodSnapshotContentName": "content-a",
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def test_pods_start_from_a_snapshot_of_another_graph(tmp_path: Path) -> None:
    """ResolvePodSnapshotForService, ApplyRestoreCandidateMetadata"""
    contract = hash_of(rendered(tmp_path, document()))
    value = document({"checkpointRef": " base ", "startupPolicy": "WaitForCheckpoint"})
    found = rendered(tmp_path, value, "1.5", pod_snapshot("base", contract))
    assert not found.of("SnapshotJob")
    annotations = found.clique("w")["annotations"]
    assert {key: text for key, text in annotations.items() if "checkpoint" in key or "restore" in key} == {
        f"{KEY}checkpoint-restore-candidate": "true",
        f"{KEY}checkpoint-name": "base",
        f"{KEY}checkpoint-startup-policy": "WaitForCheckpoint",
        f"{KEY}restore-source-kind": "PodSnapshot",
        f"{KEY}restore-snapshot-uid": "snapshot-uid",
        f"{KEY}restore-snapshot-content": "content-a",
        f"{KEY}restore-snapshot-gms-mode": "disabled",
        f"{KEY}restore-snapshot-version": "v2",
        f"{KEY}restore-snapshot-compatibility-hash": contract,
        f"{KEY}restore-target-containers": "main",
    }
    assert found.clique("w")["spec"]["replicas"] == 1
    late = {**pod_snapshot("base", contract), "status": {}}
    for known in ([late], []):
        waiting = rendered(tmp_path, value, "1.5", *known).clique("w")
        assert waiting["spec"]["replicas"] == 0
        marks = [key for key in waiting["annotations"] if "restore" in key]
        assert marks == [f"{KEY}restore-snapshot-compatibility-hash"]
    assert rendered(tmp_path, value).warnings == ["context/unknown-podsnapshot"]


def test_a_reference_reaches_the_component(tmp_path: Path) -> None:
    """applyCheckpointStartupPolicy; without Grove, one that waits is never compared, and has no pods."""
    contract = hash_of(rendered(tmp_path, document()))
    snapshot = pod_snapshot("base", contract)
    found = rendered(tmp_path, document({"checkpointRef": "base"}), "1.5", snapshot, target="plain")
    (deployment,) = found.of("Deployment").values()
    assert deployment["spec"]["template"]["metadata"]["annotations"][f"{KEY}checkpoint-name"] == "base"
    waiting = document({"checkpointRef": "base", "startupPolicy": "WaitForCheckpoint"})
    assert rendered(tmp_path, waiting, "1.5", snapshot, target="plain").errors == ["snapshot/wait-without-grove"]


UNFIT: dict[str, Tree] = {
    "of another way of taking snapshots": {"metadata": {"annotations": {CONTRACT: "v1"}}},
    "of another process": {"metadata": {"annotations": {HASH: "0" * 64}}},
    "with GPU memory": {"metadata": {"annotations": {f"{KEY}snapshot-gms-mode": "intraPod"}}},
    "retained by its graph": {
        "metadata": {
            "annotations": {f"{KEY}auto-checkpoint": "true", f"{KEY}checkpoint-deletion-policy": "Retain"},
        }
    },
    "of two containers": {"spec": {"source": {"podRef": {"containers": ["main", "side"]}}}},
    "failed": {"status": {"conditions": [{"type": "Failed", "status": "True"}]}},
    "ready without content": {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_snapshot_that_does_not_fit_is_refused(tmp_path: Path, name: str) -> None:
    """internal/checkpoint/native.go ResolvePodSnapshotForService, internal/gms/clients.go"""
    snapshot = pod_snapshot("base", hash_of(rendered(tmp_path, document())))
    change = UNFIT[name]
    snapshot["metadata"]["annotations"] |= change.get("metadata", {}).get("annotations", {})
    snapshot |= {field: value for field, value in change.items() if field != "metadata"}
    assert rendered(tmp_path, document({"checkpointRef": "base"}), "1.5", snapshot).errors == ["snapshot/unfit"]


SHADOW: Tree = {"service": {"mode": "IntraPod"}, "experimental": {"failover": {"mode": "IntraPod"}}}
WAIT = {"startupPolicy": "WaitForCheckpoint"}


@pytest.mark.parametrize(
    ("release", "value", "refused"),
    [
        ("1.5", document(service={"mode": "InterPod"}), ["admission/checkpoint"]),
        ("1.6", document(service={"mode": "InterPod"}), ["admission/checkpoint"]),
        ("1.5", document(WAIT, **SHADOW), ["admission/checkpoint"]),
        ("1.6", document(WAIT, **SHADOW), []),
        ("1.6", document(**SHADOW), ["admission/checkpoint"]),
        ("1.6", document({**WAIT, "targetContainerName": "other"}, **SHADOW), ["admission/checkpoint"]),
        ("1.6", document(WAIT, **SHADOW, multinode={"nodeCount": 2}), ["admission/failover"]),
        ("1.5", document({"checkpointRef": "base", "job": {}}), ["cel/checkpoint-has-reference-or-job"]),
    ],
)
def test_combinations_are_judged(tmp_path: Path, release: str, value: Tree, refused: list[str]) -> None:
    """internal/checkpoint/compatibility.go ValidateCheckpointCompatibility, ValidateSnapshotFailover"""
    value["metadata"]["annotations"] = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    assert rendered(tmp_path, value, release).errors == refused


@pytest.mark.parametrize(
    ("kind", "checkpoint", "refused"),
    [
        ("worker", {"checkpointRef": "base"}, ["admission/checkpoint"]),
        ("worker", {}, []),
        ("worker", {"enabled": False, "checkpointRef": "base"}, ["admission/checkpoint"]),
        ("frontend", {"enabled": False, "checkpointRef": "base"}, []),
        ("frontend", {"checkpointRef": "base"}, ["admission/checkpoint"]),
    ],
)
def test_only_graphs_restore_what_they_did_not_take(
    tmp_path: Path, kind: str, checkpoint: Tree, refused: list[str]
) -> None:
    """validateWorkerClassCheckpointRefOwnership, validateComponentCheckpointConfig"""
    spec = {**worker(**VLLM), "type": kind, "experimental": {"checkpoint": {"enabled": True, **checkpoint}}}
    alone = {**graph(), "kind": "DynamoComponentDeployment", "spec": {**spec, "backendFramework": "vllm"}}
    assert rendered(tmp_path, alone, target="plain").errors == refused


def test_shared_memory_of_gpus_is_saved_unless_turned_off(tmp_path: Path) -> None:
    """controller/dgd_checkpoints_reconciler.go buildCheckpointJobPodTemplate of 1.6"""
    key = "nvidia.com/cuda-shared-memory-support"

    def marked(value: Tree, release: str = "1.6") -> str | None:
        metadata = job_of(rendered(tmp_path, value, release))["spec"]["podTemplate"]["metadata"]
        found: str | None = metadata.get("annotations", {}).get(key)
        return found

    assert marked(document()) == "enabled"
    assert marked(document(), "1.5") is None
    off = document()
    off["spec"]["components"][0]["podTemplate"]["metadata"] = {"annotations": {key: "disabled"}}
    assert marked(off) == "disabled"
    assert hash_of(rendered(tmp_path, off, "1.6")) != hash_of(rendered(tmp_path, document(), "1.6"))
    side = document({"targetContainerName": "engine"})
    side["spec"]["components"][0]["podTemplate"]["spec"]["containers"].append({"name": "engine", "image": "e:1"})
    assert rendered(tmp_path, side, "1.6").errors == ["snapshot/no-command"]
    assert rendered(tmp_path, side, "1.5").errors == []


@pytest.mark.parametrize("backend", ["vllm", "sglang", "trtllm"])
def test_two_engines_start_from_one_snapshot(tmp_path: Path, backend: str) -> None:
    """internal/dynamo/failover.go buildSnapshotFailoverPod, PrepareSnapshotFailoverCapture of 1.6"""
    launch = {"command": ["python3", "-m", f"dynamo.{backend}"]}
    value = document(WAIT, **SHADOW, **launch)
    value["spec"]["backendFramework"] = backend
    value["metadata"]["annotations"] = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    found = rendered(tmp_path, value, "1.6")
    if backend == "trtllm":
        assert found.errors == ["failover/backend"]
        return
    capture = env(container(job_of(found)["spec"]["podTemplate"]["spec"], "main"))
    assert "DYN_FORWARDPASS_METRIC_PORT" not in capture
    clique = found.clique("w")
    assert clique["annotations"][f"{KEY}restore-target-containers"] == "engine-0,engine-1"
    for index in (0, 1):
        engine = container(clique["spec"]["podSpec"], f"engine-{index}")
        variables = env(engine)
        assert (variables["ENGINE_ID"], variables["DYN_SYSTEM_PORT"]) == (str(index), str(9090 + index))
        assert variables["DYN_FORWARDPASS_METRIC_PORT"] == str(20380 + index)
        assert variables["DYN_GMS_USE_V1"] == "true"
        for name in ("DYN_VLLM_GMS_SHADOW_MODE", "VLLM_NIXL_SIDE_CHANNEL_PORT", "DYN_VLLM_KV_EVENT_PORT"):
            assert name not in variables
        assert "--master-port" not in engine.get("args", [])

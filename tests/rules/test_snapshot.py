"""Snapshots: the Jobs that take them, and pods that start from them."""

import copy
from typing import Any

import pytest

from dynamoc.admission.cluster.config import CheckpointStorage, OperatorConfig
from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import Rendered, config, env, render

Tree = dict[str, Any]

GRAPH = """
backendFramework: vllm
components:
- name: worker
  type: worker
  replicas: 2
  scalingAdapter: {}
  experimental: {checkpoint: {enabled: true, startupPolicy: Immediate, targetContainerName: main}}
  podTemplate:
    metadata: {labels: {nvidia.com/snapshot-checkpoint-id: mine}}
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.vllm]
        args: [--model, m]
        resources: {limits: {nvidia.com/gpu: "1"}}
      - {name: other, image: other:1.0.0}
"""
_WAITING = GRAPH.replace("Immediate", "WaitForCheckpoint")


def _settings(*, create: bool = True) -> OperatorConfig:
    storage = CheckpointStorage()
    storage.type, storage.pvc.pvc_name, storage.pvc.base_path = "pvc", "snapshots", "/snapshots/"
    storage.pvc.create, storage.pvc.size = create, "500Gi"
    return config(storage=storage, seccomp_profile="profiles/block-iouring.json")


def _render(text: str, *known: Tree, **options: Any) -> Rendered:
    return render(text, *known, settings=options.pop("settings", _settings()), **options)


def _ready(text: str) -> Tree:
    """The DynamoCheckpoint that the graph makes, once its snapshot is taken."""
    made = copy.deepcopy(_render(text).one("DynamoCheckpoint"))
    return {**made, "status": {"phase": "Ready"}}


def _main(job: Tree) -> Tree:
    main: Tree = job["spec"]["template"]["spec"]["containers"][0]
    return main


def test_an_own_snapshot_is_named_by_graph_component_and_generation() -> None:
    name = _render(GRAPH).one("DynamoCheckpoint")["metadata"]["name"]
    other_uid = _render(GRAPH, uid="22222222-2222-4222-8222-222222222222").one("DynamoCheckpoint")["metadata"]["name"]
    other_worker = _render(GRAPH.replace("engine:1.4.0", "engine:1.4.1")).one("DynamoCheckpoint")["metadata"]["name"]
    assert len({name, other_uid, other_worker}) == 3
    assert name == _render(GRAPH).one("DynamoCheckpoint")["metadata"]["name"]


def test_the_placeholder_for_the_uid_is_told() -> None:
    assert "snapshot/placeholder-uid" in [slug for slug, _ in _render(GRAPH).told]
    assert not _render(GRAPH, uid="22222222-2222-4222-8222-222222222222").told


def test_the_job_takes_one_engine_to_rest() -> None:
    job = _render(GRAPH).one("Job")
    pod = job["spec"]["template"]["spec"]
    assert [container["name"] for container in pod["containers"]] == ["main"]
    assert job["spec"]["backoffLimit"] == 0
    assert pod["restartPolicy"] == "Never"
    assert _main(job)["readinessProbe"]["exec"]["command"] == ["cat", "/snapshot-control/ready-for-snapshot"]
    assert not {"livenessProbe", "startupProbe"} & _main(job).keys()


def test_storage_is_mounted_and_its_claim_made_once() -> None:
    rendered = _render(GRAPH)
    mounts = {mount["name"]: mount["mountPath"] for mount in _main(rendered.one("Job"))["volumeMounts"]}
    assert mounts["checkpoint-storage"] == "/snapshots"
    assert rendered.one("PersistentVolumeClaim")["spec"]["accessModes"] == ["ReadWriteMany"]


def test_a_claim_that_is_not_to_be_made_is_told() -> None:
    rendered = _render(GRAPH, settings=_settings(create=False))
    assert not rendered.of("PersistentVolumeClaim")
    assert "context/unknown-claim" in [slug for slug, _ in rendered.told]


def test_several_gpus_are_launched_as_a_job() -> None:
    assert _main(_render(GRAPH).one("Job"))["command"] == ["python3", "-m", "dynamo.vllm"]
    several = _main(_render(GRAPH.replace('gpu: "1"', 'gpu: "2"')).one("Job"))
    assert several["command"] == ["cuda-checkpoint"]
    assert several["args"][0] == "--launch-job"
    # since 1.4
    assert several["args"][1:3] == ["/bin/sh", "-c"]
    assert several["args"][5] == "/snapshot-control/cuda-checkpoint-job"
    assert several["args"][-5:] == ["python3", "-m", "dynamo.vllm", "--model", "m"]


def test_pods_that_need_not_wait_are_marked_for_the_webhook() -> None:
    rendered = _render(GRAPH)
    clique = rendered.cliques()["worker"]
    name = rendered.one("DynamoCheckpoint")["metadata"]["name"]
    assert clique["annotations"]["nvidia.com/dynamo-checkpoint-name"] == name
    assert clique["spec"]["replicas"] == 2
    assert "snapshot-control" not in str(clique)
    # what the user wrote there would start a restore
    assert "nvidia.com/snapshot-checkpoint-id" not in clique["labels"]


def test_pods_that_wait_are_not_there_yet_and_nothing_scales_them() -> None:
    rendered = _render(_WAITING)
    assert rendered.cliques()["worker"]["spec"]["replicas"] == 0
    assert not rendered.of("DynamoGraphDeploymentScalingAdapter")
    assert _render(GRAPH).of("DynamoGraphDeploymentScalingAdapter")


@pytest.mark.parametrize("target", ["grove", "lws"])
def test_pods_that_waited_restore_once_the_snapshot_is_ready(target: str) -> None:
    rendered = _render(_WAITING, _ready(_WAITING), target=target)
    if target == "grove":
        clique = rendered.cliques()["worker"]
        metadata, pod, replicas = clique, clique["spec"]["podSpec"], clique["spec"]["replicas"]
    else:
        deployment = rendered.one("Deployment")["spec"]
        metadata, pod = deployment["template"]["metadata"], deployment["template"]["spec"]
        replicas = deployment["replicas"]
    main, other = pod["containers"]
    assert replicas == 2
    assert metadata["labels"]["nvidia.com/snapshot-is-restore-target"] == "true"
    assert metadata["annotations"]["nvidia.com/snapshot-storage-base-path"] == "/snapshots"
    assert env(main)["DYN_SNAPSHOT_RESTORE_STANDBY"] == "1"
    assert (main["startupProbe"]["periodSeconds"], main["startupProbe"]["failureThreshold"]) == (1, 1800)
    assert main["readinessProbe"]["periodSeconds"] == 1
    assert pod["securityContext"]["seccompProfile"]["localhostProfile"] == "profiles/block-iouring.json"
    assert "volumeMounts" not in other
    # it is there already, and its Job was
    assert not rendered.of("DynamoCheckpoint")
    assert not rendered.of("Job")


def test_a_ready_snapshot_changes_only_probes_of_pods_that_need_not_wait() -> None:
    main = _render(GRAPH, _ready(GRAPH)).cliques()["worker"]["spec"]["podSpec"]["containers"][0]
    assert main["startupProbe"]["periodSeconds"] == 1
    assert "DYN_SNAPSHOT_CONTROL_DIR" not in env(main)


def test_a_reference_that_nobody_gave_is_told() -> None:
    rendered = _render(GRAPH.replace("enabled: true", "enabled: true, checkpointRef: golden"))
    assert "context/unknown-checkpoint" in [slug for slug, _ in rendered.told]
    assert rendered.cliques()["worker"]["annotations"]["nvidia.com/dynamo-checkpoint-name"] == "golden"
    assert not rendered.of("Job")


def test_components_run_from_the_reference_and_share_the_graph_s_answer() -> None:
    rendered = _render(_WAITING, target="lws")
    component = rendered.one("DynamoComponentDeployment")["spec"]
    name = rendered.one("DynamoCheckpoint")["metadata"]["name"]
    assert component["experimental"]["checkpoint"]["checkpointRef"] == name
    assert rendered.one("Deployment")["spec"]["replicas"] == 0


def test_gpu_memory_service_goes_with_the_job() -> None:
    with_service = GRAPH.replace("{checkpoint:", "{gpuMemoryService: {mode: IntraPod}, checkpoint:")
    rendered = _render(with_service)
    pod = rendered.one("Job")["spec"]["template"]["spec"]
    claim = pod["resourceClaims"][0]["resourceClaimTemplateName"]
    assert claim in [item["metadata"]["name"] for item in rendered.of("ResourceClaimTemplate")]
    assert [container["name"] for container in pod["initContainers"]] == ["gms-server"]
    assert rendered.one("DynamoCheckpoint")["spec"]["gpuMemoryService"]["mode"] == "intraPod"


def test_the_user_s_job_template_lies_over_the_component_s() -> None:
    job = (
        "job: {podTemplate: {metadata: {annotations: {a: b}}, spec: {nodeSelector: {fast: disk}, containers: "
        "[{name: main, env: [{name: EXTRA, value: x}]}, {name: helper, image: 'helper:1'}]}}}"
    )
    template = _render(GRAPH.replace("enabled: true", f"enabled: true, {job}")).one("Job")["spec"]["template"]
    main, helper = template["spec"]["containers"]
    assert env(main)["EXTRA"] == "x"
    assert main["image"] == "engine:1.4.0"
    assert helper["name"] == "helper"
    assert template["spec"]["nodeSelector"] == {"fast": "disk"}
    assert template["metadata"]["annotations"]["a"] == "b"


def test_an_unknown_backend_is_refused() -> None:
    silent = GRAPH.replace("backendFramework: vllm\n", "").replace("[python3, -m, dynamo.vllm]", "[run]")
    with pytest.raises(Refusal) as refused:
        _render(silent)
    assert refused.value.slug == "snapshot/backend"


def test_nothing_happens_where_checkpoint_is_off() -> None:
    rendered = _render(GRAPH.replace("enabled: true", "enabled: false"))
    assert not rendered.of("DynamoCheckpoint") + rendered.of("Job") + rendered.of("PersistentVolumeClaim")
    assert not [key for key in rendered.cliques()["worker"]["annotations"] if "checkpoint" in key]


CHECKPOINT = """
identity: {model: m, backendFramework: vllm}
job:
  targetContainerName: main
  podTemplateSpec: {spec: {containers: [{name: main, image: "engine:1.4.0", command: [run]}]}}
"""


def test_a_checkpoint_of_the_user_s_gets_a_job_and_its_identity_as_id() -> None:
    rendered = _render(CHECKPOINT, kind="DynamoCheckpoint", version="v1alpha1", name="golden")
    job, checkpoint = rendered.one("Job"), rendered.one("DynamoCheckpoint")
    identifier = checkpoint["metadata"]["labels"]["nvidia.com/snapshot-checkpoint-id"]
    assert len(identifier) == 16
    assert job["metadata"]["name"] == f"checkpoint-job-{identifier}-1"
    assert job["spec"]["template"]["metadata"]["labels"]["nvidia.com/snapshot-owner"] == "golden"


def test_two_checkpoints_of_one_identity_are_told() -> None:
    other = _render(CHECKPOINT, kind="DynamoCheckpoint", version="v1alpha1", name="first").one("DynamoCheckpoint")
    rendered = _render(CHECKPOINT, other, kind="DynamoCheckpoint", version="v1alpha1", name="second")
    assert "snapshot/duplicate" in [slug for slug, _ in rendered.told]

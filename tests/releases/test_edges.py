"""Facts of single releases that no record shows: short documents through all stages."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dynamoc.documents.findings.finding import Refusal
from dynamoc.reference.releases import get_release
from dynamoc.rendering.rules.command import require_flag, shell_quote
from dynamoc.rendering.rules.snapshot import memory_sidecar
from dynamoc.rendering.rules.snapshot_storage import checkpoint_id
from tests.compiler.test_first_checkpoints import CONFIG
from tests.releases.compiled import Tree, compiled, container, env, frontend, graph, worker
from tests.rules.early import service


def alpha(service: Tree) -> Tree:
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "llm", "namespace": "default"},
        "spec": {"services": {"Worker": service}},
    }


SPREAD = {"multinode": {"nodeCount": 2}}


def test_topology_without_grove_is_told_at_the_graph_first(tmp_path: Path) -> None:
    """internal/webhook/validation/dynamographdeployment.go of 1.4 takes it; the finding is ours."""
    constraint = {"clusterTopologyName": "t", "packDomain": "rack"}
    document = graph(worker(topologyConstraint={"packDomain": "rack"}), topologyConstraint=constraint)
    found = compiled(tmp_path, "1.4", document, target="lws")
    (told,) = [item for item in found.findings.items if item.slug == "topology/ignored"]
    assert told.path == ("spec", "topologyConstraint")


@pytest.mark.parametrize(("kind", "end"), [("robot", "planner."), ("prefill", "; prefill exists since release 1.0.")])
def test_a_type_of_later_releases_is_told_apart_from_none(tmp_path: Path, kind: str, end: str) -> None:
    """internal/dynamo/component_common.go ComponentDefaultsFactory of 0.6 knows frontend, worker and planner."""
    main = {"mainContainer": {"image": "i:1", "command": ["python3", "-m", "dynamo.vllm"]}}
    found = compiled(tmp_path, "0.6", alpha({"componentType": kind, "extraPodSpec": main}), target="plain")
    (told,) = [item for item in found.findings.items if item.slug == "component/unknown-type"]
    assert str(told.hint).endswith(end)


def test_old_nodes_of_a_frontend_may_stay(tmp_path: Path) -> None:
    """internal/webhook/validation/shared_v1beta1.go validateMultinodeComponentType of 3d741331e (1.5)"""
    document = graph(worker(), frontend(**SPREAD))
    assert compiled(tmp_path, "1.5", document).errors == ["admission/multinode-type"]
    assert compiled(tmp_path, "1.5", document, against=document).errors == []


def test_backslashes_are_quoted() -> None:
    """internal/dynamo/utils.go shellQuoteForBashC of 1.0 and 1.4"""
    assert shell_quote("a\\b") == '"a\\\\b"'


def test_the_id_of_a_snapshot_is_the_recorded_one() -> None:
    """internal/checkpoint/resource.go CheckpointID of 1.3 and 1.4"""
    value: Tree = {"metadata": {"labels": {"nvidia.com/snapshot-checkpoint-id": "label"}}}
    release = get_release("1.4")
    assert checkpoint_id(value, release) == "label"
    assert checkpoint_id({**value, "status": {"identityHash": "hash"}}, release) == "hash"
    assert checkpoint_id({**value, "status": {"identityHash": "hash", "checkpointID": "id"}}, release) == "id"


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_a_label_is_no_id_of_a_snapshot_up_to_1_2(tmp_path: Path, release: str) -> None:
    """internal/checkpoint/resource.go checkpointIdentityHash; the controller sets the label to what it computes."""
    main = {"name": "main", "image": "i:1", "command": ["python3", "-m", "dynamo.vllm"]}
    document = taken()
    document["spec"]["job"]["podTemplateSpec"]["spec"]["containers"] = [main]
    del document["status"]

    def label(**labels: str) -> str:
        labelled = {**document, "metadata": {**document["metadata"], "labels": labels}}
        (job,) = compiled(tmp_path, release, labelled, config="checkpoint: {enabled: true}").of("Job").values()
        identifier: str = job["metadata"]["labels"]["nvidia.com/snapshot-checkpoint-id"]
        return identifier

    assert label() == label(**{"nvidia.com/snapshot-checkpoint-id": "mine"}) != "mine"


IDENTITY = {"model": "m", "backendFramework": "vllm"}


def first_checkpoint(tmp_path: Path, checkpoint: Tree, *known: Tree) -> list[Tree]:
    """The containers of the Deployment of a worker with a sidecar, in release 1.0."""
    containers: list[Tree] = restored(tmp_path, checkpoint, *known)["template"]["spec"]["containers"]
    return containers


def restored(tmp_path: Path, checkpoint: Tree, *known: Tree) -> Tree:
    """The spec of that Deployment."""
    side = {"name": "side", "image": "side:1", "command": ["side"]}
    pod = {"mainContainer": {"image": "vllm-runtime:1.0.0", "command": ["serve"], "args": ["m"]}, "containers": [side]}
    service = {"componentType": "worker", "checkpoint": {"enabled": True, **checkpoint}, "extraPodSpec": pod}
    document = alpha(service)
    (tmp_path / "known.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(known)}))
    config = CONFIG.split("mpi:")[1].partition("\n")[2]
    found = compiled(tmp_path, "1.0", document, target="plain", config=config, context=[str(tmp_path / "known.json")])
    assert not found.errors, [item.message for item in found.findings.items]
    spec: Tree = next(iter(found.of("Deployment").values()))["spec"]
    return spec


def taken(**status: Any) -> Tree:
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoCheckpoint",
        "metadata": {"name": "mine", "namespace": "default"},
        "spec": {"identity": IDENTITY, "job": {"podTemplateSpec": {"spec": {"containers": []}}}},
        "status": {"phase": "Ready", **status},
    }


def test_a_restored_process_replaces_main_alone(tmp_path: Path) -> None:
    """internal/checkpoint/dgd_integration.go InjectCheckpointIntoPodSpec, InjectCheckpointEnvVars of 1.0"""
    pod = {"containers": first_checkpoint(tmp_path, {"checkpointRef": "mine"}, taken(identityHash="abc"))}
    assert (container(pod, "main")["command"], container(pod, "side")["command"]) == (["sleep", "infinity"], ["side"])
    assert env(container(pod, "main"))["DYN_CHECKPOINT_HASH"] == "abc"
    assert "DYN_CHECKPOINT_HASH" not in env(container(pod, "side"))


def test_pods_that_are_restored_do_not_overlap_up_to_1_1(tmp_path: Path) -> None:
    """controller/dynamocomponentdeployment_controller.go generateDeployment of 1.0"""
    ready = restored(tmp_path, {"checkpointRef": "mine"}, taken(identityHash="abc"))
    fresh = restored(tmp_path, {"mode": "Auto", "identity": IDENTITY})
    assert [spec["strategy"]["type"] for spec in (ready, fresh)] == ["Recreate", "RollingUpdate"]


def test_a_snapshot_without_a_recorded_hash_has_that_of_its_identity(tmp_path: Path) -> None:
    """internal/checkpoint/dgd_integration.go InjectCheckpointIntoPodSpec of 1.0"""
    own = {"containers": first_checkpoint(tmp_path, {"mode": "Auto", "identity": IDENTITY})}
    named = {"containers": first_checkpoint(tmp_path, {"checkpointRef": "mine"}, taken())}
    hashes = [env(container(pod, "main"))["DYN_CHECKPOINT_HASH"] for pod in (own, named)]
    assert hashes[0] == hashes[1] != ""


def test_the_object_that_a_fragment_is_for_stays(tmp_path: Path) -> None:
    """internal/webhook/validation/shared_v1beta1.go validateProviderOverrideUpdate of 1.5"""
    value = {"topologyConstraint": {"pack": {"required": "rack"}}}
    override = {"apiVersion": "grove.io/v1alpha1", "value": value}
    later = {**override, "apiVersion": "grove.io/v2"}
    for old, new in (
        (graph(worker(providerOverride=override)), graph(worker(providerOverride=later))),
        (graph(worker(), providerOverride=override), graph(worker(), providerOverride=later)),
    ):
        assert "update/provider-override" not in compiled(tmp_path, "1.5", old, against=old).errors
        assert "update/provider-override" in compiled(tmp_path, "1.5", new, against=old).errors


def test_a_picker_that_never_fitted_may_stay_but_not_change(tmp_path: Path) -> None:
    """internal/webhook/validation/shared_helpers.go eppRuntimeCompatibilityUpdateError, called in shared_v1beta1.go of
    3d741331e (1.5): only the same image, version and config may stay.
    """
    old, new = (graph({**worker("epp", version), "type": "epp"}, worker()) for version in ("1.4.0", "1.4.1"))
    assert "update/epp-config" not in compiled(tmp_path, "1.5", old, against=old).errors
    assert "update/epp-config" in compiled(tmp_path, "1.5", new, against=old).errors


@pytest.mark.parametrize("field", ["args", "command"])
def test_vllm_serve_gets_a_flag_behind_its_words(field: str) -> None:
    """internal/dynamo/backend_vllm.go ensureContainerCommandLineFlag of 3f3d3dfa2 (1.6): arguments, else command"""
    main = {"command": ["bash", "-c"], field: ["bash", "-c", "exec vllm serve m"][(field == "args") * 2 :]}
    pod: Any = SimpleNamespace(main=main, release=get_release("1.6"))
    require_flag(pod, "--master-port", "1")
    assert main[field][-1] == "exec vllm serve m --master-port 1"


SPREAD_SERVICE = "componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: '1'}}"


@pytest.mark.parametrize(("command", "told"), [("[python3]", True), ("[/bin/sh, -c]", False)])
def test_a_command_line_of_ray_needs_a_shell_in_0_4(command: str, told: bool) -> None:
    """internal/dynamo/backend_vllm.go updateVLLMMultinodeArgs of 0.4 joins arguments with `&&`."""
    main = f"{{image: vllm:1, command: {command}, args: [python3 -m dynamo.vllm]}}"
    rendered = service(f"{SPREAD_SERVICE}, extraPodSpec: {{mainContainer: {main}}}", release="0.4", target="grove")
    assert ("vllm/ray-without-shell" in [slug for slug, _ in rendered.told]) is told


def test_a_snapshot_that_nobody_knows_has_no_hash(tmp_path: Path) -> None:
    """internal/checkpoint/dgd_integration.go ResolveCheckpointForService of 1.0 fails without the object."""
    service_ = {"componentType": "worker", "checkpoint": {"enabled": True, "checkpointRef": "none"}}
    main = {"extraPodSpec": {"mainContainer": {"image": "vllm-runtime:1.0.0"}}}
    config = CONFIG.split("mpi:")[1].partition("\n")[2]
    found = compiled(tmp_path, "1.0", alpha({**service_, **main}), target="plain", config=config)
    assert found.errors == ["checkpoint/no-hash"]


def test_a_snapshot_of_1_1_saves_gpu_memory_beside_the_process(tmp_path: Path) -> None:
    """internal/checkpoint/gms.go EnsureGMSCheckpointJobSidecars of 1.1; the claim template is made in
    internal/controller/dynamocheckpoint_controller.go.
    """
    main = {
        "name": "main",
        "image": "vllm-runtime:1.1.0",
        "command": ["python3", "-m", "dynamo.vllm"],
        "resources": {"limits": {"nvidia.com/gpu": "1"}},
    }
    document = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoCheckpoint",
        "metadata": {"name": "mine", "namespace": "default"},
        "spec": {
            "identity": IDENTITY,
            "gpuMemoryService": {"enabled": True},
            "job": {"podTemplateSpec": {"spec": {"containers": [main]}}},
        },
    }
    found = compiled(tmp_path, "1.1", document, config="checkpoint: {enabled: true}")
    assert not found.errors, [item.message for item in found.findings.items]
    assert len(found.of("ResourceClaimTemplate")) == 1
    (job,) = found.of("Job").values()
    assert [item["name"] for item in job["spec"]["template"]["spec"]["initContainers"]] == ["gms-server", "gms-saver"]


def test_memory_is_saved_where_snapshots_are() -> None:
    """internal/checkpoint/gms.go resolveGMSArtifactDir, snapshot/protocol/common.go CheckpointVolumeName of 1.1"""
    saver = memory_sidecar("gms-saver", "saver", "i:1", ("abc", "2"), "/snapshots")
    assert env(saver)["GMS_CHECKPOINT_DIR"] == "/snapshots/gms/abc/versions/2"
    assert {"name": "checkpoint-storage", "mountPath": "/snapshots"} in saver["volumeMounts"]


def test_a_flag_of_a_longer_value_is_another_one() -> None:
    """internal/dynamo/backend_vllm.go ensureContainerCommandLineFlag of 3f3d3dfa2 (1.6) compares words."""
    main = {"command": ["sh", "-c"], "args": ["python3 -m dynamo.vllm --master-port 12"]}
    require_flag(SimpleNamespace(main=main, release=get_release("1.6")), "--master-port", "1")  # type: ignore[arg-type]
    assert main["args"] == ["python3 -m dynamo.vllm --master-port 1 --master-port 12"]


def test_a_command_line_that_has_no_place_for_a_flag_is_refused() -> None:
    """internal/dynamo/backend_vllm.go ensureContainerCommandLineFlag of 3f3d3dfa2 (1.6)

    The operator does not find the flag that it has just put before a `;`.
    """
    program = {"command": ["run"], "args": ["m"]}
    place = SimpleNamespace(main_path=())
    for line in ("run m", "exec vllm serve m; true", "vllm serve m && true"):
        main = {"command": ["/bin/bash", "-c"], "args": [line]}
        pod: Any = SimpleNamespace(main=main, release=get_release("1.6"), component=place)
        with pytest.raises(Refusal):
            require_flag(pod, "--master-port", "1")
    pod = SimpleNamespace(main=program, release=get_release("1.6"), component=place)
    require_flag(pod, "--master-port", "1")
    assert program["args"] == ["m", "--master-port", "1"]

"""Facts of single releases that no record shows: short documents through all stages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.rules.backends.command import shell_quote
from dynamoc.rules.snapshot_state import checkpoint_id
from tests.compiler.test_first_checkpoints import CONFIG
from tests.releases.compiled import Tree, compiled, container, env, frontend, graph, worker


def alpha(service: Tree) -> Tree:
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "llm", "namespace": "default"},
        "spec": {"services": {"Worker": service}},
    }


SPREAD = {"multinode": {"nodeCount": 2}}


def test_topology_without_grove_is_told_at_the_graph_first(tmp_path: Path) -> None:
    constraint = {"clusterTopologyName": "t", "packDomain": "rack"}
    document = graph(worker(topologyConstraint={"packDomain": "rack"}), topologyConstraint=constraint)
    found = compiled(tmp_path, "1.4", document, target="lws")
    (told,) = [item for item in found.findings.items if item.slug == "topology/ignored"]
    assert told.path == ("spec", "topologyConstraint")


@pytest.mark.parametrize(("kind", "end"), [("robot", "planner."), ("prefill", "; prefill exists since release 1.0.")])
def test_a_type_of_later_releases_is_told_apart_from_none(tmp_path: Path, kind: str, end: str) -> None:
    """component_common.go ComponentDefaultsFactory"""
    main = {"mainContainer": {"image": "i:1", "command": ["python3", "-m", "dynamo.vllm"]}}
    found = compiled(tmp_path, "0.6", alpha({"componentType": kind, "extraPodSpec": main}), target="plain")
    (told,) = [item for item in found.findings.items if item.slug == "component/unknown-type"]
    assert str(told.hint).endswith(end)


def test_old_nodes_of_a_frontend_may_stay(tmp_path: Path) -> None:
    """shared_v1beta1.go validateMultinodeComponentType of 1.5: what an object says already is no new mistake."""
    document = graph(worker(), frontend(**SPREAD))
    assert compiled(tmp_path, "1.5", document).errors == ["admission/multinode-type"]
    assert compiled(tmp_path, "1.5", document, against=document).errors == []


def test_backslashes_are_quoted() -> None:
    """internal/dynamo/utils.go shellQuoteForBashC"""
    assert shell_quote("a\\b") == '"a\\\\b"'


def test_the_id_of_a_snapshot_is_the_recorded_one() -> None:
    """internal/checkpoint/resource.go CheckpointID"""
    value: Tree = {"metadata": {"labels": {"nvidia.com/snapshot-checkpoint-id": "label"}}}
    assert checkpoint_id(value) == "label"
    assert checkpoint_id({**value, "status": {"identityHash": "hash"}}) == "hash"
    assert checkpoint_id({**value, "status": {"identityHash": "hash", "checkpointID": "id"}}) == "id"


IDENTITY = {"model": "m", "backendFramework": "vllm"}


def first_checkpoint(tmp_path: Path, checkpoint: Tree, *known: Tree) -> list[Tree]:
    """The containers of the Deployment of a worker with a sidecar, in release 1.0."""
    side = {"name": "side", "image": "side:1", "command": ["side"]}
    pod = {"mainContainer": {"image": "vllm-runtime:1.0.0", "command": ["serve"], "args": ["m"]}, "containers": [side]}
    service = {"componentType": "worker", "checkpoint": {"enabled": True, **checkpoint}, "extraPodSpec": pod}
    document = alpha(service)
    (tmp_path / "known.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(known)}))
    config = CONFIG.split("mpi:")[1].partition("\n")[2]
    found = compiled(tmp_path, "1.0", document, target="plain", config=config, context=[str(tmp_path / "known.json")])
    assert not found.errors, [item.message for item in found.findings.items]
    containers: list[Tree] = next(iter(found.of("Deployment").values()))["spec"]["template"]["spec"]["containers"]
    return containers


def taken(**status: Any) -> Tree:
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoCheckpoint",
        "metadata": {"name": "mine", "namespace": "default"},
        "spec": {"identity": IDENTITY, "job": {"podTemplateSpec": {"spec": {"containers": []}}}},
        "status": {"phase": "Ready", **status},
    }


def test_a_restored_process_replaces_main_alone(tmp_path: Path) -> None:
    """checkpoint/dgd_integration.go InjectCheckpointIntoPodSpec: not the first container, but `main`."""
    pod = {"containers": first_checkpoint(tmp_path, {"checkpointRef": "mine"}, taken(identityHash="abc"))}
    assert (container(pod, "main")["command"], container(pod, "side")["command"]) == (["sleep", "infinity"], ["side"])
    assert env(container(pod, "main"))["DYN_CHECKPOINT_HASH"] == "abc"
    assert "DYN_CHECKPOINT_HASH" not in env(container(pod, "side"))


def test_a_snapshot_without_a_recorded_hash_has_that_of_its_identity(tmp_path: Path) -> None:
    own = {"containers": first_checkpoint(tmp_path, {"mode": "Auto", "identity": IDENTITY})}
    named = {"containers": first_checkpoint(tmp_path, {"checkpointRef": "mine"}, taken())}
    hashes = [env(container(pod, "main"))["DYN_CHECKPOINT_HASH"] for pod in (own, named)]
    assert hashes[0] == hashes[1] != ""


def test_the_object_that_a_fragment_is_for_stays(tmp_path: Path) -> None:
    """validateProviderOverrideUpdate of 1.5: of the graph and of its components"""
    value = {"topologyConstraint": {"pack": {"required": "rack"}}}
    override = {"apiVersion": "grove.io/v1alpha1", "value": value}
    later = {**override, "apiVersion": "grove.io/v2"}
    for old, new in (
        (graph(worker(providerOverride=override)), graph(worker(providerOverride=later))),
        (graph(worker(), providerOverride=override), graph(worker(), providerOverride=later)),
    ):
        assert "update/provider-override" not in compiled(tmp_path, "1.5", old, against=old).errors
        assert "update/provider-override" in compiled(tmp_path, "1.5", new, against=old).errors

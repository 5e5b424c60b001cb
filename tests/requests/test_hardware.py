"""Hardware that Nodes show. The records hold the usual cases; these are the ones between."""

import json

import pytest

from dynamoc.reference.releases import get_release
from dynamoc.rendering.requests.hardware import sku
from tests.requests.compiled import HEAD, Tree, compiled, job, node, slugs


def hardware(*texts: str, version: str = "1.4") -> Tree:
    objects, _ = compiled(*texts, version=version)
    args = job(objects)["spec"]["template"]["spec"]["containers"][0]["args"]
    found: Tree = json.loads(args[1])["hardware"]
    return found


@pytest.mark.parametrize("count", ["9" * 30, "9" * 5000, "+-5", "-8", "8.0", " 8", "\u0668"])
@pytest.mark.parametrize("version", ["1.0", "1.2", "1.6"])
def test_counts_that_no_int64_holds_are_no_counts(count: str, version: str) -> None:
    nodes = (node("a", count=count), node("b", memory=count), node("c", count="+2"))
    assert hardware(HEAD, *nodes, version=version)["numGpusPerNode"] == 2


@pytest.mark.parametrize(
    ("product", "version", "found"),
    [
        ("NVIDIA-H100-80GB-HBM3", "1.4", "h100_sxm"),
        ("NVIDIA-H100-80GB-HBM3", "1.2", "h100_pcie"),
        ("NVIDIA-H100-PCIe", "1.4", "h100_pcie"),
        ("NVIDIA-H100-NVL", "1.4", "h100_pcie"),
        ("NVIDIA H200", "1.4", "h200_sxm"),
        ("NVIDIA-GB10", "1.4", "gb10"),
        ("NVIDIA-A30", "1.4", "a30"),
        ("RTX-A3000", "1.4", ""),
        ("NVIDIA-A30X", "1.4", ""),
        ("NVIDIA-L40S", "1.4", "l40s"),
        ("NVIDIA-L40", "1.4", "l40"),
        ("Tesla-T4", "1.4", "t4"),
        ("Tesla-V100-SXM2-16GB", "1.4", "v100_sxm"),
        ("AMD-MI250X", "1.4", "mi200"),
        ("NVIDIA-A100-PCIE-40GB", "1.0", "a100_sxm"),
        ("NVIDIA-L40", "1.0", ""),
        ("GeForce", "1.4", ""),
    ],
)
def test_sku(product: str, version: str, found: str) -> None:
    assert sku(product, get_release(version)) == found


def test_the_node_with_most_gpus_counts_and_the_first_of_equals() -> None:
    nodes = (node("b", count="4", memory="90000"), node("a", count="8"), node("c", count="8", product="NVIDIA-H200"))
    assert hardware(HEAD, *nodes) == {
        "gpuSku": "h100_sxm",
        "vramMb": 81559,
        "totalGpus": 16,
        "numGpusPerNode": 8,
        "rdma": False,
    }


def test_labels_without_sense_do_not_count() -> None:
    nodes = (node("a", count="0"), node("b", memory="many"), node("c", product=""), node("d", count="2"))
    assert hardware(HEAD, *nodes)["totalGpus"] == 2


def test_pods_of_the_network_operator_show_rdma() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: rdma-shared-dp, namespace: nvidia-network-operator}\n"
    assert hardware(HEAD, node("a"), pod)["rdma"] is True


def test_what_the_request_says_stays() -> None:
    said = HEAD + "  hardware: {vramMb: 1.5, totalGpus: 2}\n"
    assert hardware(said, node("a")) == {
        "gpuSku": "h100_sxm",
        "vramMb": 1.5,
        "totalGpus": 2,
        "numGpusPerNode": 8,
        "rdma": False,
    }


def test_an_unknown_product_is_the_sku() -> None:
    assert hardware(HEAD, node("a", product="GeForce"))["gpuSku"] == "GeForce"


def test_without_nodes_the_job_is_there_with_a_note() -> None:
    objects, findings = compiled(HEAD)
    assert "note request/hardware 5" in slugs(findings)
    assert json.loads(job(objects)["spec"]["template"]["spec"]["containers"][0]["args"][1])["hardware"] == {}


def test_nodes_without_gpus_fail_the_request() -> None:
    plain = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
    for version in ("1.0", "1.4"):
        objects, findings = compiled(HEAD, plain, version=version)
        assert objects == []
        assert "error request/no-gpus 5" in slugs(findings)


def test_1_1_fails_over_a_part_of_the_hardware() -> None:
    objects, findings = compiled(HEAD + "  hardware: {gpuSku: h100_sxm}\n", node("a"), version="1.1")
    assert objects == []
    assert "error request/partial-hardware 6" in slugs(findings)


@pytest.mark.parametrize(
    ("version", "restricted", "refused"), [("1.2", "", True), ("1.4", "", False), ("1.4", "ml", True)]
)
def test_discovery_can_be_off(version: str, restricted: str, refused: bool, tmp_path: object) -> None:
    config = f"{tmp_path}/config.yaml"
    with open(config, "w", encoding="utf-8") as stream:
        stream.write(
            "apiVersion: operator.config.dynamo.nvidia.com/v1alpha1\nkind: OperatorConfiguration\n"
            "gpu: {discoveryEnabled: false}\n"
            f"namespace: {{restricted: '{restricted}'}}\n"
            "mpi: {sshSecretName: a, sshSecretNamespace: b}\n"
            "rbac: {plannerClusterRoleName: a, dgdrProfilingClusterRoleName: b, eppClusterRoleName: c}\n"
        )
    objects, findings = compiled(
        HEAD + "  hardware: {gpuSku: h100_sxm}\n", node("a"), version=version, operator_config=config
    )
    assert ("error request/no-discovery 6" in slugs(findings)) is refused
    assert (objects == []) is refused

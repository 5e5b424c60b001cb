"""What the operator finds out about GPUs, and writes into the hardware of a request.

It asks DCGM first, which nothing offline answers, and the labels of Nodes that GPU feature discovery writes.
Source: internal/gpu/discovery.go; controller/dynamographdeploymentrequest_controller.go enrichHardwareFromDiscovery.
"""

from __future__ import annotations

from dynamoc.golang.quantity import parse_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.cluster.context import ClusterContext
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

_COUNT, _PRODUCT, _MEMORY = "nvidia.com/gpu.count", "nvidia.com/gpu.product", "nvidia.com/gpu.memory"
#: any of these labels with the value "true" tells of RDMA
_RDMA = (
    "nvidia.com/rdma.present",
    "feature.node.kubernetes.io/rdma.available",
    "feature.node.kubernetes.io/network-sriov.capable",
)
_NETWORK_OPERATOR = "nvidia-network-operator"
#: the operator asks for no more than this many GPUs by itself
MOST_GPUS = 32


class GpuNode:
    """One node with GPUs: `count` of them of `product`, each with `memory` MiB; `sku` is "" for an unknown product."""

    __slots__ = ("count", "labels", "memory", "product", "sku")

    def __init__(self, labels: dict[str, str], sku: str) -> None:
        self.labels = labels
        self.count = int(labels[_COUNT])
        self.memory = int(labels[_MEMORY])
        self.product = labels[_PRODUCT]
        self.sku = sku

    @property
    def worth(self) -> tuple[int, int]:
        return self.count, self.memory


def gpu_nodes(cluster: ClusterContext) -> list[GpuNode]:
    """The nodes with GPUs in order of their names; others, and labels without sense, do not count."""
    found = []
    for node in cluster.list("Node"):
        labels = node["metadata"].get("labels") or {}
        if labels.get(_PRODUCT) and _number(labels.get(_COUNT)) > 0 and _number(labels.get(_MEMORY)) > 0:
            found.append(GpuNode(labels, sku(labels[_PRODUCT], cluster.release)))
    return found


def discovered(nodes: Iterable[GpuNode], wanted: str, cluster: ClusterContext) -> Tree | None:
    """All hardware fields that the nodes tell, those of GPUs of the SKU `wanted` if it is not ""; None without such."""
    release = cluster.release
    filters = release.has("requests/discovers-metadata")
    nodes = list(nodes)
    best: GpuNode | None = None
    for node in nodes:
        if (not filters or not wanted or node.sku == wanted) and (best is None or node.worth > best.worth):
            best = node
    if best is None:
        return None
    alike = [node for node in nodes if node.sku == best.sku] if filters else nodes
    found: Tree = {
        "gpuSku": best.sku or best.product,
        "vramMb": best.memory,
        "totalGpus": min(best.count * len(alike), MOST_GPUS),
        "numGpusPerNode": best.count,
    }
    if filters:
        found["rdma"] = _has_rdma(alike, cluster)
    return found


def _has_rdma(nodes: list[GpuNode], cluster: ClusterContext) -> bool:
    if any(node.labels.get(label) == "true" for node in nodes for label in _RDMA):
        return True
    return any("rdma" in pod["metadata"]["name"] for pod in cluster.list("Pod", _NETWORK_OPERATOR))


def _number(text: str | None) -> int:
    """What Go's strconv.Atoi reads, 0 for anything else."""
    try:
        return parse_int(text or "")
    except ValueError:
        return 0


def sku(product: str, release: Release) -> str:
    """The SKU that a product's name means, "" for an unknown one (InferHardwareSystem)."""
    plain = product.upper().replace("-", "").replace(" ", "")
    is_sxm = any(token in plain for token in release["request/sxm-tokens"])
    for token, sxm, other in release["request/skus"]:
        if token in plain and (token != "A30" or _is_word(product.upper(), token)):
            name: str = sxm if is_sxm and sxm else other or sxm
            return name
    return ""


def _is_word(text: str, token: str) -> bool:
    """Whether the token stands alone somewhere in the text: A30 is not part of A3000."""
    start = text.find(token)
    while start >= 0:
        around = text[max(start - 1, 0) : start] + text[start + len(token) : start + len(token) + 1]
        if not any(char.isascii() and char.isalnum() for char in around):
            return True
        start = text.find(token, start + 1)
    return False

"""The hardware that the profiler gets: what the request says, and what the operator finds out.

It asks DCGM first, which nothing offline answers, and the labels of Nodes that GPU feature discovery writes.
Source: internal/gpu/discovery.go; controller/dynamographdeploymentrequest_controller.go enrichHardwareFromDiscovery.
"""

from __future__ import annotations

from collections.abc import Iterable

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import NOTE, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.quantity import parse_int
from dynamoc.reference.releases import Release

_COUNT, _PRODUCT, _MEMORY = "nvidia.com/gpu.count", "nvidia.com/gpu.product", "nvidia.com/gpu.memory"
#: any of these labels with the value "true" shows RDMA
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
    """All hardware fields that the nodes show, those of GPUs of the SKU `wanted` if it is not ""; None without such."""
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


_PATH = ("spec", "hardware")
#: what the operator wants to know, and that what it only adds where it can
_NEEDED, _REQUIRED = ("gpuSku", "vramMb", "numGpusPerNode"), ("gpuSku", "vramMb", "numGpusPerNode", "totalGpus")
_ADDED = ("interconnect", "rdma")
_SAY_IT = "set `hardware.gpuSku`, `vramMb`, `numGpusPerNode` and `totalGpus`"


def enriched(spec: Tree, operator: Operator) -> Tree:
    """The canonical spec with the hardware that the profiler gets. Refusal where the operator gives up."""
    said = spec.get("hardware")
    if operator.release.has("requests/asks-dcgm-alone"):
        found = _of_dcgm(said or {}, operator)
    elif operator.release.has("requests/discovers-metadata"):
        found = _of_nodes(said or {}, operator)
    else:
        found = _of_first_nodes(said or {}, operator)
    return {**spec, "hardware": {**found, **(said or {})}}


def _of_first_nodes(said: Tree, operator: Operator) -> Tree:
    """1.0: any one field is enough; what the nodes show fills the others, whatever GPUs the request names."""
    if all(name in said for name in _NEEDED):
        return {}
    found = discovered(gpu_nodes(operator.cluster), "", operator.cluster)
    if found is not None:
        return found
    if not any(name in said for name in _NEEDED) and operator.cluster.list("Node"):
        raise _nothing_found()
    if not operator.cluster.list("Node"):
        _note_unknown(_missing(said, _REQUIRED), operator)
    return {}


def _of_dcgm(said: Tree, operator: Operator) -> Tree:
    """1.1: only a request without any of the fields makes the operator ask DCGM; with some, it fails over the rest."""
    if all(name in said for name in _NEEDED):
        return {}
    if any(name in said for name in _NEEDED):
        missing = " and ".join(f"`{name}`" for name in _missing(said, _NEEDED))
        message = f"Operator {operator.release.name} fails over a request that sets some hardware, but not {missing}."
        raise Refusal("request/partial-hardware", message, _PATH, f"set {missing} too, or leave out `hardware`")
    message = (
        "The operator asks the DCGM exporter for the hardware, which no Node shows; the Job is without "
        + _listed(_missing(said, _REQUIRED))
        + ". Without the exporter, the request fails."
    )
    operator.note("request/hardware", message, _PATH if said else ("spec",), _SAY_IT)
    return {}


def _of_nodes(said: Tree, operator: Operator) -> Tree:
    """Since 1.2: all that is missing is asked for, and a request fails whose required fields are unknown."""
    missing = _missing(said, (*_REQUIRED, *_ADDED))
    if not missing:
        return {}
    required = _missing(said, _REQUIRED)
    if not _looks_at_nodes(operator):
        if required:
            raise Refusal(
                "request/no-discovery",
                "GPU discovery is off in the operator's configuration, and the request does not set "
                f"{_listed(required)}; the operator fails the request.",
                _PATH if said else ("spec",),
                _SAY_IT,
            )
        return {}
    found = discovered(gpu_nodes(operator.cluster), said.get("gpuSku", ""), operator.cluster)
    if found is not None:
        return found
    if operator.cluster.list("Node"):
        if required:
            raise _nothing_found(said.get("gpuSku", ""))
        return {}
    _note_unknown(required or ("rdma",), operator, fails=bool(required))
    return {}


def _looks_at_nodes(operator: Operator) -> bool:
    """Since 1.3 the setting is for an operator that is bound to a namespace (internal/features/gates.go)."""
    if operator.release.has("requests/discovery-by-gate") and not operator.config.namespace.restricted:
        return True
    return operator.config.gpu_discovery


def _missing(said: Tree, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in said)


def _nothing_found(wanted: str = "") -> Refusal:
    what = f"GPUs of the SKU {wanted}" if wanted else "labels of GPU feature discovery"
    path = (*_PATH, "gpuSku") if wanted else ("spec",)
    message = f"No Node in the input or --cluster has {what}: the operator fails the request."
    return Refusal("request/no-gpus", message, path, _SAY_IT)


def _note_unknown(missing: tuple[str, ...], operator: Operator, *, fails: bool = True) -> None:
    message = (
        f"The operator adds {_listed(missing)} of the cluster's GPUs; no Node in the input or --cluster shows them."
    )
    if fails:
        message += " Where it finds no GPUs, the request fails."
    hint = "add `kubectl get nodes -o yaml` to --cluster" + (f", or {_SAY_IT}" if fails else "")
    operator.report(NOTE, "request/hardware", message, ("spec",), hint)


def _listed(names: tuple[str, ...]) -> str:
    shown = [f"`{name}`" for name in names]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" and {shown[-1]}"

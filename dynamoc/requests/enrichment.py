"""The hardware that the profiler is told: what the request says, and what the operator finds out.

Source: controller/dynamographdeploymentrequest_controller.go validateGPUHardwareInfo, enrichHardwareFromDiscovery.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import NOTE, Refusal
from dynamoc.requests.hardware import discovered, gpu_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_PATH = ("spec", "hardware")
#: what the operator wants to know, and that what it only adds where it can
_NEEDED, _REQUIRED = ("gpuSku", "vramMb", "numGpusPerNode"), ("gpuSku", "vramMb", "numGpusPerNode", "totalGpus")
_ADDED = ("interconnect", "rdma")
_SAY_IT = "set `hardware.gpuSku`, `vramMb`, `numGpusPerNode` and `totalGpus`"


def enriched(spec: Tree, operator: Operator) -> Tree:
    """The canonical spec with the hardware that the profiler is told. Refusal where the operator gives up."""
    said = spec.get("hardware")
    if operator.release.has("requests/asks-dcgm-alone"):
        found = _of_dcgm(said or {}, operator)
    elif operator.release.has("requests/discovers-metadata"):
        found = _of_nodes(said or {}, operator)
    else:
        found = _of_first_nodes(said or {}, operator)
    return {**spec, "hardware": {**found, **(said or {})}}


def _of_first_nodes(said: Tree, operator: Operator) -> Tree:
    """1.0: any one field is enough; what the nodes tell fills the others, whatever GPUs the request names."""
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
    """Since 1.2: all that is missing is asked for, and a request fails whose required fields nobody knows."""
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
    message = f"No Node in the input or --context has {what}: the operator fails the request."
    return Refusal("request/no-gpus", message, path, _SAY_IT)


def _note_unknown(missing: tuple[str, ...], operator: Operator, *, fails: bool = True) -> None:
    message = (
        f"The operator adds {_listed(missing)} of the cluster's GPUs; no Node in the input or --context shows them."
    )
    if fails:
        message += " Where it finds no GPUs, the request fails."
    hint = "add `kubectl get nodes -o yaml` to --context" + (f", or {_SAY_IT}" if fails else "")
    operator.report(NOTE, "request/hardware", message, ("spec",), hint)


def _listed(names: tuple[str, ...]) -> str:
    shown = [f"`{name}`" for name in names]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" and {shown[-1]}"

"""Settings that prefill and decode must share."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.check.roles import role
from dynamoc.kube.lenient import mapping, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.arguments import Arguments
    from dynamoc.check.made import Component, Made, Workload
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

_SGLANG = "--disaggregation-transfer-backend"
_VLLM = "--kv-transfer-config"
#: vLLM's connectors between two engines, of which each speaks a protocol of its own
_SINGLE = {"NixlConnector", "MooncakeConnector", "P2pNcclConnector", "LMCacheConnectorV1"}


@rule("check/transfer-settings")
def transfer_settings(made: Made) -> Iterator[Fault]:
    """How caches travel from prefill to decode is agreed on by both sides."""
    known: dict[str, tuple[str, str]] = {}
    for component in made.components:
        found = _setting(component.first.arguments)
        if found is None:
            continue
        flag, value = found
        other, wanted = known.setdefault(flag, (component.name, value))
        # Others wrap several connectors, of which one may be that of the other side.
        if value != wanted and (flag == _SGLANG or {value, wanted} <= _SINGLE):
            leader = component.first
            message = f"{component.name} transfers caches with {value}, but {other} with {wanted}: they cannot talk."
            where = (*leader.main[0], *leader.arguments.place(flag))
            yield leader.fault("check/transfer-settings", where, message, f"use {wanted} in both")


#: the part that vLLM's `kv_role` gives each side; `kv_both` is for either
_ROLES = {"prefill": "kv_consumer", "decode": "kv_producer"}


@rule("check/transfer-role")
def transfer_roles(made: Made) -> Iterator[Fault]:
    """Prefill makes caches and decode takes them."""
    for component in made.components:
        leader = component.first
        config = _config(leader.arguments)
        wrong = _ROLES.get(role(leader))
        if wrong is not None and config.get("kv_connector") in _SINGLE and config.get("kv_role") == wrong:
            right = "kv_producer" if wrong == "kv_consumer" else "kv_consumer"
            message = (
                f"{component.name} is a {role(leader)} worker with `kv_role: {wrong}`: no cache reaches the other side."
            )
            where = (*leader.main[0], *leader.arguments.place(_VLLM))
            yield leader.fault("check/transfer-role", where, message, f"write `{right}`, or `kv_both`")


def _setting(arguments: Arguments) -> tuple[str, str] | None:
    if arguments.engine == "sglang" and arguments.value(_SGLANG):
        return _SGLANG, str(arguments.value(_SGLANG))
    connector = _config(arguments).get("kv_connector")
    return (_VLLM, connector) if isinstance(connector, str) else None


def _config(arguments: Arguments) -> Tree:
    """What vLLM is told of its connector; nothing where it cannot be read."""
    said = arguments.value(_VLLM) if arguments.engine == "vllm" else None
    if not said:
        return {}
    from dynamoc.kube.json_data import loads

    try:
        found = loads(said)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


#: transports of UCX that need an adapter for RDMA, and ones that do without
_RDMA = ("rc", "rc_x", "rc_v", "rc_mlx5", "rc_verbs", "dc", "dc_x", "dc_mlx5", "ud", "ud_x", "ud_mlx5", "ib")
_WITHOUT = ("tcp", "all")
#: parts of names of resources that give a pod such an adapter
_ADAPTERS = ("rdma", "hca", "roce", "infiniband", "efa", "mlnx", "mellanox", "sriov", "/ib", "cx7", "cx6")


@rule("check/rdma")
def rdma(made: Made) -> Iterator[Fault]:
    """Transports over RDMA without an adapter for it, or with one on one side only."""
    by_role: dict[str, list[Component]] = {}
    for component in made.components:
        leader = component.first
        if leader.arguments.engine is None:
            continue
        if leader.gpus:
            by_role.setdefault(role(leader), []).append(component)
        if _has_adapter(leader):
            continue
        for name, asks in (("UCX_TLS", _asks_of_ucx), ("NCCL_IB_HCA", bool), ("UCX_NET_DEVICES", _is_device)):
            found = leader.variable(name)
            value = text(found[1].get("value")) if found else ""
            if found and value and asks(value):
                message = (
                    f"{component.name} sets `{name}` to `{value}`, which needs an adapter for RDMA, and its pods "
                    "request none."
                )
                hint = "request one, such as `rdma/ib: 1`, in requests and limits; or allow `tcp`"
                yield leader.fault("check/rdma", (*found[0], "value"), message, hint)
    yield from _one_sided(by_role)


def _one_sided(by_role: dict[str, list[Component]]) -> Iterator[Fault]:
    for one, other in (("prefill", "decode"), ("decode", "prefill")):
        have = [component for component in by_role.get(one, ()) if _has_adapter(component.first)]
        lack = [component for component in by_role.get(other, ()) if not _has_adapter(component.first)]
        if have and len(lack) == len(by_role.get(other, ())) and lack:
            leader = lack[0].first
            message = (
                f"{have[0].name} requests an adapter for RDMA, and {lack[0].name} does not: caches travel between the "
                "two over TCP, or not at all."
            )
            where = (*leader.main[0], "resources")
            yield leader.fault("check/rdma", where, message, "request the same in both")


def _asks_of_ucx(value: str) -> bool:
    transports = [each.strip() for each in value.lower().split(",")]
    if value.startswith("^") or any(each in _WITHOUT for each in transports):
        return False
    return any(each in _RDMA for each in transports)


def _is_device(value: str) -> bool:
    return value.startswith("mlx5")


def _has_adapter(workload: Workload) -> bool:
    """Whether a pod may have one: by a resource, a claim, a second network, or the host's own."""
    spec, container = workload.template.spec, workload.main[1]
    names = [*mapping(container, "resources", "limits"), *mapping(container, "resources", "requests")]
    if any(part in name.lower() for name in names for part in _ADAPTERS):
        return True
    if spec.get("resourceClaims") or spec.get("hostNetwork") or mapping(container, "securityContext").get("privileged"):
        return True
    return any("networks" in name for name in workload.template.annotations)

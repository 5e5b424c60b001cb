"""Settings that prefill and decode share; how a request finds a worker, and a cache its way between two."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.analysis.check.arguments import Arguments
from dynamoc.analysis.check.rendering import Component, Rendering, Workload, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.finding import WARNING
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import mapping
from dynamoc.kube.text import loads

_SGLANG = "--disaggregation-transfer-backend"
_VLLM = "--kv-transfer-config"
#: vLLM's connectors between two engines, of which each speaks a different protocol
_SINGLE = {"NixlConnector", "MooncakeConnector", "P2pNcclConnector", "LMCacheConnectorV1"}


@rule("check/transfer-settings")
def transfer_settings(rendering: Rendering) -> Iterator[Fault]:
    """How caches travel from prefill to decode is agreed on by both sides."""
    known: dict[str, tuple[str, str]] = {}
    for component in rendering.components:
        found = _setting(component.first.arguments)
        if found is None:
            continue
        flag, value = found
        other, wanted = known.setdefault(flag, (component.name, value))
        # Others wrap several connectors, of which one may be that of the other side.
        if value != wanted and (flag == _SGLANG or {value, wanted} <= _SINGLE):
            leader = component.first
            message = f"{component.name} transfers caches with {value}, but {other} with {wanted}: they cannot talk."
            yield leader.at("check/transfer-settings", (flag,), message, f"use {wanted} in both")


#: the part that vLLM's `kv_role` gives each side; `kv_both` is for either
_ROLES = {"prefill": "kv_consumer", "decode": "kv_producer"}


@rule("check/transfer-role")
def transfer_roles(rendering: Rendering) -> Iterator[Fault]:
    """Prefill makes caches and decode takes them."""
    for component, leader in rendering.leaders():
        config = _config(leader.arguments)
        wrong = _ROLES.get(leader.role)
        if wrong is not None and config.get("kv_connector") in _SINGLE and config.get("kv_role") == wrong:
            right = "kv_producer" if wrong == "kv_consumer" else "kv_consumer"
            message = (
                f"{component.name} is a {leader.role} worker with `kv_role: {wrong}`: no cache reaches the other side."
            )
            yield leader.at("check/transfer-role", (_VLLM,), message, f"write `{right}`, or `kv_both`")


def _setting(arguments: Arguments) -> tuple[str, str] | None:
    if arguments.engine == "sglang" and arguments.value(_SGLANG):
        return _SGLANG, str(arguments.value(_SGLANG))
    connector = _config(arguments).get("kv_connector")
    return (_VLLM, connector) if isinstance(connector, str) else None


def _config(arguments: Arguments) -> Tree:
    """The settings of vLLM's connector; nothing where it cannot be read."""
    said = arguments.value(_VLLM) if arguments.engine == "vllm" else None
    if not said:
        return {}

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
def rdma(rendering: Rendering) -> Iterator[Fault]:
    """Transports over RDMA without an adapter for it, or with one on one side only."""
    by_role: dict[str, list[Component]] = {}
    for component, leader in rendering.leaders():
        if leader.arguments.engine is None:
            continue
        if leader.gpus:
            by_role.setdefault(leader.role, []).append(component)
        if _has_adapter(leader):
            continue
        for name, asks in (("UCX_TLS", _asks_of_ucx), ("NCCL_IB_HCA", bool), ("UCX_NET_DEVICES", _is_device)):
            where, value = leader.value(name)
            if value and asks(value):
                message = (
                    f"{component.name} sets `{name}` to `{value}`, which needs an adapter for RDMA, and its pods "
                    "request none."
                )
                hint = "request one, such as `rdma/ib: 1`, in requests and limits; or allow `tcp`"
                yield leader.fault("check/rdma", where, message, hint)
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


_BLOCKS = {"vllm": ("--block-size",), "sglang": ("--page-size",), "trtllm": ("--kv-block-size",)}
_NO_CACHE = {"vllm": "--no-enable-prefix-caching", "sglang": "--disable-radix-cache"}
_NO_EVENTS = ("--no-kv-events", "--no-router-kv-events")
_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1")


def _routers(rendering: Rendering) -> list[Workload]:
    """The frontends that choose workers by their caches."""
    return [component.first for component in rendering.components if _routes_by_cache(component.first)]


def _routes_by_cache(workload: Workload) -> bool:
    mode = workload.arguments.value("--router-mode")
    if mode is None:
        mode = workload.value("DYN_ROUTER_MODE")[1]
    return mode == "kv"


def _engines(rendering: Rendering) -> Iterator[Component]:
    return (component for component in rendering.components if component.first.arguments.engine is not None)


@rule("check/block-size")
def block_sizes(rendering: Rendering) -> Iterator[Fault]:
    """A router counts blocks of another size than the workers report."""
    for router in _routers(rendering):
        wanted = router.arguments.number("--kv-cache-block-size", default=0)
        for component in _engines(rendering) if wanted else ():
            leader = component.first
            flags = _BLOCKS[leader.arguments.engine or ""]
            size = leader.arguments.number(*flags, default=0)
            if size and size != wanted:
                message = (
                    f"{component.name} has cache blocks of {size} tokens, but {router.component} counts blocks of "
                    f"{wanted}: it finds no cached prefix, and says nothing."
                )
                yield leader.at("check/block-size", flags, message, f"use {wanted} in both")
    yield from _of_both_sides(rendering)


def _of_both_sides(rendering: Rendering) -> Iterator[Fault]:
    """Prefill writes blocks of another size than decode reads."""
    known: dict[tuple[str, str], tuple[Component, int]] = {}
    for component in _engines(rendering):
        leader = component.first
        side, engine = leader.role, leader.arguments.engine or ""
        flags = _BLOCKS[engine]
        size = leader.arguments.number(*flags, default=0) if side in ("prefill", "decode") else 0
        if not size:
            continue
        known.setdefault((engine, side), (component, size))
        other = known.get((engine, "decode" if side == "prefill" else "prefill"))
        if other is not None and other[1] != size:
            message = (
                f"{component.name} has cache blocks of {size} tokens, and {other[0].name} of {other[1]}: what one side "
                "sends does not fit into the blocks of the other."
            )
            yield leader.at("check/block-size", flags, message, f"use {other[1]} in both")


@rule("check/router-without-cache")
def router_without_cache(rendering: Rendering) -> Iterator[Fault]:
    """Routing by caches that the workers do not keep."""
    # Decode workers get their caches, and look nothing up: where there is prefill, all others decode.
    looks_up = ("prefill",) if any(each.first.role == "prefill" for each in _engines(rendering)) else ("",)
    for router in _routers(rendering):
        if router.arguments.has(*_NO_EVENTS):
            continue
        for component in _engines(rendering):
            leader = component.first
            flag = _NO_CACHE.get(leader.arguments.engine or "", "")
            if flag and leader.arguments.has(flag) and leader.role in looks_up:
                message = (
                    f"{router.component} routes to the worker that has a prefix cached, but `{flag}` makes "
                    f"{component.name} keep none."
                )
                yield leader.at("check/router-without-cache", (flag,), message, f"remove `{flag}`, or route otherwise")


def _named_by_frontends(rendering: Rendering, served: set[str]) -> Iterator[Fault]:
    """A name that a frontend is given, which is not what clients must ask for."""
    for component, leader in rendering.leaders() if served else ():
        name = leader.arguments.value("--model-name") if leader.arguments.runs("dynamo.frontend") else None
        if name and "$" not in name and name not in served:
            listed = ", ".join(f"`{each}`" for each in sorted(served))
            message = f"{component.name} has `--model-name {name}`, but its workers serve {listed}: that is the name."
            hint = "write the same name, or leave the flag out"
            yield leader.at("check/models-differ", ("--model-name",), message, hint, severity=WARNING)


@rule("check/models-differ")
def models_differ(rendering: Rendering) -> Iterator[Fault]:
    """Prefill workers of a model that no decode worker serves, and the reverse."""
    by_role: dict[str, list[tuple[Component, str]]] = {}
    for component in _engines(rendering):
        model = _model(component.first)
        if model is None:
            return
        by_role.setdefault(component.first.role, []).append((component, model))
    yield from _named_by_frontends(rendering, {model for found in by_role.values() for _, model in found})
    if "prefill" not in by_role or "decode" not in by_role:
        return
    others = by_role.get("", [])
    for one, other in (("prefill", "decode"), ("decode", "prefill")):
        known = {model for _, model in (*by_role[other], *others)}
        for component, model in by_role[one]:
            if model not in known:
                leader = component.first
                message = f"{component.name} serves `{model}`, and no {other} worker does: the two never meet."
                where = (*leader.main[0], *leader.arguments.place("--served-model-name", "--model", "--model-path"))
                yield leader.fault("check/models-differ", where, message, "serve the same name in both")


def _model(workload: Workload) -> str | None:
    """The name that a worker registers; None where it cannot be known here."""
    arguments = workload.arguments
    for flag in ("--served-model-name", "--model", "--model-path"):
        if arguments.has(flag):
            found = arguments.value(flag)
            return None if found is None or "$" in found or "{" in found else found
    return None


@rule("check/side-channel-host")
def side_channel_host(rendering: Rendering) -> Iterator[Fault]:
    """An address for the other side that is one's own."""
    for workload in rendering.workloads:
        where, value = workload.value("VLLM_NIXL_SIDE_CHANNEL_HOST")
        if value in _HERE and workload.arguments.engine == "vllm":
            message = (
                f"{workload.component} tells the other side to fetch caches from {value}, which is that side itself."
            )
            hint = "remove the variable, or take it from `fieldRef: {fieldPath: status.podIP}`"
            yield workload.fault("check/side-channel-host", where, message, hint)


@rule("check/epp-namespace")
def epp_namespace(rendering: Rendering) -> Iterator[Fault]:
    """An endpoint picker that looks for workers under a name that they do not have."""
    suffixed = [workload for workload in rendering.workloads if workload.variable("DYN_NAMESPACE_WORKER_SUFFIX")]
    for workload in rendering.workloads if suffixed else ():
        if workload.type == "epp" and not workload.variable("DYN_NAMESPACE_PREFIX"):
            message = (
                f"{suffixed[0].component} registers under a namespace that ends in its hash, and {workload.component} "
                "looks for it without: it finds no model and restarts."
            )
            hint = "use an operator that gives the picker DYN_NAMESPACE_PREFIX (1.1 and later), or `--target grove`"
            yield workload.fault("check/epp-namespace", workload.main[0], message, hint)

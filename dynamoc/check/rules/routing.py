"""How a request finds a worker, and a cache its way between two."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.check.roles import role
from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.lenient import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Component, Made, Workload
    from dynamoc.stages.faults import Fault

_BLOCKS = {"vllm": ("--block-size",), "sglang": ("--page-size",), "trtllm": ("--kv-block-size",)}
_NO_CACHE = {"vllm": "--no-enable-prefix-caching", "sglang": "--disable-radix-cache"}
_NO_EVENTS = ("--no-kv-events", "--no-router-kv-events")
_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1")


def _routers(made: Made) -> list[Workload]:
    """The frontends that choose workers by their caches."""
    return [component.first for component in made.components if _routes_by_cache(component.first)]


def _routes_by_cache(workload: Workload) -> bool:
    mode = workload.arguments.value("--router-mode")
    if mode is None:
        found = workload.variable("DYN_ROUTER_MODE")
        mode = text(found[1].get("value")) if found else ""
    return mode == "kv"


def _engines(made: Made) -> Iterator[Component]:
    return (component for component in made.components if component.first.arguments.engine is not None)


@rule("check/block-size")
def block_sizes(made: Made) -> Iterator[Fault]:
    """A router counts blocks of another size than the workers report."""
    for router in _routers(made):
        wanted = router.arguments.number("--kv-cache-block-size", default=0)
        for component in _engines(made) if wanted else ():
            leader = component.first
            flags = _BLOCKS[leader.arguments.engine or ""]
            size = leader.arguments.number(*flags, default=0)
            if size and size != wanted:
                message = (
                    f"{component.name} has cache blocks of {size} tokens, but {router.component} counts blocks of "
                    f"{wanted}: it finds no cached prefix, and says nothing."
                )
                where = (*leader.main[0], *leader.arguments.place(*flags))
                yield leader.fault("check/block-size", where, message, f"use {wanted} in both")
    yield from _of_both_sides(made)


def _of_both_sides(made: Made) -> Iterator[Fault]:
    """Prefill writes blocks of another size than decode reads."""
    known: dict[tuple[str, str], tuple[Component, int]] = {}
    for component in _engines(made):
        leader = component.first
        side, engine = role(leader), leader.arguments.engine or ""
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
            where = (*leader.main[0], *leader.arguments.place(*flags))
            yield leader.fault("check/block-size", where, message, f"use {other[1]} in both")


@rule("check/router-without-cache")
def router_without_cache(made: Made) -> Iterator[Fault]:
    """Routing by caches that the workers do not keep."""
    # Decode workers get their caches, and look nothing up: where there is prefill, all others decode.
    looks_up = ("prefill",) if any(role(each.first) == "prefill" for each in _engines(made)) else ("",)
    for router in _routers(made):
        if router.arguments.has(*_NO_EVENTS):
            continue
        for component in _engines(made):
            leader = component.first
            flag = _NO_CACHE.get(leader.arguments.engine or "", "")
            if flag and leader.arguments.has(flag) and role(leader) in looks_up:
                message = (
                    f"{router.component} routes to the worker that has a prefix cached, but `{flag}` makes "
                    f"{component.name} keep none."
                )
                where = (*leader.main[0], *leader.arguments.place(flag))
                yield leader.fault("check/router-without-cache", where, message, f"remove `{flag}`, or route otherwise")


def _named_by_frontends(made: Made, served: set[str]) -> Iterator[Fault]:
    """A name that a frontend is given, which is not what clients must ask for."""
    for component in made.components if served else ():
        leader = component.first
        name = leader.arguments.value("--model-name") if leader.arguments.runs("dynamo.frontend") else None
        if name and "$" not in name and name not in served:
            listed = ", ".join(f"`{each}`" for each in sorted(served))
            message = f"{component.name} has `--model-name {name}`, but its workers serve {listed}: that is the name."
            where = (*leader.main[0], *leader.arguments.place("--model-name"))
            hint = "write the same name, or leave the flag out"
            fault = leader.fault("check/models-differ", where, message, hint)
            fault.problem.severity = WARNING
            yield fault


@rule("check/models-differ")
def models_differ(made: Made) -> Iterator[Fault]:
    """Prefill workers of a model that no decode worker serves, and the reverse."""
    by_role: dict[str, list[tuple[Component, str]]] = {}
    for component in _engines(made):
        model = _model(component.first)
        if model is None:
            return
        by_role.setdefault(role(component.first), []).append((component, model))
    yield from _named_by_frontends(made, {model for found in by_role.values() for _, model in found})
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
def side_channel_host(made: Made) -> Iterator[Fault]:
    """An address for the other side that is one's own."""
    for workload in made.workloads:
        found = workload.variable("VLLM_NIXL_SIDE_CHANNEL_HOST")
        value = text(found[1].get("value")) if found else ""
        if found and value in _HERE and workload.arguments.engine == "vllm":
            message = (
                f"{workload.component} tells the other side to fetch caches from {value}, which is that side itself."
            )
            hint = "remove the variable, or take it from `fieldRef: {fieldPath: status.podIP}`"
            yield workload.fault("check/side-channel-host", (*found[0], "value"), message, hint)


@rule("check/epp-namespace")
def epp_namespace(made: Made) -> Iterator[Fault]:
    """An endpoint picker that looks for workers under a name that they do not have."""
    suffixed = [workload for workload in made.workloads if workload.variable("DYN_NAMESPACE_WORKER_SUFFIX")]
    for workload in made.workloads if suffixed else ():
        if workload.type == "epp" and not workload.variable("DYN_NAMESPACE_PREFIX"):
            message = (
                f"{suffixed[0].component} registers under a namespace that ends in its hash, and {workload.component} "
                "looks for it without: it finds no model and restarts."
            )
            hint = "use an operator that gives the picker DYN_NAMESPACE_PREFIX (1.1 and later), or `--target grove`"
            yield workload.fault("check/epp-namespace", workload.main[0], message, hint)

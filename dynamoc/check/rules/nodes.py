"""Engines on several nodes: what the flags ask of each node."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.check.rules.gpus import engines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Component, Made
    from dynamoc.check.rules.gpus import Engine
    from dynamoc.stages.faults import Fault

    Fit = tuple[str, str, tuple[str, ...]]
    """What is wrong, what to do, and the flags that say it."""

_LOCAL = ("--data-parallel-size-local", "-dpl")
_DATA = {"vllm": ("--data-parallel-size", "-dp"), "sglang": ("--dp-size", "--dp", "--data-parallel-size")}
_SHARED_ATTENTION = "--enable-dp-attention"
_NUMBER = "--num-gpus"


@rule("check/parallelism-of-nodes")
def parallelism_of_nodes(made: Made) -> Iterator[Fault]:
    """Sizes that an engine refuses on the nodes that it gets.

    Source: vLLM's EngineArgs.create_engine_config (data_parallel_size_local); SGLang's ServerArgs.check_server_args.
    """
    for component, leader, engine in engines(made):
        name = leader.arguments.engine
        find = {"vllm": _vllm, "sglang": _sglang}.get(name or "")
        for message, hint, flags in find(component, engine) if find and not engine.file else ():
            where = (*leader.main[0], *leader.arguments.place(*flags))
            yield leader.fault("check/parallelism-of-nodes", where, message, hint)


def _vllm(component: Component, engine: Engine) -> Iterator[Fit]:
    local = engine.arguments.number(*_LOCAL, default=0)
    if not local or engine.tensor is None or engine.pipeline is None:
        return
    gpus, each = component.first.gpus, engine.tensor * engine.pipeline
    if gpus and local * each > gpus:
        message = (
            f"{component.name} starts {local} engines of {each} GPU{'s' * (each != 1)} on each node, but a pod has "
            f"{gpus}."
        )
        yield message, f"set `{_LOCAL[0]}` to at most {gpus // each}", _LOCAL
    data = engine.arguments.number(*_DATA["vllm"])
    nodes = component.nodes
    if nodes > 1 and data is not None and engine.arguments.has(*_DATA["vllm"]) and local * nodes < data:
        message = (
            f"{component.name} has {data} engines in all, but {nodes} nodes with {local} engines are {local * nodes}."
        )
        yield message, f"set `{_DATA['vllm'][0]}` to {local * nodes}, or change the nodes", _LOCAL


def _sglang(component: Component, engine: Engine) -> Iterator[Fit]:
    nodes, arguments = component.nodes, engine.arguments
    data = arguments.number(*_DATA["sglang"])
    if engine.tensor is None or engine.pipeline is None:
        return
    if arguments.has(_SHARED_ATTENTION) and data and engine.tensor % data:
        message = (
            f"{component.name} shares the attention of {engine.tensor} GPUs among {data} groups, which leaves a rest: "
            "SGLang does not start."
        )
        yield message, "use a data parallelism that divides the tensor parallelism", _DATA["sglang"]
    if nodes > 1 and data and data > 1 and not arguments.has(_SHARED_ATTENTION):
        message = f"{component.name} runs on {nodes} nodes with data parallelism {data}: SGLang refuses that."
        yield message, f"add `{_SHARED_ATTENTION}`, or use replicas of the component", _DATA["sglang"]
    if nodes > 1 and engine.tensor * engine.pipeline % nodes:
        message = (
            f"{component.name} spreads {engine.says} over {nodes} nodes, which leaves a rest: SGLang does not start."
        )
        yield message, f"use sizes that {nodes} nodes can share evenly", engine.tensor_flags


@rule("check/unread-flag")
def unread_flags(made: Made) -> Iterator[Fault]:
    """Sizes that vLLM reads and the operator does not: it then starts an engine of its own on each node.

    Source: internal/dynamo/backend_vllm.go getFlagValue, up to 1.5.
    """
    from dynamoc.rules.backends.vllm_flags import launch_args

    for component, leader, engine in engines(made):
        if component.nodes < 2 or leader.arguments.engine != "vllm" or not engine.tensor or not engine.pipeline:
            continue
        asked, wanted = launch_args(leader.main[1], made.release).world_size, engine.tensor * engine.pipeline
        if asked < wanted and wanted > leader.gpus > 0 and not leader.arguments.has("--nnodes"):
            flags = ("--tensor-parallel-size", "-tp", "--pipeline-parallel-size", "-pp")
            message = (
                f"Operator {made.release.name} reads the size of an engine only as `--tensor-parallel-size N`, in two "
                f"words. Here it sees {asked}, not {wanted}, and starts {component.name} on each node alone."
            )
            hint = f'write `--tensor-parallel-size`, `"{engine.tensor}"` as two arguments' + (
                f', and `--pipeline-parallel-size`, `"{engine.pipeline}"`' if engine.pipeline > 1 else ""
            )
            where = (*leader.main[0], *leader.arguments.place(*flags))
            yield leader.fault("check/unread-flag", where, message, hint)


@rule("check/num-gpus")
def num_gpus(made: Made) -> Iterator[Fault]:
    """What Ray is told of the GPUs of a node."""
    for workload in made.workloads:
        number = workload.arguments.number(_NUMBER, default=0)
        if number and workload.gpus and number != workload.gpus:
            message = (
                f"`{_NUMBER} {number}` tells Ray of {number} GPU{'s' * (number != 1)}, but the pod of "
                f"{workload.component} has {workload.gpus}."
            )
            where = (*workload.main[0], *workload.arguments.place(_NUMBER))
            yield workload.fault("check/num-gpus", where, message, f"remove `{_NUMBER}`: Ray counts them itself")


#: flags of which each engine takes the last one
_ONCE = (
    ("--tensor-parallel-size", "-tp", "--tp-size", "--tp"),
    ("--pipeline-parallel-size", "-pp", "--pp-size"),
    ("--data-parallel-size", "-dp", "--dp-size", "--dp"),
    ("--data-parallel-size-local", "-dpl"),
    ("--model", "--model-path"),
    ("--max-model-len", "--context-length"),
    ("--gpu-memory-utilization", "--mem-fraction-static"),
    ("--block-size", "--page-size"),
    ("--kv-transfer-config",),
    ("--disaggregation-mode",),
    ("--max-num-seqs", "--max-running-requests", "--max-batch-size"),
    ("--max-num-batched-tokens", "--max-num-tokens"),
    ("--max-seq-len",),
    ("--kv-block-size",),
    ("--free-gpu-memory-fraction",),
    ("--kv-cache-dtype",),
    ("--dtype",),
    ("--quantization", "-q"),
)


@rule("check/flag-twice")
def flags_twice(made: Made) -> Iterator[Fault]:
    """A flag that another one of the same command line overrides."""
    for component, leader, _ in engines(made):
        for flags in _ONCE:
            found = leader.arguments.values(*flags)
            if len({value for value, _ in found}) > 1:
                message = (
                    f"{component.name} has `{flags[0]}` {len(found)} times: `{found[0][0]}` has no effect, "
                    f"`{found[-1][0]}` counts."
                )
                where = (*leader.main[0], *found[0][1])
                yield leader.fault("check/flag-twice", where, message, "keep one of them")

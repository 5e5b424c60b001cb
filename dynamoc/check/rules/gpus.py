"""GPUs that an engine is told to use, against those that its pods have."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.diagnostics.change import Change
from dynamoc.kube.lenient import entries, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.arguments import Arguments
    from dynamoc.check.made import Component, Made, Workload
    from dynamoc.stages.faults import Fault

#: flags of the engines' command lines: vllm serve, sglang.launch_server, dynamo.trtllm
_TENSOR = {
    "vllm": ("--tensor-parallel-size", "-tp"),
    "sglang": ("--tp-size", "--tp", "--tensor-parallel-size"),
    "trtllm": ("--tensor-parallel-size",),
}
_PIPELINE = {
    "vllm": ("--pipeline-parallel-size", "-pp"),
    "sglang": ("--pp-size", "--pipeline-parallel-size"),
    "trtllm": ("--pipeline-parallel-size",),
}
_DATA = {
    "vllm": ("--data-parallel-size", "-dp"),
    "sglang": ("--dp-size", "--dp", "--data-parallel-size"),
    "trtllm": (),
}
_EXPERT = {
    "vllm": (),
    "sglang": ("--ep-size", "--ep", "--expert-parallel-size"),
    "trtllm": ("--expert-parallel-size",),
}
#: each of several pods has such a rank of its own, and only its share of the GPUs
_OWN_RANK = ("--data-parallel-rank", "--data-parallel-external-lb")
_SHARED_OUT = "--data-parallel-hybrid-lb"
#: GPUs that are idle now may be taken later
_ELASTIC = ("--enable-elastic-ep", "--elastic-ep-backend", "--enable-eplb-elastic")
#: files that may say otherwise, and that nobody can read here
_FILES = {
    "vllm": ("--config",),
    "sglang": ("--config",),
    "trtllm": ("--extra-engine-args", "--extra-llm-api-options", "--override-engine-args"),
}
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


class Engine:
    """An engine's parallelism: sizes are None where they cannot be known here."""

    def __init__(self, arguments: Arguments, nodes: int) -> None:
        self.arguments = arguments
        name = arguments.engine or ""
        self.tensor_flags = _TENSOR[name]
        self.tensor = arguments.number(*_TENSOR[name])
        self.pipeline = arguments.number(*_PIPELINE[name])
        self.data = arguments.number(*_DATA[name]) if _DATA[name] else 1
        self.expert = arguments.number(*_EXPERT[name]) if _EXPERT[name] else 1
        self.file = next((flag for flag in _FILES[name] if arguments.has(flag)), None)
        if name == "sglang" and arguments.has("--enable-dp-attention"):
            # The attention of one tensor-parallel group is shared out; no further GPUs are needed.
            self.data = 1
        if arguments.has(*_OWN_RANK):
            self.data = 1
        elif arguments.has(_SHARED_OUT) and nodes == 1:
            # Other components, or replicas, may have the other ranks.
            self.data = None

    @property
    def world(self) -> int | None:
        """GPUs of one replica."""
        if self.tensor is None or self.pipeline is None or self.data is None:
            return None
        return self.tensor * self.pipeline * self.data

    @property
    def says(self) -> str:
        sizes = (("tensor", self.tensor), ("pipeline", self.pipeline), ("data", self.data))
        return " x ".join(f"{name} {size}" for name, size in sizes if size != 1 or name == "tensor")


def engines(made: Made) -> list[tuple[Component, Workload, Engine]]:
    """The components that run one engine, each with the pod that leads it."""
    if not made.engines:
        for component in made.components:
            leader = component.first
            if leader.arguments.engine is not None and not leader.arguments.several:
                made.engines.append((component, leader, Engine(leader.arguments, component.nodes)))
    return made.engines


@rule("check/too-few-gpus", "check/idle-gpus")
def world_size(made: Made) -> Iterator[Fault]:
    for component, leader, engine in engines(made):
        world, gpus = engine.world, component.gpus
        if world is None or engine.file or not gpus or _has_unknown_devices(component):
            continue
        where = (*leader.main[0], *leader.arguments.place(*engine.tensor_flags))
        nodes = f"{component.nodes} nodes with " if component.nodes > 1 else ""
        have = f"{nodes}{leader.gpus or gpus} GPU{'s' * ((leader.gpus or gpus) != 1)}"
        if world > gpus:
            message = f"{component.name} needs {world} GPUs ({engine.says}), but one replica has {have}."
            hint = f"request {_each(world, component)} for each pod, or use less parallelism"
            yield leader.fault("check/too-few-gpus", where, message, hint)
        elif world < gpus and not leader.arguments.has(*_ELASTIC):
            message = f"{component.name} uses {world} of {gpus} GPUs ({engine.says}); the others are idle."
            hint = f"request {_each(world, component)} for each pod, or use more parallelism"
            yield leader.fault("check/idle-gpus", where, message, hint)


def _each(world: int, component: Component) -> str:
    each = -(-world // max(component.nodes, 1))
    return "1 GPU" if each == 1 else f"{each} GPUs"


def _has_unknown_devices(component: Component) -> bool:
    """Claims that no template among the documents describes may bring further GPUs."""
    return (
        any(True for workload in component.workloads for _ in entries(workload.template.spec, "resourceClaims"))
        and not component.gpus
    )


@rule("check/no-gpus")
def engine_without_gpus(made: Made) -> Iterator[Fault]:
    for component, leader, engine in engines(made):
        claims = any(True for _ in entries(leader.template.spec, "resourceClaims"))
        if component.gpus or claims or engine.arguments.has("--device", "--load-format=dummy"):
            continue
        message = f"{component.name} runs {engine.arguments.engine}, but its pods request no GPU."
        yield leader.fault("check/no-gpus", leader.main[0], message, "set the GPUs in `resources.limits`")


@rule("check/parallelism-in-file")
def parallelism_in_a_file(made: Made) -> Iterator[Fault]:
    for component, leader, engine in engines(made):
        if engine.file and component.gpus:
            where = (*leader.main[0], *leader.arguments.place(engine.file))
            file = engine.arguments.value(engine.file) or "a file"
            message = f"{component.name} reads settings from {file}: its parallelism cannot be compared with its GPUs."
            yield leader.fault("check/parallelism-in-file", where, message)


@rule("check/expert-parallelism")
def expert_parallelism(made: Made) -> Iterator[Fault]:
    for component, leader, engine in engines(made):
        if not engine.expert or not engine.tensor:
            continue
        name = engine.arguments.engine or ""
        where = (*leader.main[0], *leader.arguments.place(*_EXPERT[name]))
        if name == "trtllm" and engine.expert < engine.tensor and engine.tensor % engine.expert:
            # The rest of each group is tensor-parallel (tensorrt_llm Mapping).
            message = (
                f"{component.name} spreads experts over {engine.expert} of {engine.tensor} GPUs, which leaves a rest: "
                "the engine does not start."
            )
            hint = f"use an expert parallelism that divides {engine.tensor}"
            yield leader.fault("check/expert-parallelism", where, message, hint)
        elif engine.expert > engine.tensor:
            message = (
                f"{component.name} spreads experts over {engine.expert} GPUs, but its tensor parallelism has "
                f"{engine.tensor}: the engine does not start."
            )
            hint = f"set expert parallelism to at most {engine.tensor}"
            yield leader.fault("check/expert-parallelism", where, message, hint)


@rule("check/visible-devices")
def visible_devices(made: Made) -> Iterator[Fault]:
    for workload in made.workloads:
        for name in _VISIBLE:
            found = workload.variable(name)
            listed = [part for part in text(found[1].get("value")).split(",") if part.strip()] if found else []
            if not found or not workload.gpus or not listed or not all(part.strip().isdigit() for part in listed):
                continue
            if len(listed) == workload.gpus and any(int(part) >= workload.gpus for part in listed):
                message = (
                    f"{name} shows the GPUs {text(found[1].get('value'))}, but a pod with {workload.gpus} counts its "
                    "own from 0: there are no others."
                )
                hint = f"remove {name}: Kubernetes sets it"
                yield workload.fault("check/visible-devices", (*found[0], "value"), message, hint)
            elif len(listed) != workload.gpus:
                message = (
                    f"{name} shows {len(listed)} GPU{'s' * (len(listed) != 1)} to the process, but the pod requests "
                    f"{workload.gpus}."
                )
                hint = f"remove {name}: Kubernetes sets it"
                if len(listed) < workload.gpus:
                    hint += f", or request {len(listed)}"
                fault = workload.fault("check/visible-devices", (*found[0], "value"), message, hint)
                # Of too few, somebody may mean it: then the request is what is wrong. The variable has the value.
                fault.problem.change = Change("remove", up=1) if len(listed) > workload.gpus else None
                yield fault

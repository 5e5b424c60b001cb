"""GPUs that an engine is to use, against those of its pods; flags that its image does not take, or needs.

Source: components/src/dynamo/vllm/args.py and backend_args.py, by the commits of the releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from dynamoc.analysis.check.arguments import MODE, Arguments, size_in
from dynamoc.analysis.check.engines import NAMES, SETTINGS
from dynamoc.analysis.check.rendering import (
    Component,
    Rendering,
    Workload,
    dynamo_minor,
    image_parts,
    rule,
    settings_in,
)
from dynamoc.analysis.compare.pod_counts import is_gpu
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, WARNING
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text

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
_DATA = {"vllm": ("--data-parallel-size", "-dp"), "sglang": ("--dp-size", "--dp", "--data-parallel-size"), "trtllm": ()}
_EXPERT = {"vllm": (), "sglang": ("--ep-size", "--ep", "--expert-parallel-size"), "trtllm": ("--expert-parallel-size",)}
#: each of several pods has such a rank, and only its share of the GPUs
_OWN_RANK = ("--data-parallel-rank", "--data-parallel-external-lb")
_SHARED_OUT = "--data-parallel-hybrid-lb"
#: GPUs that are idle now may be taken later
_ELASTIC = ("--enable-elastic-ep", "--elastic-ep-backend", "--enable-eplb-elastic")
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


class Engine:
    """An engine's parallelism: sizes are None where they cannot be known here."""

    def __init__(self, arguments: Arguments, nodes: int, read: Callable[[str], Tree | None]) -> None:
        self.arguments = arguments
        name = arguments.engine or ""
        self.tensor_flags = _TENSOR[name]
        self.tensor = arguments.number(*_TENSOR[name])
        self.pipeline = arguments.number(*_PIPELINE[name])
        self.data = arguments.number(*_DATA[name]) if _DATA[name] else 1
        self.expert = arguments.number(*_EXPERT[name]) if _EXPERT[name] else 1
        self.file = next((flag for flag in SETTINGS[name] if arguments.has(flag)), None)
        self.is_read = self.file is None
        settings = None if self.file is None else read(arguments.value(self.file) or "")
        if settings is not None and not arguments.has("--override-engine-args"):
            self._take(settings, wins=name == "trtllm")
        if name == "sglang" and arguments.has("--enable-dp-attention"):
            # The attention of one tensor-parallel group is shared out; no further GPUs are needed.
            self.data = 1
        if arguments.has(*_OWN_RANK):
            self.data = 1
        elif arguments.has(_SHARED_OUT) and nodes == 1:
            # Other components, or replicas, may have the other ranks.
            self.data = None

    def _take(self, settings: Tree, *, wins: bool) -> None:
        """Reads the sizes of a file. TensorRT-LLM's wins over flags, flags win over those of the others."""
        name, self.is_read = self.arguments.engine or "", True
        for field, flags in (("tensor", _TENSOR), ("pipeline", _PIPELINE), ("data", _DATA), ("expert", _EXPERT)):
            size = size_in(settings, flags[name])
            if size is not None and (wins or not self.arguments.has(*flags[name])):
                setattr(self, field, size)
        if name == "sglang" and any(settings.get(key) for key in ("enable-dp-attention", "enable_dp_attention")):
            self.data = 1

    @property
    def size_flags(self) -> tuple[str, ...]:
        """The flags that say how many GPUs there are: those of the size itself, or that of the file that has it."""
        of_file = self.file is not None and not self.arguments.has(*self.tensor_flags)
        return (self.file or "",) if of_file else self.tensor_flags

    @property
    def world(self) -> int | None:
        """GPUs of one replica."""
        if self.tensor is None or self.pipeline is None or self.data is None:
            return None
        return self.tensor * self.pipeline * self.data

    @property
    def says(self) -> str:
        sizes = (("tensor", self.tensor), ("pipeline", self.pipeline), ("data", self.data))
        source = f" in {self.arguments.value(self.file)}" if self.file is not None else ""
        return " x ".join(f"{name} {size}" for name, size in sizes if size != 1 or name == "tensor") + source


def engines(rendering: Rendering) -> list[tuple[Component, Workload, Engine]]:
    """The components that run one engine, each with the pod that leads it."""
    if not rendering.engines:
        for component, leader in rendering.leaders():
            if leader.arguments.engine is not None and not leader.arguments.several:
                engine = Engine(leader.arguments, component.nodes, partial(settings_in, rendering, leader))
                rendering.engines.append((component, leader, engine))
    return rendering.engines


@rule("check/too-few-gpus", "check/idle-gpus")
def world_size(rendering: Rendering) -> Iterator[Fault]:
    for component, leader, engine in engines(rendering):
        world, gpus = engine.world, component.gpus
        if world is None or not engine.is_read or not gpus or _has_unknown_devices(component):
            continue
        where = (*leader.main[0], *leader.arguments.place(*engine.size_flags))
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


#: what may bring devices that no resource names: of another kind, or of the node itself
_OTHER_DEVICES = ("xpu", "hpu", "habana", "neuron", "tpu", "npu", "vf", "gaudi")


@rule("check/no-gpus")
def engine_without_gpus(rendering: Rendering) -> Iterator[Fault]:
    """An error for workers; what runs beside a frontend, or in an image for processors, may have its reasons."""
    for component, leader, engine in engines(rendering):
        container, spec = leader.main[1], leader.template.spec
        limits = mapping(container, "resources", "limits")
        claims = any(True for _ in entries(spec, "resourceClaims"))
        # An amount that is wrong, or a request without a limit, is another finding.
        given = {**limits, **mapping(container, "resources", "requests")}
        asked = any(is_gpu(name) and str(amount) != "0" for name, amount in given.items())
        if component.gpus or asked or claims or engine.arguments.has("--device", "--load-format=dummy"):
            continue
        message = f"{component.name} runs {NAMES[engine.arguments.engine or '']}, but its pods request no GPU."
        others = any(each in name.lower() for name in limits for each in _OTHER_DEVICES)
        of_node = spec.get("runtimeClassName") or mapping(container, "securityContext").get("privileged")
        surely = leader.type in ("worker", "prefill", "decode") and not others and not of_node
        surely = surely and "cpu" not in text(container.get("image")).lower() and not leader.variable(_VISIBLE[1])
        fault = leader.fault("check/no-gpus", leader.main[0], message, "set the GPUs in `resources.limits`")
        fault.problem.severity = ERROR if surely else WARNING
        yield fault


@rule("check/parallelism-in-file")
def parallelism_in_a_file(rendering: Rendering) -> Iterator[Fault]:
    for component, leader, engine in engines(rendering):
        if engine.file and not engine.is_read and component.gpus:
            file = engine.arguments.value(engine.file) or "a file"
            message = f"{component.name} reads settings from {file}: its parallelism cannot be compared with its GPUs."
            yield leader.at("check/parallelism-in-file", (engine.file,), message)


@rule("check/expert-parallelism")
def expert_parallelism(rendering: Rendering) -> Iterator[Fault]:
    for component, leader, engine in engines(rendering):
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
def visible_devices(rendering: Rendering) -> Iterator[Fault]:
    for workload in rendering.workloads:
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
                # Too few may be on purpose: then the request is what is wrong. The variable has the value.
                fault.problem.change = Change("remove", up=1) if len(listed) > workload.gpus else None
                yield fault


_CONFIG, _CONNECTOR = "--kv-transfer-config", "--connector"
#: the flag, and what to write instead of it
_OLD_ROLES = {"--is-prefill-worker": f"{MODE}=prefill", "--is-decode-worker": f"{MODE}=decode"}
#: versions of the image: from which `--connector` ends the process, and the old roles are deprecated; and from which
#: the old roles end it, too
_FIRST, _WITHOUT_ROLES = (1, 0), (1, 4)


def _version(workload: Workload) -> tuple[int, ...]:
    """Of the runtime image; nothing where the tag has none, or the image is not one of Dynamo's."""
    repository, tag, _ = image_parts(text(workload.main[1].get("image")))
    minor = dynamo_minor(tag)
    return tuple(map(int, minor.split("."))) if minor and repository.endswith("vllm-runtime") else ()


@rule("check/old-flag")
def old_flags(rendering: Rendering) -> Iterator[Fault]:
    """Flags that were replaced."""
    for component, leader, _ in engines(rendering):
        arguments, version = leader.arguments, _version(leader)
        if arguments.engine != "vllm" or version < _FIRST:
            continue
        found = {flag: new for flag, new in _OLD_ROLES.items() if arguments.has(flag)}
        if arguments.has(_CONNECTOR):
            found[_CONNECTOR] = _CONFIG
        for flag, new in found.items():
            ends = flag == _CONNECTOR or version >= _WITHOUT_ROLES
            effect = "does not know any more, and exits" if ends else "takes with a warning"
            shown = ".".join(map(str, version))
            message = f"{component.name} has `{flag}`, which the image of Dynamo {shown} {effect}."
            fault = leader.at("check/old-flag", (flag,), message, f"write `{new}`")
            fault.problem.severity = ERROR if ends else WARNING
            fault.problem.change = Change("write", new, flag) if flag in _OLD_ROLES else None
            yield fault


#: what an image of a range of versions, the end left out, does with a flag
_TOO_NEW = (
    (MODE, (0,), (1, 0), "does not know", "use `--is-prefill-worker` or `--is-decode-worker`, or a later image"),
    # Its default for --connector cannot be unset, and excludes the other flag.
    (_CONFIG, (0, 6), (0, 7), "never takes", "use `--connector`, or a later image"),
    # The operator adds it for several nodes; vLLM knows it since 0.11.1, and the images of 0.7 have 0.11.0.
    (
        "--nnodes",
        (0,),
        (0, 8),
        "does not know",
        "annotate the graph with `nvidia.com/vllm-distributed-executor-backend: ray`, or use an image of 0.8 or later",
    ),
)


@rule("check/new-flag")
def new_flags(rendering: Rendering) -> Iterator[Fault]:
    """Flags that came after the image."""
    for component, leader, _ in engines(rendering):
        version = _version(leader)
        for flag, first, end, effect, hint in _TOO_NEW if leader.arguments.engine == "vllm" else ():
            if leader.arguments.has(flag) and first <= version < end:
                shown = ".".join(map(str, version))
                message = f"{component.name} has `{flag}`, which the image of Dynamo {shown} {effect}: it exits."
                yield leader.at("check/new-flag", (flag,), message, hint)


@rule("check/no-transfer-config")
def no_transfer_config(rendering: Rendering) -> Iterator[Fault]:
    """A prefill worker without a setting for how caches travel."""
    for component, leader, engine in engines(rendering):
        arguments = leader.arguments
        is_prefill = arguments.value(MODE) == "prefill" or arguments.has("--is-prefill-worker")
        if arguments.engine != "vllm" or not is_prefill or engine.file or _version(leader) < _FIRST:
            continue
        if not arguments.has(_CONFIG) and not arguments.is_open:
            message = f"{component.name} is a prefill worker without `{_CONFIG}`: dynamo.vllm exits."
            hint = f'add `{_CONFIG}` with `{{"kv_connector": "NixlConnector", "kv_role": "kv_both"}}`'
            yield leader.at("check/no-transfer-config", (MODE, "--is-prefill-worker"), message, hint)


#: what both sides of NIXL compare before they talk (vLLM, nixl connector compute_nixl_compatibility_hash)
_SAME = (("--model",), ("--dtype",), ("--kv-cache-dtype",))


@rule("check/transfer-compatibility")
def transfer_compatibility(rendering: Rendering) -> Iterator[Fault]:
    """Prefill and decode workers that refuse each other's caches."""
    sides: dict[str, list[tuple[Component, Workload]]] = {"prefill": [], "decode": []}
    for component, leader, _ in engines(rendering):
        if leader.arguments.engine == "vllm" and "NixlConnector" in (leader.arguments.value(_CONFIG) or ""):
            sides.setdefault(leader.role, []).append((component, leader))
    # Of several models in a graph, it is unknown which belong together.
    if any(len(sides[each]) != 1 for each in ("prefill", "decode")):
        return
    [(one, prefill)], [(other, decode)] = sides["prefill"], sides["decode"]
    for flags in _SAME:
        left, right = (leader.arguments.value(*flags) or "auto" for leader in (prefill, decode))
        if left != right and not any("$" in value for value in (left, right)):
            message = (
                f"{one.name} has `{flags[0]} {left}`, and {other.name} `{flags[0]} {right}`: NIXL compares them, and "
                "the two refuse each other."
            )
            yield decode.at("check/transfer-compatibility", flags, message, f"use the same `{flags[0]}` in both")

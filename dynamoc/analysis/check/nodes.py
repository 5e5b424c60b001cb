"""Engines on several nodes: what the flags ask of each node. Replicas that an autoscaler sets."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.analysis.check.flags import Engine, engines
from dynamoc.analysis.check.rendering import Component, Rendering, Workload, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.schemas import served
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import mapping, text, whole
from dynamoc.rendering.rules.command import launch_args

Fit = tuple[str, str, tuple[str, ...]]
"""What is wrong, what to do, and the flags that say it."""

_LOCAL = ("--data-parallel-size-local", "-dpl")
_DATA = {"vllm": ("--data-parallel-size", "-dp"), "sglang": ("--dp-size", "--dp", "--data-parallel-size")}
_SHARED_ATTENTION = "--enable-dp-attention"
_NUMBER = "--num-gpus"


@rule("check/parallelism-of-nodes")
def parallelism_of_nodes(rendering: Rendering) -> Iterator[Fault]:
    """Sizes that an engine refuses on the nodes that it gets.

    Source: vLLM's EngineArgs.create_engine_config (data_parallel_size_local); SGLang's ServerArgs.check_server_args.
    """
    for component, leader, engine in engines(rendering):
        name = leader.arguments.engine
        find = {"vllm": _vllm, "sglang": _sglang}.get(name or "")
        for message, hint, flags in find(component, engine) if find and not engine.file else ():
            yield leader.at("check/parallelism-of-nodes", flags, message, hint)


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
def unread_flags(rendering: Rendering) -> Iterator[Fault]:
    """Sizes that vLLM reads and the operator does not: it then starts a separate engine on each node.

    Source: internal/dynamo/backend_vllm.go getFlagValue, up to 1.5.
    """
    for component, leader, engine in engines(rendering):
        if component.nodes < 2 or leader.arguments.engine != "vllm" or not engine.tensor or not engine.pipeline:
            continue
        asked, wanted = launch_args(leader.main[1], rendering.release).world_size, engine.tensor * engine.pipeline
        if asked < wanted and wanted > leader.gpus > 0 and not leader.arguments.has("--nnodes"):
            flags = ("--tensor-parallel-size", "-tp", "--pipeline-parallel-size", "-pp")
            message = (
                f"Operator {rendering.release.name} reads the size of an engine only as `--tensor-parallel-size N`, in "
                f"two words. Here it sees {asked}, not {wanted}, and starts {component.name} on each node alone."
            )
            hint = f'write `--tensor-parallel-size`, `"{engine.tensor}"` as two arguments' + (
                f', and `--pipeline-parallel-size`, `"{engine.pipeline}"`' if engine.pipeline > 1 else ""
            )
            yield leader.at("check/unread-flag", flags, message, hint)


@rule("check/num-gpus")
def num_gpus(rendering: Rendering) -> Iterator[Fault]:
    """The GPUs of a node as Ray is started with them."""
    for workload in rendering.workloads:
        number = workload.arguments.number(_NUMBER, default=0)
        if number and workload.gpus and number != workload.gpus:
            message = (
                f"`{_NUMBER} {number}` tells Ray of {number} GPU{'s' * (number != 1)}, but the pod of "
                f"{workload.component} has {workload.gpus}."
            )
            yield workload.at("check/num-gpus", (_NUMBER,), message, f"remove `{_NUMBER}`: Ray counts them itself")


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
def flags_twice(rendering: Rendering) -> Iterator[Fault]:
    """A flag that another one of the same command line overrides."""
    for component, leader, _ in engines(rendering):
        for flags in _ONCE:
            found = leader.arguments.values(*flags)
            if len({value for value, _ in found}) > 1:
                message = (
                    f"{component.name} has `{flags[0]}` {len(found)} times: `{found[0][0]}` has no effect, "
                    f"`{found[-1][0]}` counts."
                )
                where = (*leader.main[0], *found[0][1])
                yield leader.fault("check/flag-twice", where, message, "keep one of them")


_WORKERS = ("worker", "prefill", "decode")
_ADAPTER = "DynamoGraphDeploymentScalingAdapter"
#: the field with the least replicas, and what holds where it is missing (KEDA's ScaledObject scales to zero)
_SCALERS = {"HorizontalPodAutoscaler": ("minReplicas", 1), "ScaledObject": ("minReplicaCount", 0)}


@rule("check/owned-replicas")
def owned_replicas(rendering: Rendering) -> Iterator[Problem]:
    """Replicas in a file beside a scaling adapter.

    Source: internal/webhook/validation validateReplicasChanges.
    """
    for name, path, component in rendering.written_components():
        if _has_adapter(component) and "replicas" in component:
            message = (
                f"{name} has a scaling adapter, which sets `replicas`: once it has scaled, the webhook refuses this "
                f"file, which says {component['replicas']}."
            )
            hint = "let the tool that applies it ignore `replicas`, or use `render --omit=replicas`"
            yield rendering.problem("check/owned-replicas", (*path, "replicas"), message, hint)


@rule("check/planner-without-adapter")
def planner_without_adapter(rendering: Rendering) -> Iterator[Problem]:
    """A planner that patches the graph itself, which whoever applies the file takes back.

    Source: components/src/dynamo/planner/connectors/clients/kubernetes_api.py update_service_replicas.
    """
    components = list(rendering.written_components())
    planner = next((name for name, _, component in components if _type(component) == "planner"), None)
    if planner is None or not served(rendering.release.name, "DynamoGraphDeploymentScalingAdapter"):
        return
    for name, path, component in components:
        if _type(component) in _WORKERS and "replicas" in component and not _has_adapter(component):
            message = (
                f"{planner} scales {name}, which has no scaling adapter: it patches `replicas` of the graph, and "
                f"applying this file sets them back to {component['replicas']}."
            )
            hint = "add `scalingAdapter` to the component, so that the planner scales the adapter"
            yield rendering.problem("check/planner-without-adapter", (*path, "replicas"), message, hint)


@rule("check/scaled-directly")
def scaled_directly(rendering: Rendering) -> Iterator[Fault]:
    """Autoscalers of objects that the operator, or Grove, sets back."""
    for name, kind, target, namespace, _ in _scalers(rendering):
        for workload in rendering.workloads:
            own = text(mapping(workload.item, "metadata").get("namespace"))
            # Without one, it goes where a graph without one goes.
            if (namespace or own) == own and target in _targets(workload):
                message = (
                    f"{kind} {name} scales {target[0]} {target[1]}, whose replicas the operator sets: it takes each "
                    "change back."
                )
                hint = "point it at the DynamoGraphDeploymentScalingAdapter of the component"
                yield workload.fault("check/scaled-directly", _replicas_of(workload), message, hint)
                break


@rule("check/two-scalers")
def two_scalers(rendering: Rendering) -> Iterator[Problem]:
    """Several autoscalers of one component."""
    for name, path, _ in rendering.written_components():
        found = [f"{kind} {scaler}" for scaler, kind, _ in _scalers_of(rendering, name)]
        if len(found) > 1:
            message = f"{' and '.join(found[:2])} both scale {name}: each takes back what the other did."
            yield rendering.problem("check/two-scalers", path, message, "keep one of them, with both triggers")


@rule("check/scaled-below-minimum")
def scaled_below_minimum(rendering: Rendering) -> Iterator[Problem]:
    """An autoscaler that may leave a gang with fewer replicas than it needs."""
    for name, path, component in rendering.written_components():
        least = component.get("minAvailable")
        for scaler, kind, lowest in _scalers_of(rendering, name):
            if isinstance(least, int) and lowest < least:
                message = (
                    f"{kind} {scaler} scales {name} down to {lowest}, but the gang needs {least}: Grove ends all pods "
                    "of the graph."
                )
                hint = f"raise the minimum of {scaler} to {least}, or lower `minAvailable`"
                yield rendering.problem("check/scaled-below-minimum", (*path, "minAvailable"), message, hint)


def _scalers_of(rendering: Rendering, component: str) -> Iterator[tuple[str, str, int]]:
    """Name, kind and least replicas of the autoscalers of a component's adapter."""
    graph = mapping(rendering.document.value, "metadata")
    adapter, own = (_ADAPTER, f"{text(graph.get('name'))}-{component.lower()}"), text(graph.get("namespace"))
    for name, kind, target, namespace, least in _scalers(rendering):
        # Where a graph without a namespace goes, its file does not say.
        if target == adapter and (not own or namespace == own):
            yield name, kind, least


def _scalers(rendering: Rendering) -> Iterator[tuple[str, str, tuple[str, str], str, int]]:
    """Name, kind, target (kind and name), namespace and least replicas of autoscalers beside the graph."""
    for kind, value in ((each, value) for each in _SCALERS for value in rendering.others.get(each, ())):
        spec, metadata = mapping(value, "spec"), mapping(value, "metadata")
        reference = mapping(spec, "scaleTargetRef")
        target = (text(reference.get("kind")) or "Deployment", text(reference.get("name")))
        field, default = _SCALERS[kind]
        namespace = text(metadata.get("namespace")) or text(
            mapping(rendering.document.value, "metadata").get("namespace")
        )
        yield text(metadata.get("name")), kind, target, namespace, whole(spec.get(field), default)


def _targets(workload: Workload) -> set[tuple[str, str]]:
    """The object of a workload, and what Grove makes of a clique or scaling group in it."""
    kind, name = workload.item["kind"], text(mapping(workload.item, "metadata").get("name"))
    found = {(kind, name)}
    if kind == "PodCliqueSet":
        found |= {("PodClique", f"{name}-0-{workload.template.name}")}
        found |= {("PodCliqueScalingGroup", f"{name}-0-{workload.template.unit}")}
    return found


def _replicas_of(workload: Workload) -> Path:
    if workload.item["kind"] != "PodCliqueSet":
        return ("spec", "replicas")
    # Of the clique that the pod spec is in.
    return (*workload.template.path[:-1], "replicas")


def _type(component: Tree) -> str:
    return text(component.get("componentType") or component.get("type"))


def _has_adapter(component: Tree) -> bool:
    adapter = component.get("scalingAdapter")
    if not isinstance(adapter, dict) or adapter.get("enabled") is False:
        return False
    return adapter.get("enabled") is True or "componentType" not in component

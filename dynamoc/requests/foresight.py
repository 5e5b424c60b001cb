"""What the profiler refuses after its Job has started, said before.

Source: components/src/dynamo/profiler/utils/dgdr_validate.py, profile_sla.py.
"""

from __future__ import annotations

from dynamoc.requests.made import graph_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_TARGETS = ("ttft", "itl", "e2eLatency")
#: the most letters of a graph's name and a component's
_BUDGET = 45
#: by backend, the component that each graph of the profiler has, and the one with the longest name that it may have
_COMPONENTS = {
    "vllm": ("Frontend", "VllmPrefillWorker"),
    "sglang": ("Frontend", "Frontend"),
    "trtllm": ("Frontend", "TRTLLMPrefillWorker"),
    "auto": ("Frontend", "TRTLLMPrefillWorker"),
}


def tell_failures(value: Tree, operator: Operator) -> None:
    """Warns of what the operator takes and the profiler refuses."""
    spec = value["spec"]
    workload, targets = spec.get("workload") or {}, spec.get("sla") or {}
    if "concurrency" in workload and "requestRate" in workload:
        message = "The profiler takes `concurrency` or `requestRate`, and fails with both."
        operator.warn("request/two-loads", message, ("spec", "workload", "requestRate"), "remove one of the two")
    for name in _TARGETS:
        if name in targets and targets[name] <= 0:
            message = f"The profiler fails with `{name}: {targets[name]}`: it must be above 0."
            operator.warn("request/target", message, ("spec", "sla", name), f"set `{name}` in milliseconds")
    _tell_hardware(spec.get("hardware") or {}, operator)
    _tell_mocker(spec.get("features") or {}, operator)
    if operator.release.has("requests/checks-names"):
        _tell_name(value, operator)


def _tell_hardware(hardware: Tree, operator: Operator) -> None:
    if hardware.get("numGpusPerNode", 1) <= 0:
        message = "The profiler fails without GPUs: `numGpusPerNode` must be above 0."
        operator.warn("request/no-gpus", message, ("spec", "hardware", "numGpusPerNode"))


def _tell_mocker(features: Tree, operator: Operator) -> None:
    planner = features.get("planner")
    if not (features.get("mocker") or {}).get("enabled") or not isinstance(planner, dict):
        return
    if planner.get("pre_deployment_sweeping_mode") == "none":
        path = ("spec", "features", "planner", "pre_deployment_sweeping_mode")
        message = (
            "The profiler fails with `mocker` and `pre_deployment_sweeping_mode: none`: it simulates what it sweeps."
        )
        operator.warn("request/mocker", message, path, "write `rapid` or `thorough`")


def _tell_name(value: Tree, operator: Operator) -> None:
    """After hours of work, the profiler refuses a graph whose pods would have names that are too long."""
    name = graph_name(value, "", operator)
    sure, longest = _COMPONENTS.get(value["spec"].get("backend", "auto"), _COMPONENTS["auto"])
    component = sure if len(name) + len(sure) > _BUDGET else longest
    if len(name) + len(component) <= _BUDGET:
        return
    end = (
        "fails once it has found a graph" if component == sure else f"fails if its graph has the component {component}"
    )
    message = (
        f"The graph is called {name}, which has {len(name)} characters; with {component}, {_BUDGET} are too few. "
        f"The profiler {end}."
    )
    override = (value["spec"].get("overrides") or {}).get("dgd") or {}
    own = isinstance(override, dict) and (override.get("metadata") or {}).get("name") == name
    path = ("spec", "overrides", "dgd", "metadata", "name") if own else ("metadata", "name")
    room = _BUDGET - len(component) - (0 if own else len("-dgd"))
    operator.warn("request/name-length", message, path, f"use a name of at most {room} characters")

"""The profiler's answer: what stands in the ConfigMap that the copier writes, or in the file that holds it.

Source: controller/dynamographdeploymentrequest_controller.go handleProfilingPhase, generateDGDSpec,
extractResourcesFromYAML.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Findings, Refusal
from dynamoc.requests.names import output_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

#: what the profiler may say that it is doing
_PHASES = (
    "Initializing",
    "SweepingPrefill",
    "SweepingDecode",
    "SelectingConfig",
    "BuildingCurves",
    "GeneratingDGD",
    "Done",
)
_MOST_BYTES = 250000


class Answer:
    """What the profiler found.

    graph    the DynamoGraphDeployment as the profiler wrote it
    others   the other objects, in order
    """

    __slots__ = ("graph", "others")

    def __init__(self, graph: Tree, others: list[Tree]) -> None:
        self.graph = graph
        self.others = others


class GivenAnswer:
    """A file that holds the answer: the profiler's output, or the ConfigMap that it gets into."""

    __slots__ = ("file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text


def answer_of(value: Tree, operator: Operator) -> Answer | None:
    """The answer that a ConfigMap of the input or the context holds. None, and why, where there is nothing to use."""
    metadata = value["metadata"]
    name = output_name(metadata["name"])
    found = operator.cluster.get("ConfigMap", metadata["namespace"], name)
    return None if found is None else _answer_in(found, name, operator)


def given_answer(value: Tree, given: GivenAnswer, operator: Operator) -> Answer | None:
    """The answer in a file; overrides of the graph, which the profiler applies, are applied to it."""
    name = output_name(value["metadata"]["name"])
    maps = [item for item in _objects_in(given.text, given.file) if _is_output(item, name)]
    if maps:
        return _answer_in(maps[-1], name, operator)
    answer = read_answer(given.text, given.file, operator)
    override = (value["spec"].get("overrides") or {}).get("dgd")
    if answer is None or override is None:
        return answer
    from dynamoc.requests.graph_overrides import apply_override

    path = ("spec", "overrides", "dgd")
    try:
        applied = apply_override(answer.graph, override, operator.release)
    except Refusal as refusal:
        message = f"The profiler refuses the override: {refusal.message}"
        operator.warn("request/override", message, (*path, *refusal.path))
        return None
    for ignored, reason in applied.ignored:
        message = f"The profiler ignores this part of the override: {reason}."
        operator.warn("request/override-ignored", message, (*path, *ignored))
    message = f"`overrides.dgd` is applied to {given.file}, as the profiler does before it writes the ConfigMap {name}."
    operator.note("request/override-applied", message, path)
    return Answer(applied.graph, answer.others)


def _is_output(item: Tree, name: str) -> bool:
    return item["kind"] == "ConfigMap" and (item.get("metadata") or {}).get("name") == name


def _answer_in(found: Tree, name: str, operator: Operator) -> Answer | None:
    data = found.get("data") or {}
    reason = _obstacle(data, operator)
    if reason is not None:
        operator.warn("request/no-answer", f"The ConfigMap {name} leads to no graph: {reason}.")
        return None
    return read_answer(data[operator.release["request/answer"]], f"The ConfigMap {name}", operator)


def _obstacle(data: Tree, operator: Operator) -> str | None:
    """Why the operator makes nothing of the ConfigMap."""
    release = operator.release
    phase = data.get("phase")
    if release.has("requests/relays-phase") and phase and phase not in _PHASES:
        return f"the operator does not know the phase `{phase}`, and waits"
    if release.has("requests/reports-failure") and data.get("profiler_status") == "failed":
        return f"the profiler failed with `{data.get('profiler_error') or 'no details'}`"
    if release["request/answer"] not in data:
        waits = release.has("requests/hub-graph")
        end = "and the operator waits for it" if waits else "and the operator fails the request"
        return f"it has no key `{release['request/answer']}`, {end}"
    return None


def read_answer(text: str, source: str, operator: Operator) -> Answer | None:
    """The objects of the profiler's file. None, and why, where the operator makes no graph of it.

    Of several graphs the last one counts, and texts that are no objects do not.
    """
    objects = _objects_in(text, source)
    if not operator.release.has("requests/v1beta1"):
        objects = objects[:1]
    graphs = [item for item in objects if item["kind"] == "DynamoGraphDeployment"]
    others = [item for item in objects if item["kind"] != "DynamoGraphDeployment"]
    if not graphs:
        message = f"{source} has no DynamoGraphDeployment; the operator fails the request."
        operator.warn("request/no-answer", message)
        return None
    if _is_too_large(others):
        message = f"{source} has ConfigMaps of more than {_MOST_BYTES} bytes; the operator fails the request."
        operator.warn("request/answer-too-large", message)
        return None
    return Answer(graphs[-1], others)


def _objects_in(text: str, source: str) -> list[Tree]:
    from dynamoc.source.reader import read_text

    documents = [document.value for document in read_text(text.encode(), source, Findings(), objects=False)]
    return [item for item in documents if isinstance(item, dict) and isinstance(item.get("kind"), str) and item["kind"]]


def _is_too_large(others: list[Tree]) -> bool:
    """Whether the other objects do not fit into the annotation that the operator keeps them in."""
    if sum(len(str(item)) for item in others) < _MOST_BYTES // 2:
        return False
    from dynamoc.golang.yaml_text import dump_go_yaml
    from dynamoc.source.scalars import resolve

    texts = [dump_go_yaml(item, lambda text: isinstance(resolve(text), str)) for item in others]
    return len("\n---\n".join(texts).encode()) > _MOST_BYTES

"""The profiler's answer, and what the operator makes of it: ConfigMaps, and the graph.

Source: controller/dynamographdeploymentrequest_controller.go, api/v1beta1/dynamographdeploymentrequest_types.go.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynamoc.admission.convert.operator import dialect_of
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Findings, Refusal
from dynamoc.documents.source.reader import read_text
from dynamoc.documents.source.scalars import resolve
from dynamoc.kube.go_types import Unreadable, load, typed
from dynamoc.kube.merge import Tree
from dynamoc.kube.tracing import builder
from dynamoc.kube.yaml import dump_go_yaml
from dynamoc.rendering.requests.overrides import apply_override

KIND = "DynamoGraphDeploymentRequest"
ACCOUNT = "dgdr-profiling-job"
PROFILER, COPIER, INSTALLER = "profiler", "output-copier", "dgd-override-installer"
OUTPUT_VOLUME, OUTPUT_DIR = "profiling-output", "/data"
CONFIG_VOLUME, CONFIG_DIR, CONFIG_FILE = "profiling-config", "/config", "disagg.yaml"
CACHE_VOLUME, CACHE_DIR = "model-cache", "/opt/model-cache"
APP_LABEL, REQUEST_LABEL = "app", "dgdr"
MANAGED_LABEL, MANAGED = "nvidia.com/managed-by", "dynamo-operator"
NAME_LABEL, NAMESPACE_LABEL = "dgdr.nvidia.com/name", "dgdr.nvidia.com/namespace"
#: labels that a user cannot put on the profiler's pod
PROTECTED_LABELS = (APP_LABEL, REQUEST_LABEL, NAME_LABEL, NAMESPACE_LABEL, MANAGED_LABEL)


def job_name(request: str) -> str:
    return f"profile-{request}"


def output_name(request: str) -> str:
    """The ConfigMap with the profiler's answer."""
    return f"dgdr-output-{request}"


def made_labels(value: Tree) -> dict[str, str]:
    """The labels of what the operator makes of the answer to a request."""
    metadata = value["metadata"]
    return {
        NAME_LABEL: metadata["name"],
        NAMESPACE_LABEL: metadata["namespace"],
        MANAGED_LABEL: MANAGED,
    }


#: what the profiler may say that it is doing
_PHASES = (
    "Initializing", "SweepingPrefill", "SweepingDecode", "SelectingConfig", "BuildingCurves", "GeneratingDGD",
    "Done",
)  # fmt: skip
_MOST_BYTES = 250000


@dataclass(eq=False, slots=True)
class Answer:
    """What the profiler found.

    graph    the DynamoGraphDeployment as the profiler wrote it
    others   the other objects, in order
    """

    graph: Tree
    others: list[Tree]


@dataclass(eq=False, slots=True)
class GivenAnswer:
    """A file that holds the answer: the profiler's output, or the ConfigMap that it gets into."""

    file: str
    text: str


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
    documents = [document.value for document in read_text(text.encode(), source, Findings(), objects=False)]
    return [item for item in documents if isinstance(item, dict) and isinstance(item.get("kind"), str) and item["kind"]]


def _is_too_large(others: list[Tree]) -> bool:
    """Whether the other objects do not fit into the annotation that the operator keeps them in."""
    if sum(len(str(item)) for item in others) < _MOST_BYTES // 2:
        return False

    texts = [dump_go_yaml(item, lambda text: isinstance(resolve(text), str)) for item in others]
    return len("\n---\n".join(texts).encode()) > _MOST_BYTES


_SOURCE = "controller/dynamographdeploymentrequest_controller.go"
_GRAPH = "DynamoGraphDeployment"
_ALPHA, _BETA = "nvidia.com/v1alpha1", "nvidia.com/v1beta1"


def made_objects(value: Tree, answer: Answer, operator: Operator, *, through: bool = False) -> list[Tree]:
    """The ConfigMaps and, if the request applies it or `through` asks for it, the graph."""
    graph = generated_graph(value, answer.graph, operator)
    if graph is None:
        return []
    maps = _config_maps(value, answer, operator)
    if not applies(value, operator) and not through:
        message = f"With `autoApply: false`, the operator does not create the graph {graph['metadata']['name']}."
        hint = "--include=graph prints it; commit the graph, or set `autoApply: true`"
        operator.note("request/not-applied", message, ("spec", "autoApply"), hint)
        return maps
    return [*maps, graph]


def applies(value: Tree, operator: Operator) -> bool:
    """Whether the operator creates the graph; v1alpha1, which 0.6 reads, has to ask for it."""
    applied: bool = value["spec"].get("autoApply", operator.release.has("requests/v1beta1"))
    return applied


@builder("requests/made/config-maps", f"{_SOURCE} createAdditionalResources")
def _config_maps(value: Tree, answer: Answer, operator: Operator) -> list[Tree]:
    """The ConfigMaps of the answer in the namespace of the request; the operator skips other objects."""
    tables = load(operator.release.name)
    made = []
    for item in answer.others:
        if item["kind"] != "ConfigMap":
            name = (item.get("metadata") or {}).get("name", "")
            operator.warn("request/skipped", f"The operator skips {item['kind']}/{name} of the profiler's answer.")
            continue
        try:
            metadata = typed(item.get("metadata"), "meta/v1.ObjectMeta", tables)
            data = typed(item.get("data"), "map[string]string", tables)
        except Unreadable:
            operator.warn(
                "request/skipped", "The operator skips a ConfigMap of the profiler's answer: it is no ConfigMap."
            )
            continue
        metadata["namespace"] = value["metadata"]["namespace"]
        metadata["labels"] = {**(metadata.get("labels") or {}), **made_labels(value)}
        kept = {name: item[name] for name in ("binaryData", "immutable") if item.get(name) is not None}
        made.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data, **kept})
    return made


@builder("requests/made/graph", f"{_SOURCE} createDGD, applyDGDRRuntimeVersionOverride")
def generated_graph(value: Tree, blueprint: Tree, operator: Operator) -> Tree | None:
    """The graph that the operator creates, in the version that it creates graphs in. None, and why, where it cannot."""
    try:
        graph = _in_version(blueprint, operator)
    except Refusal as refusal:
        message = f"The operator cannot read the profiler's graph: {refusal.message}"
        operator.warn("request/unreadable-graph", message)
        return None
    spec = graph.get("spec") or {}
    override = value["spec"].get("runtimeVersionOverride")
    if override and operator.release.has("requests/fills-runtime-version"):
        for component in spec.get("components") or ():
            component["runtimeVersionOverride"] = component.get("runtimeVersionOverride") or override
    written = graph.get("metadata") or {}
    metadata = {
        "name": graph_name(value, written.get("name", ""), operator),
        "namespace": value["metadata"]["namespace"],
        "labels": {**(written.get("labels") or {}), **made_labels(value)},
    }
    if written.get("annotations"):
        metadata["annotations"] = written["annotations"]
    _apply_alpha_overrides(value, metadata, operator)
    return {"apiVersion": graph["apiVersion"], "kind": _GRAPH, "metadata": metadata, "spec": spec}


def _in_version(blueprint: Tree, operator: Operator) -> Tree:
    """The profiler's graph as the operator reads it. Refusal where it cannot."""
    release = operator.release
    if not release.has("requests/hub-graph"):
        return _typed({**blueprint, "apiVersion": _ALPHA}, release.name)
    version = blueprint.get("apiVersion")
    if version == _BETA:
        return _typed(blueprint, release.name)
    if version != _ALPHA:
        raise Refusal("convert/wrong-type", f"it does not know the apiVersion `{version}`.")
    known = {key: item for key, item in blueprint.items() if key in ("apiVersion", "kind", "metadata", "spec")}
    return dialect_of(release).to_v1beta1(known)


def _typed(blueprint: Tree, release: str) -> Tree:
    version = blueprint["apiVersion"].partition("/")[2]
    tables = load(release)
    try:
        graph = {
            name: typed(blueprint.get(name), kind, tables)
            for name, kind in (("metadata", "meta/v1.ObjectMeta"), ("spec", f"dynamo/{version}.{_GRAPH}Spec"))
        }
    except Unreadable as error:
        raise Refusal("convert/wrong-type", f"{error}.") from None
    return {"apiVersion": blueprint["apiVersion"], "kind": _GRAPH, **graph}


def graph_name(value: Tree, written: str, operator: Operator) -> str:
    """The graph's name: the profiler's in 1.0; later, that of `overrides.dgd`, or the request's with `-dgd`."""
    if not operator.release.has("requests/names-graph"):
        return written
    override = (value["spec"].get("overrides") or {}).get("dgd")
    metadata = override.get("metadata") if isinstance(override, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) and name else f"{value['metadata']['name']}-dgd"


def _apply_alpha_overrides(value: Tree, metadata: Tree, operator: Operator) -> None:
    """0.6 takes name, namespace, labels and annotations from `deploymentOverrides`."""
    overrides = value["spec"].get("deploymentOverrides")
    if overrides is None or operator.release.has("requests/v1beta1"):
        return
    for name in ("name", "namespace"):
        metadata[name] = overrides.get(name) or metadata[name]
    for name in ("labels", "annotations"):
        if overrides.get(name):
            metadata[name] = {**metadata.get(name, {}), **overrides[name]}

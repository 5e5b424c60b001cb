"""What the operator makes of the profiler's answer: ConfigMaps, and the graph.

Source: controller/dynamographdeploymentrequest_controller.go createAdditionalResources, createDGD, computeDGDName,
applyDGDRRuntimeVersionOverride, dgdFromUnstructured.
"""

from __future__ import annotations

from dynamoc.convert.dialects import dialect_of
from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.types import Unreadable, load, typed
from dynamoc.requests.names import made_labels
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator
    from dynamoc.requests.answer import Answer

    Tree = dict[str, Any]

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
        hint = "--through=graph prints it; commit the graph, or set `autoApply: true`"
        operator.note("request/not-applied", message, ("spec", "autoApply"), hint)
        return maps
    return [*maps, graph]


def applies(value: Tree, operator: Operator) -> bool:
    """Whether the operator creates the graph; v1alpha1, which 0.6 reads, has to ask for it."""
    applied: bool = value["spec"].get("autoApply", operator.release.has("requests/v1beta1"))
    return applied


@builder("requests/made/config-maps", source=f"{_SOURCE} createAdditionalResources")
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


@builder("requests/made/graph", source=f"{_SOURCE} createDGD, applyDGDRRuntimeVersionOverride")
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
    _apply_first_overrides(value, metadata, operator)
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


def _apply_first_overrides(value: Tree, metadata: Tree, operator: Operator) -> None:
    """0.6 takes name, namespace, labels and annotations from `deploymentOverrides`."""
    overrides = value["spec"].get("deploymentOverrides")
    if overrides is None or operator.release.has("requests/v1beta1"):
        return
    for name in ("name", "namespace"):
        metadata[name] = overrides.get(name) or metadata[name]
    for name in ("labels", "annotations"):
        if overrides.get(name):
            metadata[name] = {**metadata.get(name, {}), **overrides[name]}

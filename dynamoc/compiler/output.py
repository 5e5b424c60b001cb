"""From the objects of each document to the output: one object a name, at rest beside those of the input, in order.

A component with a scaling adapter is scaled by what scales the adapter; the Deployment of one is also scaled by a
HorizontalPodAutoscaler or a ScaledObject that names it. A clique of Grove must have its number, and so must what is a
LeaderWorkerSet for each replica.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynamoc.admission.cluster.kept import Kept, key_of
from dynamoc.admission.cluster.objects import Merged, scaled_components
from dynamoc.compiler.cluster import Run
from dynamoc.compiler.options import Options
from dynamoc.documents.emit.order import sort_objects, sort_with_queues
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, identity, mapping, text, texts, with_namespace
from dynamoc.rendering.lower.deployment_config import tell_kept
from dynamoc.rendering.lower.shared_objects import part_of

#: namespace, graph, component
Component = tuple[str, str, str]


def output(
    run: Run, rendered: list[tuple[Document, list[Tree]]], others: list[Document], compiled: list[Document]
) -> list[Tree]:
    """The objects of all documents. `others` pass through; `compiled` are those that objects were made of."""
    cluster, options, findings = run.cluster, run.cluster.options, run.report.findings
    merged = _merged(run, rendered)
    objects = [item for item in merged if not _is_given(item, compiled, cluster.namespace)]
    if options.keeps_variables:
        tell_kept(objects, findings)
    if others or cluster.context:
        objects = _settled(run, objects, others)
    if options.omit_replicas:
        values = [document.value for document in (*others, *cluster.context)]
        graphs = [document.value for document in compiled]
        split = not cluster.release.has("hub/v1beta1")
        objects = without_replicas(objects, values, cluster.namespace, findings, graphs=graphs, split=split)
    if cluster.standalone is None:
        return sort_objects(objects)
    if cluster.standalone.part != "all":
        given = frozenset(identity(document.value, cluster.namespace) for document in others)
        objects = part_of(objects, cluster.standalone.part, given, cluster.namespace)
    return sort_with_queues(objects)


def passed(document: Document, options: Options) -> Tree:
    """A document that passes through: as it is, but with the namespace that all objects are to have."""
    namespace = options.passed_namespace
    return with_namespace(document.value, namespace) if namespace else document.value


def _merged(run: Run, rendered: list[tuple[Document, list[Tree]]]) -> list[Tree]:
    """One object a name: documents may share accounts and bindings, but not disagree on an object."""
    merged = Merged(rendered, run.cluster.namespace)
    for conflict in merged.conflicts:
        if conflict.owner is conflict.document:
            # Names that differ in case only: the operator writes the object several times, in random order.
            severity, hint = WARNING, "Rename the components so that their names differ in more than case."
            if conflict.object["kind"] == "PersistentVolumeClaim":
                hint = "Write the same settings for the claim in all components that mount it."
        else:
            severity, hint = ERROR, "Rename one of the two graphs or components."
        name = f"{conflict.object['kind']}/{conflict.object['metadata']['name']}"
        message = f"{name} is created twice, with different content; which one stays is not certain."
        related = (conflict.owner.place(()),)
        run.report.find(conflict.document, "output/conflict", message, (), hint, related, severity=severity)
    return list(merged.objects.values())


def _is_given(item: Tree, compiled: list[Document], namespace: str) -> bool:
    """Whether an object is a DynamoCheckpoint of the inputs, which the output holds as little as their graphs."""
    if item["kind"] != "DynamoCheckpoint":
        return False
    return any(identity(document.value, namespace) == identity(item, "default") for document in compiled)


def _settled(run: Run, objects: list[Tree], others: list[Document]) -> list[Tree]:
    """The objects as they are once the operator came to rest, with those of the input that it did not make."""
    cluster, options = run.cluster, run.cluster.options
    given = [with_namespace(document.value, cluster.namespace) for document in others if options.passthrough]
    attended = cluster.standalone is None
    kept = Kept(cluster.existing, cluster.release, frozenset(map(key_of, given)), attended=attended)
    settled = kept.settled(objects, run.report.findings)
    found = {identity(item, cluster.namespace): item for item in settled}
    for document in others:
        if not (options.passthrough and options.owns(document.value)):
            continue
        value, key = passed(document, options), identity(document.value, cluster.namespace)
        if found.setdefault(key, value) is not value:
            _tell_overwritten(run, document)
            if cluster.standalone is not None:
                found[key] = value
    return list(found.values())


def _tell_overwritten(run: Run, document: Document) -> None:
    """Who wins where the input has an object that a graph leads to: the operator, or without one, the user."""
    name = f"{document.value['kind']}/{document.value['metadata'].get('name', '')}"
    message = f"The operator creates {name} too, and overwrites the content of the input."
    if run.cluster.standalone is not None:
        message = (
            f"A graph needs {name} too. The output contains the one of the input, not the one that the graph needs."
        )
    run.report.find(document, "output/overwritten", message, ("metadata", "name"), "Rename one of the two.")


_GRAPH, _COMPONENT = "nvidia.com/dynamo-graph-deployment-name", "nvidia.com/dynamo-component"
_SCALED = ("Deployment", "LeaderWorkerSet", "DynamoComponentDeployment", "DynamoGraphDeploymentScalingAdapter")
_SETS = ("PodCliqueSet", "PodGangSet")


def without_replicas(
    objects: list[Tree],
    inputs: Iterable[Tree],
    default: str,
    findings: Findings,
    *,
    graphs: Iterable[Tree],
    split: bool,
) -> list[Tree]:
    """The objects without the replicas of what autoscalers own; notes what keeps them, and where none does.

    `inputs` are all documents, `graphs` those of the operator, `default` is the namespace of documents without one.
    `split` is whether each replica is a separate LeaderWorkerSet.
    """
    owned = {component for value in graphs for component in _scaled(value, default)}
    targets = {target for value in (*objects, *inputs) for target in _targets(value, default)}
    kept: list[str] = []
    omitted = 0
    for item in filter(_is_made, objects):
        namespace, name = _place(item, default)
        if item["kind"] in _SETS:
            omitted += _omit_from_set(item, {component for place, graph, component in owned if place == namespace
                                             and graph == name}, kept)  # fmt: skip
        elif _component_of(item, default) in owned or (item["kind"], namespace, name) in targets:
            if item["kind"] == "LeaderWorkerSet" and split:
                kept.append(f"LeaderWorkerSet/{name} (one for each replica)")
            elif item["kind"] in _SCALED:
                omitted += mapping(item, "spec").pop("replicas", None) is not None
    _tell(kept, omitted, findings)
    return objects


def _scaled(value: Tree, default: str) -> Iterator[Component]:
    for name in scaled_components(value):
        yield (*_place(value, default), name)


def _targets(value: Tree, default: str) -> Iterator[tuple[str, str, str]]:
    """Kind, namespace and name of what an autoscaler scales; by default, a ScaledObject means a Deployment."""
    if value.get("kind") in ("HorizontalPodAutoscaler", "ScaledObject"):
        target = mapping(value, "spec", "scaleTargetRef")
        yield text(target.get("kind")) or "Deployment", _place(value, default)[0], text(target.get("name"))


def _is_made(item: Tree) -> bool:
    """Whether the operator makes the object: those of users that pass through stay as they are."""
    labels = mapping(item, "metadata", "labels")
    return item["kind"] in _SETS or any(key.startswith("nvidia.com/") for key in labels)


def _component_of(item: Tree, default: str) -> Component:
    labels = mapping(item, "metadata", "labels")
    return _place(item, default)[0], text(labels.get(_GRAPH)), text(labels.get(_COMPONENT))


def _omit_from_set(item: Tree, components: set[str], kept: list[str]) -> int:
    """How many numbers were removed: those of scaling groups; a clique must have its own."""
    template = mapping(item, "spec", "template")
    cliques = [clique for _, clique in entries(template, "cliques")]
    scaled = {text(item.get("name")) for item in cliques if mapping(item, "labels").get(_COMPONENT) in components}
    grouped: set[str] = set()
    omitted = 0
    for _, group in entries(template, "podCliqueScalingGroups"):
        names = set(texts(group.get("cliqueNames")))
        grouped |= names
        if names & scaled:
            omitted += group.pop("replicas", None) is not None
    kept += [f"clique {name} of {item['kind']}/{_place(item, '')[1]}" for name in sorted(scaled - grouped)]
    return omitted


def _place(value: Tree, default: str) -> tuple[str, str]:
    metadata = mapping(value, "metadata")
    return text(metadata.get("namespace")) or default, text(metadata.get("name"))


def _tell(kept: list[str], omitted: int, findings: Findings) -> None:
    if kept:
        message = f"--omit=replicas leaves the replicas of {', '.join(kept[:3])}" + " and more" * (len(kept) > 3)
        message += ": their API cannot do without the number."
        findings.add(Finding("output/replicas", message))
    elif not omitted:
        message = "--omit=replicas has no effect: no component has a scaling adapter, and no autoscaler names one."
        hint = "add `scalingAdapter` to the components that an autoscaler scales"
        findings.add(Finding("output/replicas", message, hint=hint))

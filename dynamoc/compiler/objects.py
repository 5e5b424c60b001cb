"""From what the API server stores to the objects that the operator makes, judged as the API server judges them.

A component with a scaling adapter is scaled by what scales the adapter; the Deployment of one is also scaled by a
HorizontalPodAutoscaler or a ScaledObject that names it. A clique of Grove must have its number, and so must what is a
LeaderWorkerSet for each replica.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dynamoc.admission.cluster.objects import scaled_components
from dynamoc.admission.convert.operator import dialect_of
from dynamoc.admission.operator import Operator
from dynamoc.admission.webhooks.by_release import judge
from dynamoc.compiler.admission import REQUEST
from dynamoc.compiler.assumptions import expected_bytes
from dynamoc.compiler.faults import Fault, FaultSources, fault_findings
from dynamoc.compiler.requested import Requested
from dynamoc.documents.apiserver.objects import examine_object
from dynamoc.documents.apiserver.workloads import check_clique_names
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, Refusal
from dynamoc.documents.schema.causes import ratcheted
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.document import Document
from dynamoc.kube.go_types import BARE, load, typed_object
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.names import COMPONENT_LABEL, Identity, entries, identity, mapping, text, texts
from dynamoc.reference.slugs import Severity, Slug
from dynamoc.rendering.lower import lowering
from dynamoc.rendering.lower.common import check_namespace
from dynamoc.rendering.lower.deployment_config import holds_variable, keep_variables

#: kinds that the operator turns into other objects
COMPILED_KINDS = (
    "DynamoGraphDeployment",
    "DynamoComponentDeployment",
    "DynamoCheckpoint",
    "DynamoGraphDeploymentRequest",
)

#: namespace, graph, component
Component = tuple[str, str, str]
#: where a PodCliqueSet has the pods of its components
_CLIQUES = ("spec", "template", "cliques")


def owner_of(value: Tree, namespace: str | None) -> Identity | None:
    """The identity of a document that only its own objects are made of; None for what may have a part in all."""
    if value["kind"] not in COMPILED_KINDS or value["kind"] == "DynamoCheckpoint":
        return None
    return identity(value, namespace or "default")


def related(documents: list[Document], owners: Iterable[Identity | None], namespace: str | None) -> list[Document]:
    """The documents that have a part in what is made of the `owners`; all where one of these may have a part in all."""
    wanted = {None, *owners}
    if None in owners:
        return documents
    return [document for document in documents if owner_of(document.value, namespace) in wanted]


def component_at(item: Tree, path: Path) -> str | None:
    """The component that a field of an object belongs to, by its labels; None for several or none."""
    labels = mapping(item, "metadata", "labels")
    if item["kind"] == "PodCliqueSet":
        if path[:3] != _CLIQUES or len(path) < 5:
            return None
        labels = mapping(at(item, path[:4]), "labels")
    if item["kind"] == "Service" and COMPONENT_LABEL not in labels:
        labels = mapping(item, "spec", "selector")
    component: str | None = labels.get(COMPONENT_LABEL)
    return component if component.__class__ is str else None


def component_of(path: Path) -> Path:
    """The beginning of the path of a field of a graph that leads to its component, () where it is beside them."""
    return path[:3] if path[:2] in (("spec", "services"), ("spec", "components")) else ()


class Rendering(Requested):
    """The stages `lowered` and `judge`; `dynamoc explain` extends them.

    tracer    compiles a document again, so that each value of its objects knows its line of the input
    expected  bytes that the documents so far ask for, at least
    checker   what else looks at the objects, for `dynamoc check`
    """

    tracer: Callable[[Any, Document], FaultSources] | None = None
    expected = 0
    checker: object | None = None

    def lowered(self, document: Document, value: Tree) -> list[Tree]:
        """The objects that the operator makes, as Go prints them."""

        def report(
            severity: Severity, slug: Slug, message: str, path: Path, hint: str | None, others: tuple[Path, ...] = ()
        ) -> None:
            related = tuple(document.place(other) for other in others)
            self.find(document, slug, message, self.written(document, path), hint, related, severity=severity)

        if self.standalone is None:
            check_namespace(value["metadata"]["namespace"], self.config)
        running = self.options.running
        surroundings = (self.config, self.cluster, self.capabilities)
        asked = self.options.include_intermediate
        operator = Operator(self.release, *surroundings, report, running, self.standalone, intermediate=asked)
        if value["kind"] == REQUEST:
            return self._protected(self.request_lowered(document, value, operator))
        types = load(self.release.name)
        rendered = self.in_version(value, "v1beta1")
        alpha: tuple[Tree, ...] = ()
        if rendered is not value:
            # The operator's v1alpha1 view is read from what is stored, where that is v1alpha1.
            alpha = (typed_object(dialect_of(self.release).view(value), types),)
        elif self.unmoved is not None and self.unmoved[0] is value:
            alpha = (self.unmoved[1],)
        lower_document = lowering.lower_document if self.standalone is None else lowering.lower_standalone
        canonical = self.canonical(document, rendered)
        self._refuse_much(document, canonical)
        objects = lower_document(canonical, operator, document.value["apiVersion"], *alpha)
        bare = load(self.release.name, BARE)
        return [typed_object(item, bare) for item in self._protected(objects)]

    def _protected(self, objects: list[Tree]) -> list[Tree]:
        """The objects, with what keeps tools that apply them from changing them, where that is asked for."""
        if not self.options.keeps_variables:
            return objects

        return [keep_variables(item) if holds_variable(item) else item for item in objects]

    def _refuse_much(self, document: Document, canonical: Tree) -> None:
        self.expected += expected_bytes(canonical, document.value)
        most = limit("output-bytes")
        if self.expected > most:
            message = f"The input asks for more than {most:,} bytes of output, the limit `output-bytes`."
            raise Refusal("output/too-large", message, ("spec",), hint("output-bytes", self.expected))

    def judge(self, document: Document, objects: list[Tree]) -> None:
        """What the API server would refuse in the generated objects, reported at the lines that led to it."""
        found: list[tuple[int, Tree, Problem]] = []
        for index, item in enumerate(objects):
            problems = examine_object(item, self.options.kube_minor)
            # The schema says some of it as well.
            known = {problem.path for problem in problems}
            # Of what the operator makes on its way, nothing comes if it is refused: there is nothing to print.
            children = (problem for problem in self._child_problems(document, item) if problem.path not in known)
            for problem in problems:
                problem.severity = self._severity(problem)
            found += [(index, item, problem) for problem in (*children, *problems)]
        if found:
            faults = [Fault(*fault) for fault in found]
            for finding in fault_findings(document, faults, self.sources(document, objects)):
                self.findings.add(finding)

    def sources(self, document: Document, _objects: list[Tree]) -> FaultSources | None:
        """Where the objects' values come from, None where nobody traces them."""
        return None if self.tracer is None else self.tracer(self, document)

    def _severity(self, problem: Problem) -> Severity:
        """How bad it is that the API server refuses an object, or, as a warning, the pods that are made of it."""
        if problem.severity == ERROR:
            return WARNING if self.options.refused_objects == "warn" else ERROR
        # `check` asks what works, and not only what can be applied.
        later = problem.is_later and getattr(self.checker, "refuses_pods", False)
        return ERROR if self.options.strict or later else problem.severity

    def _child_problems(self, document: Document, item: Tree) -> list[Problem]:
        """What the schema and the webhook say of a component or checkpoint that the operator made of a graph.

        The schema is asked where the user's own document was not checked by the same: for a checkpoint, in another
        version, with annotations of the graph, which land on pods, or without a pod template, which the operator adds.
        """
        kind, written = item["kind"], document.value
        if kind == "PodCliqueSet" and self.release.has("grove/unique-cliques"):
            return check_clique_names(item)
        if kind not in ("DynamoComponentDeployment", "DynamoCheckpoint") or written["kind"] != "DynamoGraphDeployment":
            return []
        problems: list[Problem] = []
        checked = kind == "DynamoComponentDeployment" and item["apiVersion"] == written["apiVersion"]
        has_pod = ((item["spec"].get("podTemplate") or {}).get("spec") or {}).get("containers")
        if not (checked and has_pod) or (written.get("spec") or {}).get("annotations"):
            problems = self._new_problems(item, check(self.release.name, kind, item["apiVersion"], item)[1])
        if not problems and self.standalone is None:
            said = judge(self.release, kind, _owned(item, written), self.cluster)
            problems = [problem for problem in said if problem.severity == ERROR]
        return problems

    def _new_problems(self, item: Tree, problems: list[Problem]) -> list[Problem]:
        """What of the problems the API server minds in an update of a component that an earlier release made."""
        running = self.options.running if problems else None
        key = (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
        old = None if running is None else running.get(*key)
        if old is None:
            return problems

        return ratcheted(self.release.name, item, self.in_version(old, item["apiVersion"].rpartition("/")[2]), problems)


def _owned(item: Tree, graph: Tree) -> Tree:
    """An object as its graph sends it: output leaves the owner out."""
    owner = {"apiVersion": graph["apiVersion"], "kind": graph["kind"], "name": item["metadata"]["name"]}
    return {**item, "metadata": {**item["metadata"], "ownerReferences": [{**owner, "controller": True}]}}


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
    """The objects without the replicas of what autoscalers own; notes what keeps them, and that there is none.

    `inputs` are all documents, `graphs` those of the operator, `default` is the namespace of documents without one.
    `split` tells whether each replica is a LeaderWorkerSet of its own.
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

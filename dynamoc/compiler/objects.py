"""From what the API server stores to the objects that the operator makes, judged as the API server judges them."""

from __future__ import annotations

from collections.abc import Iterable

from dynamoc.admission.cluster.previous import Before
from dynamoc.admission.convert.operator import dialect_of
from dynamoc.admission.operator import Operator
from dynamoc.admission.webhooks.by_release import judge
from dynamoc.compiler.assumptions import expected_bytes
from dynamoc.compiler.cluster import Run, Stored
from dynamoc.compiler.faults import Fault, fault_findings
from dynamoc.compiler.options import Options
from dynamoc.compiler.requests import request_lowered, written
from dynamoc.compiler.stored import REQUEST, canonical, in_version
from dynamoc.documents.apiserver.objects import examine_object
from dynamoc.documents.apiserver.workloads import check_clique_names
from dynamoc.documents.findings.finding import ERROR, WARNING, Path, Refusal
from dynamoc.documents.schema.causes import ratcheted
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.document import Document
from dynamoc.kube.go_types import BARE, load, typed_object
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.names import COMPONENT_LABEL, Identity, identity, mapping
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


def lowered(run: Run, document: Document, stored: Stored, before: Before | None) -> list[Tree]:
    """The objects that the operator makes, as Go prints them."""
    cluster, release = run.cluster, run.cluster.release
    value, types, bare = stored.value, load(release.name), load(release.name, BARE)
    if cluster.standalone is None:
        check_namespace(value["metadata"]["namespace"], cluster.config)
    operator = _operator(run, document)
    if value["kind"] == REQUEST:
        return _protected(request_lowered(run, document, value, operator, before), cluster.options)
    rendered = in_version(run, value, "v1beta1")
    alpha: tuple[Tree, ...] = ()
    if rendered is not value:
        # The operator's v1alpha1 view is read from what is stored, where that is v1alpha1.
        alpha = (typed_object(dialect_of(release).view(value), types),)
    elif stored.alpha is not None:
        alpha = (stored.alpha,)
    lower_document = lowering.lower_document if cluster.standalone is None else lowering.lower_standalone
    read = canonical(run, document, rendered)
    _refuse_much(run, document, read)
    objects = lower_document(read, operator, document.value["apiVersion"], *alpha)
    return [typed_object(item, bare) for item in _protected(objects, cluster.options)]


def _operator(run: Run, document: Document) -> Operator:
    """The operator at work on a document, to which all that it has to say belongs."""
    cluster, find = run.cluster, run.report.find

    def report(
        severity: Severity, slug: Slug, message: str, path: Path, hint: str | None, others: tuple[Path, ...] = ()
    ) -> None:
        related = tuple(document.place(other) for other in others)
        find(document, slug, message, written(cluster.release, document, path), hint, related, severity=severity)

    return Operator(
        cluster.release,
        cluster.config,
        cluster.existing,
        cluster.existing.capabilities,
        report,
        cluster.options.running,
        cluster.standalone,
        intermediate=cluster.options.include_intermediate,
    )


def _protected(objects: list[Tree], options: Options) -> list[Tree]:
    """The objects, with what keeps tools that apply them from changing them, where that is asked for."""
    if not options.keeps_variables:
        return objects

    return [keep_variables(item) if holds_variable(item) else item for item in objects]


def _refuse_much(run: Run, document: Document, read: Tree) -> None:
    run.expected += expected_bytes(read, document.value)
    most = limit("output-bytes")
    if run.expected > most:
        message = f"The input asks for more than {most:,} bytes of output, the limit `output-bytes`."
        raise Refusal("output/too-large", message, ("spec",), hint("output-bytes", run.expected))


def judge_objects(run: Run, document: Document, objects: list[Tree]) -> list[Tree]:
    """Reports what the API server would refuse in the generated objects, at the lines that led to it.

    Returns the objects as a checker may see them.
    """
    judged = run.origins.judged(objects)
    if judged is None:
        return objects
    found: list[tuple[int, Tree, Problem]] = []
    for index, item in enumerate(judged):
        problems = examine_object(item, run.cluster.options.kube_minor)
        # The schema says some of it as well.
        known = {problem.path for problem in problems}
        # Of what the operator makes on its way, nothing comes if it is refused: there is nothing to print.
        children = [problem for problem in _child_problems(run, document, item) if problem.path not in known]
        for problem in problems:
            problem.severity = _severity(run, problem)
        found += [(index, item, problem) for problem in (*children, *problems)]
    if found:
        faults = [Fault(*each) for each in found]
        for finding in fault_findings(document, faults, run.origins.sources(run, document)):
            run.report.findings.add(finding)
    return judged


def _severity(run: Run, problem: Problem) -> Severity:
    """How bad it is that the API server refuses an object, or, as a warning, the pods that are made of it."""
    options = run.cluster.options
    if problem.severity == ERROR:
        return WARNING if options.refused_objects == "warn" else ERROR
    # `check` asks what works, and not only what can be applied.
    later = problem.is_later and run.checker is not None and run.checker.refuses_pods
    return ERROR if options.strict or later else problem.severity


def _child_problems(run: Run, document: Document, item: Tree) -> list[Problem]:
    """What the schema and the webhook say of a component or checkpoint that the operator made of a graph.

    The schema is asked where the user's own document was not checked by the same: for a checkpoint, in another
    version, with annotations of the graph, which land on pods, or without a pod template, which the operator adds.
    """
    release, kind, source = run.cluster.release, item["kind"], document.value
    if kind == "PodCliqueSet" and release.has("grove/unique-cliques"):
        return check_clique_names(item)
    if kind not in ("DynamoComponentDeployment", "DynamoCheckpoint") or source["kind"] != "DynamoGraphDeployment":
        return []
    problems: list[Problem] = []
    checked = kind == "DynamoComponentDeployment" and item["apiVersion"] == source["apiVersion"]
    has_pod = ((item["spec"].get("podTemplate") or {}).get("spec") or {}).get("containers")
    if not (checked and has_pod) or (source.get("spec") or {}).get("annotations"):
        problems = _new_problems(run, item, check(release.name, kind, item["apiVersion"], item)[1])
    if not problems and run.cluster.standalone is None:
        said = judge(release, kind, _owned(item, source), run.cluster.existing)
        problems = [problem for problem in said if problem.severity == ERROR]
    return problems


def _new_problems(run: Run, item: Tree, problems: list[Problem]) -> list[Problem]:
    """What of the problems the API server minds in an update of a component that an earlier release made."""
    running = run.cluster.options.running if problems else None
    key = (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
    old = None if running is None else running.get(*key)
    if old is None:
        return problems

    current = in_version(run, old, item["apiVersion"].rpartition("/")[2])
    return ratcheted(run.cluster.release.name, item, current, problems)


def _owned(item: Tree, graph: Tree) -> Tree:
    """An object as its graph sends it: output leaves the owner out."""
    owner = {"apiVersion": graph["apiVersion"], "kind": graph["kind"], "name": item["metadata"]["name"]}
    return {**item, "metadata": {**item["metadata"], "ownerReferences": [{**owner, "controller": True}]}}

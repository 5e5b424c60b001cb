"""What requests need beside the stages of graphs: their version, the profiler's answer, and the graph of it."""

from __future__ import annotations

from dynamoc.admission.cluster.previous import Before
from dynamoc.admission.operator import Operator
from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.admission.webhooks.other import same_spec
from dynamoc.admission.webhooks.review import request_in_alpha
from dynamoc.compiler.cluster import Cluster, Run
from dynamoc.compiler.options import Options
from dynamoc.compiler.stored import REQUEST, canonical, in_version, webhook_version
from dynamoc.documents.findings.finding import ERROR, WARNING, Path, Refusal
from dynamoc.documents.schema.check import check
from dynamoc.documents.source.document import Document, own_mark
from dynamoc.kube.go_types import BARE, load, typed_object
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import identity, mapping
from dynamoc.reference.releases import Release
from dynamoc.rendering.requests.answer import GivenAnswer
from dynamoc.rendering.requests.document import lower_request

_GRAPH = "DynamoGraphDeployment"
#: phases in which the operator has not made the Job yet
_NOT_BEGUN = (None, "", "Pending", "Initializing")


def request_lowered(run: Run, document: Document, value: Tree, operator: Operator, before: Before | None) -> list[Tree]:
    """The objects of a request, which the operator reads in its own version, with the defaults of that version."""
    cluster, options, release = run.cluster, run.cluster.options, run.cluster.release
    standalone = cluster.standalone
    # Without the operator the graph is all that is left of a request, where that is compiled.
    if standalone is not None and standalone.leaves_out(document.value) and options.through != "pods":
        return []
    value, begun = _begun(value, operator, before)
    if value["apiVersion"] != document.value["apiVersion"]:
        value = check(release.name, REQUEST, value["apiVersion"], value, unknown="prune")[0]
    bare = load(release.name, BARE)
    given, through = _given_answer(options, value["metadata"]["name"]), options.through is not None
    try:
        first = None if begun is None else canonical(run, document, begun)
        read = canonical(run, document, value)
        objects = lower_request(read, document.value, operator, given, through=through, begun=first)
    except Refusal as refusal:
        path = written(release, document, refusal.path)
        raise Refusal(refusal.slug, refusal.message, path, refusal.hint) from refusal
    found = [typed_object(item, bare) for item in objects if not _is_there(item, cluster, operator)]
    return found if standalone is None else [item for item in found if item["kind"] in (_GRAPH, "ConfigMap")]


def _begun(value: Tree, operator: Operator, before: Before | None) -> tuple[Tree, Tree | None]:
    """The request that the operator acts on, and the one that its Job was made of where that is another."""
    if before is None:
        return value, None

    release, old, phase = operator.release, before.value, before.value["status"]["phase"]
    if old["metadata"].get("uid"):
        value = {**value, "metadata": {**value["metadata"], "uid": old["metadata"]["uid"]}}
    if phase in _NOT_BEGUN or same_spec(value, old, release):
        return value, None
    if release.has("requests/applies-late") and phase in ("Profiling", "Ready"):
        return value, old
    message = f"The phase of the request is {phase}: the operator does nothing about the change of its spec."
    hint = "delete the request and apply it again"
    operator.warn("update/request-begun", message, ("spec",), hint)
    return old, None


def _given_answer(options: Options, name: str) -> GivenAnswer | None:
    """The answer to a request of this name that the command line names."""
    file = options.profiling_results.get(name)
    if file is None:
        return None

    options.used_results.add(name)
    try:
        with open(file, encoding="utf-8") as stream:
            return GivenAnswer(file, stream.read())
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise Refusal("request/answer-file", f"The profiling result {file} cannot be read: {why}.") from None


def _is_there(item: Tree, cluster: Cluster, operator: Operator) -> bool:
    if item["kind"] != _GRAPH or identity(item) not in cluster.graphs:
        return False
    message = f"The graph {item['metadata']['name']} is there already: the operator leaves it as it is."
    operator.note("request/graph-exists", message)
    return True


def generated(document: Document, item: Tree) -> Document:
    """A graph that a request leads to as a document; it stands where the request does."""
    return Document(item, document.file, document.index, own_mark(document.marks), document.source)


def tell_refused_graphs(run: Run, document: Document, objects: list[Tree]) -> None:
    """What the API server says to a graph that the operator creates; the request fails then, with its Job done."""
    release, context = run.cluster.release, run.cluster.existing
    for item in objects:
        if item["kind"] != _GRAPH:
            continue
        value, problems = check(release.name, _GRAPH, item["apiVersion"], item, unknown="prune")
        if not any(problem.severity == ERROR for problem in problems):
            converted = in_version(run, value, webhook_version(release, value))
            problems = judge(release, _GRAPH, default(release, _GRAPH, converted, context), context)
        for problem in problems:
            if problem.severity == ERROR:
                message = f"The API server refuses the graph {item['metadata']['name']}: {problem.message}"
                run.report.find(document, problem.slug, message, (), problem.hint, severity=WARNING)


def tell_collisions(run: Run, documents: list[Document]) -> None:
    """1.0 takes the graph's name from the profiler, which gives requests of one shape the same."""
    release = run.cluster.release
    if release.has("requests/names-graph") or not release.has("requests/v1beta1"):
        return
    seen: dict[tuple[str, str], Document] = {}
    for document in documents:
        spec = document.value.get("spec")
        if document.value["kind"] != REQUEST or not isinstance(spec, dict):
            continue
        name = identity(document.value, run.cluster.namespace)[2]
        other = seen.setdefault((name, str(spec.get("backend", "auto"))), document)
        if other is not document:
            name = mapping(other.value, "metadata").get("name", "")
            message = (
                f"Operator {release.name} names a graph after its backend and shape, and not after its "
                f"request: the graph of this request may have the name of the one of {name}."
            )
            hint = "use a namespace for each request, or a later release"
            path = ("metadata", "name")
            run.report.find(document, "request/same-graph", message, path, hint, (other.place(path),))


def written(release: Release, document: Document, path: Path) -> Path:
    """A path of what the operator reads as one of the document; graphs and components bring theirs."""
    if document.value["kind"] != REQUEST or not release.has("requests/v1beta1"):
        return path
    if document.value["apiVersion"].endswith("v1beta1"):
        return path

    return request_in_alpha(path, document.value)

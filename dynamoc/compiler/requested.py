"""What requests need beside the stages of graphs: their version, the profiler's answer, and the graph of it."""

from __future__ import annotations

from dynamoc.admission.operator import Operator
from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.admission.webhooks.other import same_spec
from dynamoc.admission.webhooks.review import request_in_alpha
from dynamoc.compiler.admission import REQUEST, Admission
from dynamoc.documents.findings.finding import ERROR, WARNING, Path, Refusal, format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.source.document import Document, own_mark
from dynamoc.kube.go_types import BARE, Unreadable, load, typed_object
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity, mapping
from dynamoc.rendering.requests.answer import GivenAnswer
from dynamoc.rendering.requests.document import lower_request

_GRAPH = "DynamoGraphDeployment"
#: phases in which the operator has not made the Job yet
_NOT_BEGUN = (None, "", "Pending", "Initializing")


class Requested(Admission):
    """The stage `request_lowered`.

    graphs   the graphs of the input and the context, which a request does not create again
    """

    graphs: frozenset[Identity] = frozenset()

    def request_lowered(self, document: Document, value: Tree, operator: Operator) -> list[Tree]:
        """The objects of a request, which the operator reads in its own version, with the defaults of that version."""
        if self.standalone is not None and self.standalone.leaves_out(document.value) and not self._stands_for_graph:
            return []
        value, begun = self._begun(value, operator)
        if value["apiVersion"] != document.value["apiVersion"]:
            value = check(self.release.name, REQUEST, value["apiVersion"], value, unknown="prune")[0]
        bare = load(self.release.name, BARE)
        given, through = self._given_answer(value["metadata"]["name"]), self.options.through is not None
        try:
            first = None if begun is None else self.canonical(document, begun)
            canonical = self.canonical(document, value)
            objects = lower_request(canonical, document.value, operator, given, through=through, begun=first)
        except Refusal as refusal:
            path = self.written(document, refusal.path)
            raise Refusal(refusal.slug, refusal.message, path, refusal.hint) from refusal
        made = [typed_object(item, bare) for item in objects if not self._is_there(item, operator)]
        return made if self.standalone is None else [item for item in made if item["kind"] in (_GRAPH, "ConfigMap")]

    def _begun(self, value: Tree, operator: Operator) -> tuple[Tree, Tree | None]:
        """The request that the operator acts on, and the one that its Job was made of where that is another."""
        if self.before is None:
            return value, None

        old, phase = self.before.value, self.before.value["status"]["phase"]
        if old["metadata"].get("uid"):
            value = {**value, "metadata": {**value["metadata"], "uid": old["metadata"]["uid"]}}
        if phase in _NOT_BEGUN or same_spec(value, old, self.release):
            return value, None
        if self.release.has("requests/applies-late") and phase in ("Profiling", "Ready"):
            return value, old
        message = f"The phase of the request is {phase}: the operator does nothing about the change of its spec."
        hint = "delete the request and apply it again"
        operator.warn("update/request-begun", message, ("spec",), hint)
        return old, None

    @property
    def _stands_for_graph(self) -> bool:
        """Whether the graph of a request is compiled: without the operator that is all that is left of a request."""
        return self.options.through == "pods"

    def _given_answer(self, name: str) -> GivenAnswer | None:
        """The answer to a request of this name that the command line names."""
        file = self.options.profiling_results.get(name)
        if file is None:
            return None

        self.options.used_results.add(name)
        try:
            with open(file, encoding="utf-8") as stream:
                return GivenAnswer(file, stream.read())
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise Refusal("request/answer-file", f"The profiling result {file} cannot be read: {why}.") from None

    def _is_there(self, item: Tree, operator: Operator) -> bool:
        if item["kind"] != _GRAPH or identity(item) not in self.graphs:
            return False
        message = f"The graph {item['metadata']['name']} is there already: the operator leaves it as it is."
        operator.note("request/graph-exists", message)
        return True

    def generated(self, document: Document, item: Tree) -> Document:
        """A graph that a request leads to as a document; it stands where the request does."""
        return Document(item, document.file, document.index, own_mark(document.marks), document.source)

    def tell_refused_graphs(self, document: Document, objects: list[Tree]) -> None:
        """What the API server says to a graph that the operator creates; the request fails then, with its Job done."""
        for item in objects:
            if item["kind"] != _GRAPH:
                continue
            value, problems = check(self.release.name, _GRAPH, item["apiVersion"], item, unknown="prune")
            if not any(problem.severity == ERROR for problem in problems):
                version = self._webhook_version(value)
                defaulted = default(self.release, _GRAPH, self.in_version(value, version), self.cluster)
                problems = judge(self.release, _GRAPH, defaulted, self.cluster)
            for problem in problems:
                if problem.severity == ERROR:
                    message = f"The API server refuses the graph {item['metadata']['name']}: {problem.message}"
                    self.find(document, problem.slug, message, (), problem.hint, severity=WARNING)

    def tell_collisions(self, documents: list[Document]) -> None:
        """1.0 takes the graph's name from the profiler, which gives requests of one shape the same."""
        if self.release.has("requests/names-graph") or not self.release.has("requests/v1beta1"):
            return
        seen: dict[tuple[str, str], Document] = {}
        for document in documents:
            spec = document.value.get("spec")
            if document.value["kind"] != REQUEST or not isinstance(spec, dict):
                continue
            name = identity(document.value, self.options.namespace or "default")[2]
            other = seen.setdefault((name, str(spec.get("backend", "auto"))), document)
            if other is not document:
                name = mapping(other.value, "metadata").get("name", "")
                message = (
                    f"Operator {self.release.name} names a graph after its backend and shape, and not after its "
                    f"request: the graph of this request may have the name of the one of {name}."
                )
                hint = "use a namespace for each request, or a later release"
                path = ("metadata", "name")
                self.find(document, "request/same-graph", message, path, hint, (other.place(path),))

    def written(self, document: Document, path: Path) -> Path:
        """A path of what the operator reads as one of the document; graphs and components bring theirs."""
        if document.value["kind"] != REQUEST or not self.release.has("requests/v1beta1"):
            return path
        if document.value["apiVersion"].endswith("v1beta1"):
            return path

        return request_in_alpha(path, document.value)

    def canonical(self, document: Document, value: Tree) -> Tree:
        """The document as Go prints it. Refusal where Go cannot read it: a quantity need only look like one before."""
        try:
            found: Tree = typed_object(value, load(self.release.name))
        except Unreadable as error:
            what = f"must be {error.wanted}, not {error.value!r:.60}"
            message = f"{format_path(error.path)} {what}: the operator cannot read the document."
            from dynamoc.documents.schema.suggestions import value_hint

            hint = value_hint(str(error.value)) if "quantity" in error.wanted else None
            is_written_so = value["apiVersion"] == document.value["apiVersion"]
            raise Refusal("admission/unreadable", message, error.path if is_written_so else (), hint) from None
        return found

"""From what the API server stores to the objects that the operator makes, judged as the API server judges them."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, WARNING, Refusal
from dynamoc.limits import hint, limit
from dynamoc.stages.admission import REQUEST
from dynamoc.stages.requested import Requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import Severity, Slug
    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.problem import Problem
    from dynamoc.source.document import Document
    from dynamoc.stages.faults import Sources

    Tree = dict[str, Any]


class Rendering(Requested):
    """The stages `lowered` and `judge`; `dynamoc explain` extends them.

    tracer    compiles a document again, so that each value of its objects knows its line of the input
    expected  bytes that the documents so far ask for, at least
    checker   what else looks at the objects, for `dynamoc check`
    """

    tracer: Callable[[Any, Document], Sources] | None = None
    expected = 0
    checker: object | None = None

    def lowered(self, document: Document, value: Tree) -> list[Tree]:
        """The objects that the operator makes, as Go prints them."""
        from dynamoc.convert.dialects import dialect_of
        from dynamoc.golang.types import load, typed_object
        from dynamoc.lower import lowering
        from dynamoc.lower.standalone import lowering as standalone_lowering
        from dynamoc.model.operator import Operator

        def report(
            severity: Severity, slug: Slug, message: str, path: Path, hint: str | None, others: tuple[Path, ...] = ()
        ) -> None:
            related = tuple(document.place(other) for other in others)
            self.find(document, slug, message, self.written(document, path), hint, related, severity=severity)

        if self.standalone is None:
            from dynamoc.lower.watched import check_namespace

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
        lower_document = lowering.lower_document if self.standalone is None else standalone_lowering.lower_document
        canonical = self.canonical(document, rendered)
        self._refuse_much(document, canonical)
        objects = lower_document(canonical, operator, document.value["apiVersion"], *alpha)
        bare = load(self.release.name, bare=True)
        return [typed_object(item, bare) for item in self._protected(objects)]

    def _protected(self, objects: list[Tree]) -> list[Tree]:
        """The objects, with what keeps tools that apply them from changing them, where that is asked for."""
        if not self.options.keeps_variables:
            return objects
        from dynamoc.lower.flux import holds_variable, keep_variables

        return [keep_variables(item) if holds_variable(item) else item for item in objects]

    def _refuse_much(self, document: Document, canonical: Tree) -> None:
        from dynamoc.stages.size import expected_bytes

        self.expected += expected_bytes(canonical, document.value)
        most = limit("output-bytes")
        if self.expected > most:
            message = f"The input asks for more than {most:,} bytes of output, the limit `output-bytes`."
            raise Refusal("output/too-large", message, ("spec",), hint("output-bytes", self.expected))

    def judge(self, document: Document, objects: list[Tree]) -> None:
        """What the API server would refuse in the generated objects, reported at the lines that led to it."""
        from dynamoc.apiserver.objects import examine_object

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
            from dynamoc.stages.faults import Fault, fault_findings

            faults = [Fault(*fault) for fault in found]
            for finding in fault_findings(document, faults, self.sources(document, objects)):
                self.findings.add(finding)

    def sources(self, document: Document, _objects: list[Tree]) -> Sources | None:
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
            from dynamoc.apiserver.workloads import check_clique_names

            return check_clique_names(item)
        if kind not in ("DynamoComponentDeployment", "DynamoCheckpoint") or written["kind"] != "DynamoGraphDeployment":
            return []
        problems: list[Problem] = []
        checked = kind == "DynamoComponentDeployment" and item["apiVersion"] == written["apiVersion"]
        has_pod = ((item["spec"].get("podTemplate") or {}).get("spec") or {}).get("containers")
        if not (checked and has_pod) or (written.get("spec") or {}).get("annotations"):
            from dynamoc.schema import check

            problems = self._new_problems(item, check(self.release.name, kind, item["apiVersion"], item)[1])
        if not problems and self.standalone is None:
            from dynamoc.webhooks.by_release import judge

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
        from dynamoc.schema.transitions import ratcheted

        return ratcheted(self.release.name, item, self.in_version(old, item["apiVersion"].rpartition("/")[2]), problems)


def _owned(item: Tree, graph: Tree) -> Tree:
    """An object as its graph sends it: output leaves the owner out."""
    owner = {"apiVersion": graph["apiVersion"], "kind": graph["kind"], "name": item["metadata"]["name"]}
    return {**item, "metadata": {**item["metadata"], "ownerReferences": [{**owner, "controller": True}]}}

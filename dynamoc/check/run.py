"""All rules over what each document became."""

from __future__ import annotations

from dynamoc.check.made import Made
from dynamoc.check.registry import RULES
from dynamoc.kube.identity import identity
from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.kube.lenient import mapping, text
from dynamoc.modules import module_named
from dynamoc.stages.faults import Fault, fault_findings
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dynamoc.check.registry import Rule
    from dynamoc.check.schemas import Schemas
    from dynamoc.compilation import Compilation
    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.problem import Problem
    from dynamoc.source.document import Document
    from dynamoc.stages.state import Mistake

    Tree = dict[str, Any]
    Kinds = dict[str, list[Tree]]

_MODULES = (
    "autoscaling",
    "commands",
    "containers",
    "flags",
    "gangs",
    "gpus",
    "graphs",
    "images",
    "names",
    "nodes",
    "routing",
    "sizes",
    "transfer",
    "units",
    "values",
    "variables",
    "volumes",
    "weights",
)


class _Rules:
    """All rules, and what is known beside the documents: by kind, once for all that are compiled together."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._others: Kinds = {}

    def _found(
        self,
        compilation: Compilation,
        document: Document,
        value: Tree,
        objects: list[Tree],
        sizes: Mapping[str, float] | None = None,
    ) -> list[Fault | Problem]:
        if not self._rules:
            self._rules, self._others = rules(), _by_kind(compilation)
        namespace = compilation.options.namespace or "default"
        made = Made(document, value, objects, compilation.release, compilation.config, self._others, namespace)
        made.sizes = sizes or {}
        return [found for each in self._rules for found in each(made)]


class Checks(_Rules):
    """What `dynamoc check` adds to a compilation.

    schemas  of the user
    sizes    billions of parameters of the models of components, by their names; "" for all others
    errors   that the rules found

    What the API server refuses of pods is as bad here as what it refuses of the objects that they are made of.
    """

    refuses_pods = True

    def __init__(self, schemas: Schemas | None, sizes: Mapping[str, float] | None = None) -> None:
        super().__init__()
        self._schemas = schemas
        self._sizes = sizes or {}
        self.errors = 0

    def others(self, compilation: Compilation, documents: list[Document]) -> None:
        if documents:
            from dynamoc.check.others import Others

            judge, before = Others(self._schemas), compilation.findings.errors
            for document in documents:
                judge.judge(compilation, document)
            self.errors += compilation.findings.errors - before

    def made(self, compilation: Compilation, document: Document, stored: Tree, objects: list[Tree]) -> None:
        before = compilation.findings.errors
        found = self._found(compilation, document, stored, objects, self._sizes)
        faults = [each for each in found if isinstance(each, Fault)]
        compilation.take(document, [each for each in found if not isinstance(each, Fault)])
        if faults:
            for finding in fault_findings(document, faults, compilation.sources(document, objects)):
                compilation.findings.add(finding)
        self.errors += compilation.findings.errors - before


class Watch(_Rules):
    """What the rules find in the pods of documents, as mistakes of the trace of a compilation: it refuses nothing."""

    errors = 0

    def others(self, compilation: Compilation, documents: list[Document]) -> None:
        """Documents that pass through are the same under each release."""

    def made(self, compilation: Compilation, document: Document, stored: Tree, objects: list[Tree]) -> None:
        assert compilation.trace is not None
        found: list[Mistake] = []
        for each in self._found(compilation, document, stored, objects):
            problem = each.problem if isinstance(each, Fault) else each
            component = _component(each.item, problem.path) if isinstance(each, Fault) else ""
            found.append((component, problem.slug, problem.severity, problem.message, problem.hint))
        compilation.trace.mistakes[identity(document.value, compilation.options.namespace or "default")] = found


def _component(item: Tree, path: Path) -> str:
    """The component that a field of an object belongs to: of a PodCliqueSet, that of the clique."""
    places = (path[:length] for length in range(len(path), -1, -1))
    found = (mapping(at(item, place), *above).get(COMPONENT_LABEL) for place in places for above in _LABELS)
    return next((text(name) for name in found if name), "")


_LABELS = (("labels",), ("metadata", "labels"))


def _by_kind(compilation: Compilation) -> Kinds:
    found: Kinds = {}
    for item in (*compilation.documents, *compilation.context):
        found.setdefault(text(item.value.get("kind")), []).append(item.value)
    return found


def rules() -> list[Rule]:
    for name in _MODULES:
        module_named(f"dynamoc.check.rules.{name}")
    return list(dict.fromkeys(RULES.values()))

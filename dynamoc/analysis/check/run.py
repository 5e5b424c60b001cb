"""All rules over what each document became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dynamoc.analysis.check import (
    commands,
    containers,
    flags,
    graphs,
    images,
    nodes,
    transfer,
    values,
    variables,
    volumes,
    weights,
)
from dynamoc.analysis.check.others import Others, Schemas
from dynamoc.analysis.check.rendering import RULES, Rendering, Rule
from dynamoc.compiler.cluster import Mistake, Run
from dynamoc.compiler.faults import Fault, fault_findings
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.names import COMPONENT_LABEL, identity, mapping, text
from dynamoc.reference.slugs import Slug

_MODULES = (commands, containers, flags, graphs, images, nodes, transfer, values, variables, volumes, weights)

Kinds = dict[str, list[Tree]]


@dataclass(eq=False)
class _Rules:
    """All rules, and what is known beside the documents: by kind, once for all that are compiled together."""

    _rules: list[Rule] = field(default_factory=list, init=False)
    _others: Kinds = field(default_factory=dict, init=False)

    def _found(
        self,
        run: Run,
        document: Document,
        value: Tree,
        objects: list[Tree],
        sizes: Mapping[str, float] | None = None,
    ) -> list[Fault | Problem]:
        if not self._rules:
            self._rules, self._others = rules(), _by_kind(run)
        cluster = run.cluster
        rendering = Rendering(
            document, value, objects, cluster.release, cluster.config, self._others, cluster.namespace
        )
        rendering.sizes = sizes or {}
        return _causes([found for each in self._rules for found in each(rendering)])


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

    def others(self, run: Run, documents: list[Document]) -> None:
        if documents:
            judge, before = Others(self._schemas), run.report.findings.errors
            for document in documents:
                judge.judge(run, document)
            self.errors += run.report.findings.errors - before

    def rendered(self, run: Run, document: Document, stored: Tree, objects: list[Tree]) -> None:
        before = run.report.findings.errors
        found = self._found(run, document, stored, objects, self._sizes)
        faults = [each for each in found if isinstance(each, Fault)]
        run.report.take(document, [each for each in found if not isinstance(each, Fault)])
        if faults:
            for finding in fault_findings(document, faults, run.origins.sources(run, document)):
                run.report.findings.add(finding)
        self.errors += run.report.findings.errors - before


class Watch(_Rules):
    """What the rules find in the pods of documents, as mistakes of the trace of a compilation: it refuses nothing."""

    errors = 0
    refuses_pods = False

    def others(self, run: Run, documents: list[Document]) -> None:
        """Documents that pass through are the same under each release."""

    def rendered(self, run: Run, document: Document, stored: Tree, objects: list[Tree]) -> None:
        assert run.trace is not None
        found: list[Mistake] = []
        for each in self._found(run, document, stored, objects):
            problem = each.problem if isinstance(each, Fault) else each
            component = _component(each.item, problem.path) if isinstance(each, Fault) else ""
            found.append((component, problem.slug, problem.severity, problem.message, problem.hint))
        run.trace.mistakes[identity(document.value, run.cluster.namespace)] = found


def _component(item: Tree, path: Path) -> str:
    """The component that a field of an object belongs to: of a PodCliqueSet, that of the clique."""
    places = (path[:length] for length in range(len(path), -1, -1))
    found = (mapping(at(item, place), *above).get(COMPONENT_LABEL) for place in places for above in _LABELS)
    return next((text(name) for name in found if name), "")


_LABELS = (("labels",), ("metadata", "labels"))


def _by_kind(run: Run) -> Kinds:
    found: Kinds = {}
    for item in (*run.cluster.documents, *run.cluster.context):
        found.setdefault(text(item.value.get("kind")), []).append(item.value)
    return found


#: what a mistake leads to, which is not a separate finding while the mistake is there
_LEADS_TO: dict[Slug, tuple[Slug, ...]] = {
    "check/attention-heads": ("check/idle-gpus",),
    "check/flag-value": (
        "check/flag-twice",
        "check/no-model",
        "check/transfer-compatibility",
        "check/transfer-settings",
    ),
    "check/joined-flag": ("check/models-differ", "check/no-model"),
    "check/odd-amount": ("check/small-shared-memory", "check/memory-below-weights"),
    "check/old-runtime": ("check/runtime-versions",),
    "check/no-nats": ("check/runtime-versions",),
    "check/unknown-flag": ("check/no-model",),
    "check/other-engine": ("check/unknown-flag", "check/flag-value", "check/no-model"),
    "check/parallelism-of-nodes": ("check/idle-gpus", "check/too-few-gpus"),
}

#: findings on two components that do not fit together, of which the other one may have the mistake
_BETWEEN = ("check/models-differ", "check/runtime-versions", "check/transfer-compatibility", "check/transfer-settings")


def _causes(found: list[Fault | Problem]) -> list[Fault | Problem]:
    """The findings of one document without what others of them lead to, in the same component or between two."""
    faults = [each for each in found if isinstance(each, Fault)]
    effects: set[tuple[str, str]] = set()
    for each in faults:
        if each.problem.slug in _LEADS_TO:
            where = _component(each.item, each.problem.path)
            effects |= {("" if slug in _BETWEEN else where, slug) for slug in _LEADS_TO[each.problem.slug]}
    return [each for each in found if not (isinstance(each, Fault) and effects and _effect(each) in effects)]


def _effect(fault: Fault) -> tuple[str, str]:
    slug = fault.problem.slug
    return ("" if slug in _BETWEEN else _component(fault.item, fault.problem.path)), slug


def rules() -> list[Rule]:
    """Each rule once, module by module."""
    return [rule for module in _MODULES for rule in dict.fromkeys(RULES.values()) if rule.__module__ == module.__name__]

"""All rules over what each document became."""

from __future__ import annotations

from importlib import import_module

from dynamoc.check.made import Made
from dynamoc.check.registry import RULES
from dynamoc.stages.faults import Fault, fault_findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dynamoc.check.registry import Rule
    from dynamoc.check.schemas import Schemas
    from dynamoc.compilation import Compilation
    from dynamoc.schema.problem import Problem
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

_MODULES = (
    "autoscaling",
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
    "volumes",
)


class Checks:
    """What `dynamoc check` adds to a compilation.

    schemas  of the user
    sizes    billions of parameters of the models of components, by their names; "" for all others
    """

    def __init__(self, schemas: Schemas | None, sizes: Mapping[str, float] | None = None) -> None:
        self._schemas = schemas
        self._sizes = sizes or {}

    def others(self, compilation: Compilation, documents: list[Document]) -> None:
        if documents:
            from dynamoc.check.others import Others

            judge = Others(self._schemas)
            for document in documents:
                judge.judge(compilation, document)

    def made(self, compilation: Compilation, document: Document, stored: Tree, objects: list[Tree]) -> None:
        check_document(compilation, document, stored, objects, self._sizes)


def check_document(
    compilation: Compilation, document: Document, value: Tree, objects: list[Tree], sizes: Mapping[str, float]
) -> None:
    """Reports what the rules find in one document of the input, and the objects that the operator makes of it."""
    others = [item.value for item in (*compilation.documents, *compilation.context)]
    namespace = compilation.options.namespace or "default"
    made = Made(document, value, objects, compilation.release, compilation.config, others, namespace)
    made.sizes = sizes
    faults: list[Fault] = []
    problems: list[Problem] = []
    for each in rules():
        for found in each(made):
            if isinstance(found, Fault):
                faults.append(found)
            else:
                problems.append(found)
    compilation.take(document, problems)
    if faults:
        for finding in fault_findings(document, faults, compilation.sources(document, objects)):
            compilation.findings.add(finding)


def rules() -> list[Rule]:
    for name in _MODULES:
        import_module(f"dynamoc.check.rules.{name}")
    return list(dict.fromkeys(RULES.values()))

"""Objects that dynamoc passes on as they are, judged as those that it makes."""

from __future__ import annotations

from dynamoc.apiserver.objects import examine_object
from dynamoc.check.structure import Structs
from dynamoc.diagnostics.finding import ERROR
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.check.schemas import Schemas
    from dynamoc.compilation import Compilation
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


class Others:
    """Judges objects: by the schemas of the user, else by what is known of Kubernetes' own kinds."""

    def __init__(self, schemas: Schemas | None) -> None:
        self._schemas = schemas
        self._structs: dict[str, Structs] = {}

    def judge(self, compilation: Compilation, document: Document) -> None:
        problems = self._by_schema(document.value)
        if problems is None:
            problems = self._by_kind(compilation, document.value)
        compilation.take(document, problems)

    def _by_schema(self, value: Tree) -> list[Problem] | None:
        return None if self._schemas is None else self._schemas.judge(value)

    def _by_kind(self, compilation: Compilation, value: Tree) -> list[Problem]:
        release = compilation.release.name
        structs = self._structs.setdefault(release, Structs(release))
        found = structs.judge(value)
        problems = [] if found is None else list(found)
        if found is None or any(problem.slug == "check/wrong-type" for problem in problems):
            return problems
        return [*problems, *_refused(structs.without_nulls(value), compilation.options.kube_minor)]


def _refused(value: Tree, minor: int | None) -> list[Problem]:
    return [problem for problem in examine_object(value, minor) if problem.severity == ERROR]

"""Documents of one cluster, compiled by several processes: each knows the whole cluster, and tells what it found."""

from __future__ import annotations

from dynamoc.diagnostics.handover import size_of
from dynamoc.forked import Forks, processes
from dynamoc.limits import limit
from dynamoc.stages.handover import Known, KnownToOne, expected_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Findings
    from dynamoc.model.standalone import Standalone
    from dynamoc.options import Options
    from dynamoc.source.document import Document
    from dynamoc.stages.rendering import Rendering

    Tree = dict[str, Any]


def compiled_apart(
    compilation: Rendering, compiled: Callable[[Document], list[Tree]], documents: list[Document], *, texts: bool
) -> Iterator[tuple[Document, list[Tree]]]:
    """The documents with their objects, in order. Raises WorkerDied where a process does not finish.

    With `texts`, objects are `Printed` where other processes compile. Keys that are made at random are the same for all
    documents of a namespace, so one process makes them.
    """
    options = compilation.options
    jobs = 1 if options.generate_secrets else processes(options.jobs, len(documents))
    if jobs == 1:
        for document in documents:
            yield document, compiled(document)
        return

    form = _Texts() if texts else _Objects()

    def work(number: int) -> tuple[list[Any], tuple[Any, ...]]:
        compilation.findings.progress = None
        known = KnownToOne(compilation, afresh=True)
        return form.plain(compiled(documents[number])), known.news()

    with Forks(work, len(documents), jobs) as forks:
        for number, document in enumerate(documents):
            result = forks.result(number)
            # Of a limit on all documents together each process sees its own share only.
            if result is None or compilation.expected + expected_of(result[1]) > limit("output-bytes"):
                yield document, form.objects(form.plain(compiled(document)))
                continue
            KnownToOne(compilation).take(result[1])
            yield document, form.objects(result[0])


def compiled_alone(
    compiled: Callable[[int], list[Tree] | None],
    files: int,
    options: Options,
    findings: Findings,
    standalone: Standalone | None,
) -> Iterator[list[Tree] | None]:
    """What `compiled` makes of each of so many files, each a cluster of its own, in order; `WorkerDied` as above."""
    jobs = processes(options.jobs, files)
    if jobs == 1:
        yield from map(compiled, range(files))
        return
    size = findings.inputs.size

    form = _Texts() if options.texts else _Objects()

    def work(number: int) -> tuple[list[Any] | None, tuple[Any, ...]]:
        options.jobs, findings.inputs.size = 1, size
        known = Known(findings, options, standalone, afresh=True)
        objects = compiled(number)
        return None if objects is None else form.plain(objects), known.news()

    with Forks(work, files, jobs) as forks:
        for number in range(files):
            result = forks.result(number)
            if result is None or findings.inputs.size + size_of(result[1]) > limit("input-bytes"):
                yield compiled(number)
                continue
            Known(findings, options, standalone).take(result[1])
            yield None if result[0] is None else form.objects(result[0])


class _Objects:
    """Objects are handed over as they are."""

    def plain(self, objects: list[Tree]) -> list[Any]:
        return objects

    def objects(self, plain: list[Any]) -> list[Tree]:
        return plain


class _Texts(_Objects):
    """Their YAML is handed over, which one process would write long after the others are done."""

    def __init__(self) -> None:
        from dynamoc.emit.printed import Printed, Printer

        self._printer, self._printed = Printer(), Printed

    def plain(self, objects: list[Tree]) -> list[Any]:
        return self._printer.plain(objects)

    def objects(self, plain: list[Any]) -> list[Tree]:
        return [self._printed(item) for item in plain]

"""Documents of one cluster, compiled by several processes: each knows the whole cluster, and tells what it found.

What a compilation in another process found out, beside its findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dynamoc.admission.operator import Standalone
from dynamoc.compiler.objects import Rendering
from dynamoc.compiler.options import Options
from dynamoc.documents.emit.yaml import Printed, Printer
from dynamoc.documents.findings.edits import Found, size_of
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.processes import Forks, processes
from dynamoc.kube.limits import limit

Tree = dict[str, Any]


class Known(Found):
    """What is known before a cluster is compiled: of the options, which were of use; of no operator, what is lost."""

    def __init__(
        self, findings: Findings, options: Options, standalone: Standalone | None, *, afresh: bool = False
    ) -> None:
        super().__init__(findings, afresh=afresh)
        if afresh and standalone is not None:
            standalone.lost.clear()
        self._options = options
        self._standalone = standalone

    def news(self) -> tuple[Any, ...]:
        used, previous = list(self._options.used_results), self._options.previous
        lost = {} if self._standalone is None else {what: list(names) for what, names in self._standalone.lost.items()}
        return (*super().news(), used, previous is not None and previous.used, lost)

    def take(self, news: tuple[Any, ...]) -> None:
        *found, used, previous_used, lost = news
        super().take(tuple(found))
        self._options.used_results |= set(used)
        if self._options.previous is not None and previous_used:
            self._options.previous.used = True
        if self._standalone is not None:
            for what, names in lost.items():
                self._standalone.lost.setdefault(what, set()).update(names)


class KnownToOne(Known):
    """What is known before a document is compiled: what the operator stores, what it leaves alone, what it prints."""

    def __init__(self, state: Rendering, *, afresh: bool = False) -> None:
        super().__init__(state.findings, state.options, state.standalone, afresh=afresh)
        if afresh:
            state.cluster.not_made.clear()
            if state.trace is not None:
                state.trace.stored.clear()
                state.trace.mistakes.clear()
        self._state = state
        self._expected = state.expected

    def news(self) -> tuple[Any, ...]:
        state = self._state
        trace = state.trace
        stored = ([], []) if trace is None else (list(trace.stored.items()), list(trace.mistakes.items()))
        return (*super().news(), stored, list(state.cluster.not_made.items()), state.expected - self._expected)

    def take(self, news: tuple[Any, ...]) -> None:
        *known, stored, not_made, expected = news
        super().take(tuple(known))
        if self._state.trace is not None:
            self._state.trace.stored.update(stored[0])
            self._state.trace.mistakes.update(stored[1])
        self._state.cluster.not_made.update(not_made)
        self._state.expected += expected


def expected_of(news: tuple[Any, ...]) -> int:
    """The bytes of output that were asked for."""
    return int(news[-1])


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
        self._printer, self._printed = Printer(), Printed

    def plain(self, objects: list[Tree]) -> list[Any]:
        return self._printer.plain(objects)

    def objects(self, plain: list[Any]) -> list[Tree]:
        return [self._printed(item) for item in plain]

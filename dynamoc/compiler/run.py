"""The ways into the pipeline, for the command line and as a library.

All inputs together are one cluster (`compile_paths`), or each input file is a separate one (`compile_each`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dynamoc.admission.operator import Standalone
from dynamoc.compiler.cluster import Checker, Origins, Run, Trace
from dynamoc.compiler.compile import compile_cluster
from dynamoc.compiler.explain.traced_compilation import trace_objects
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.options import Options, read_surroundings, without_operator
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import expand, read_inputs
from dynamoc.documents.source.processes import Forks, processes
from dynamoc.kube.limits import limit
from dynamoc.kube.merge import Tree


def compile_paths(paths: list[str], options: Options, findings: Findings, checker: Checker | None = None) -> list[Tree]:
    """The objects of all inputs, which together are one cluster. Of no use where `findings` holds errors."""
    config, context = read_surroundings(options, findings)
    documents = read_inputs(expand(paths, findings), findings)
    objects = compile_cluster(documents, options, config, context, findings, checker=checker, origins=_Faults())
    tell_unused(options, findings)
    return objects


def compile_documents(
    documents: list[Document],
    options: Options,
    findings: Findings,
    trace: Trace | None = None,
    *,
    context: Sequence[Document] = (),
    checker: Checker | None = None,
) -> list[Tree]:
    """The objects of documents that were read already. Of no use where `findings` holds errors.

    `context` are objects that exist beside those that the options name.
    """
    config, known = read_surroundings(options, findings)
    return compile_cluster(
        documents, options, config, [*known, *context], findings, trace=trace, checker=checker, origins=_Faults()
    )


def compile_each(
    paths: list[str], options: Options, findings: Findings, of_file: Callable[[list[Tree]], Any] = list
) -> Iterator[tuple[str, Any]]:
    """Each input file on its own, as if it were the only one: its path, and `of_file` of its objects; None if refused.

    The process that compiles a file calls `of_file`.
    """
    config, context = read_surroundings(options, findings)
    # What is lost without the operator is reported once of all files.
    standalone = without_operator(options)
    surroundings_errors = findings.errors
    files, watcher, findings.progress = expand(paths, findings), findings.progress, None

    def compiled(number: int) -> Any:
        before = findings.errors
        documents = read_inputs([files[number]], findings)
        # One file after the other: none is kept.
        findings.documents.clear()
        objects = compile_cluster(
            documents, options, config, context, findings, origins=_Faults(), standalone=standalone
        )
        return None if surroundings_errors or findings.errors > before else of_file(objects)

    try:
        for number, answer in enumerate(_in_turn(compiled, files, options, findings, standalone)):
            if watcher is not None:
                watcher.step("Rendering", number + 1, len(files))
            yield files[number], answer
    finally:
        findings.progress = watcher
        if standalone is not None:
            standalone.tell(findings)
    tell_unused(options, findings)


def _in_turn(
    compiled: Callable[[int], Any],
    files: list[str],
    options: Options,
    findings: Findings,
    standalone: Standalone | None,
) -> Iterator[Any]:
    """What becomes of each file, whichever process compiles it. Raises WorkerDied where one does not finish.

    Keys that are made at random are the same for all documents of a namespace, so one process makes them.
    """
    jobs = 1 if options.generate_secrets or "-" in files else processes(options.jobs, len(files))
    if jobs == 1:
        yield from map(compiled, range(len(files)))
        return

    given = findings.inputs.found

    def work(number: int) -> tuple[Any, Findings, set[str], bool, dict[str, set[str]]]:
        findings.restart()
        # Each answer would hold the names of all files.
        findings.inputs.found = given & {files[number]}
        answer = compiled(number)
        used = options.previous is not None and options.previous.used
        return answer, findings, options.used_results, used, {} if standalone is None else standalone.lost

    with Forks(work, len(files), jobs) as forks:
        for number in range(len(files)):
            result = forks.result(number)
            # Of a limit on all files together each process sees its own share only.
            if result is None or findings.inputs.size + result[1].inputs.size > limit("input-bytes"):
                yield compiled(number)
                continue
            answer, found, used_results, used, lost = result
            findings.join(found)
            options.used_results |= used_results
            if options.previous is not None:
                options.previous.used |= used
            for what, names in lost.items():
                if standalone is not None:
                    standalone.lost.setdefault(what, set()).update(names)
            yield answer


def tell_unused(options: Options, findings: Findings) -> None:
    """What of the command line belongs to no document."""
    if options.previous is not None:
        options.previous.tell_unused(findings)
    for name in sorted(options.profiling_results.keys() - options.used_results):
        message = (
            f"No DynamoGraphDeploymentRequest {name} takes the profiling result {options.profiling_results[name]}."
        )
        hint = "write --profiling-result NAME=FILE with the name of a request of the input"
        findings.add(Finding("request/unused-result", message, hint=hint))


class _Faults(Origins):
    """Traces a document only where a finding on one of its objects asks for its place in the input."""

    def sources(self, run: Run, document: Document) -> FaultSources:
        """Loads the tracer of `dynamoc explain`."""
        return trace_objects(run, document)

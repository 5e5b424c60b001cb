"""`dynamoc report`: a page or a picture of a rendering; `dynamoc requires`: what the objects need beside them."""

from __future__ import annotations

from dynamoc.analysis.check.run import Checks
from dynamoc.analysis.report.picture import WRITERS, picture_of
from dynamoc.analysis.report.rendering import Sources, rendering_page
from dynamoc.analysis.requires.needs import Requirements
from dynamoc.analysis.requires.requirements import requirements_of, traced_requirements, without_missing
from dynamoc.analysis.requires.text import requirement_blocks, requires_answer, script
from dynamoc.analysis.requires.workload_pods import known_claims
from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.explain.traced_compilation import Explained, explain_documents
from dynamoc.compiler.options import Options, past_errors, read_surroundings
from dynamoc.compiler.run import compile_documents, compile_paths, tell_unused
from dynamoc.documents.emit.files import write_file
from dynamoc.documents.findings.answers import answer_text
from dynamoc.documents.findings.finding import ERROR, Findings
from dynamoc.documents.source.files import read_inputs
from dynamoc.interfaces.cli.check import findings_of, refuse_names
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import (
    DONE,
    ERRORS,
    UsageError,
    conclude,
    print_blocks,
    without_secrets,
    write_stdout,
)
from dynamoc.interfaces.cli.failure import report as report_findings
from dynamoc.interfaces.cli.options import Values


def report(values: Values) -> int:
    """The exit code. With errors there is a page all the same, which shows them first and in their lines, with the
    objects as far as errors let them be known."""
    if values["output"] != "html":
        return graph(values)
    refuse_names(values)
    made = _Made()
    findings, files, closing = findings_of({**values, "update_baseline": False}, {}, made.run)
    text_of, _ = without_secrets(findings)
    sources = Sources(files, text_of)
    _write(rendering_page(made.explained, made.needed, findings.items, sources, made.options), values["page"])
    report_findings(findings, values, "\n".join(closing) or None)
    return ERRORS if any(each.severity == ERROR for each in findings.items) else DONE


class _Made:
    """What comes of the input in one compilation, which is traced and checked; behind errors, in a second one.

    explained, needed   the objects with their origins, and what they need; None where nothing can be known
    """

    options: Options

    def __init__(self) -> None:
        self.explained: Explained | None = None
        self.needed: Requirements | None = None

    def run(self, files: list[str], options: Options, findings: Findings, checks: Checks) -> None:
        """Compiles as `compile_paths` does."""
        self.options = options
        documents, trace = read_inputs(files, findings), Trace()
        explained = explain_documents(documents, options, findings, trace=trace, checker=checks)
        tell_unused(options, findings)
        ignored = Findings()
        if findings.errors != checks.errors:
            ignored, trace = past_errors(findings, options), Trace()
            explained = explain_documents(documents, options, ignored, trace=trace)
            if not explained.objects:
                return
        self.explained = explained
        self.needed = traced_requirements(documents, explained, trace, options, ignored)


def _write(page: str, path: str | None) -> None:
    if path is None:
        write_stdout(page)
        return

    try:
        write_file(path, page.encode(errors="backslashreplace"))
    except OSError as problem:
        raise UsageError(f"--output-file {path}: {problem.strerror}.") from None


def graph(values: Values) -> int:
    """The exit code; the picture is on stdout, findings of the input on stderr."""
    findings = Findings()
    options = compiler_options(values)
    files = input_files(values, findings)
    objects = compile_paths(files, options, findings)
    conclude(findings, values)
    report_findings(findings, values)
    if findings.errors:
        objects = compile_paths(files, options, past_errors(findings, options))
        if not objects:
            return ERRORS
    _, context = read_surroundings(options, Findings())
    picture = picture_of(objects, known_claims(objects, context, options.namespace or "default"))
    _write(WRITERS[values["output"]](picture), values["page"])
    return ERRORS if findings.errors else DONE


def requires(values: Values) -> int:
    """The exit code; the requirements are on stdout, findings of the input on stderr."""
    options = compiler_options(values)
    findings = Findings()
    files = input_files(values, findings)
    documents = read_inputs(files, findings)
    found = requirements_of(documents, options, findings)
    if options.strict_context:
        without_missing(compile_documents(documents, options, Findings()), documents, options, findings)
    conclude(findings, values)
    report_findings(findings, values)
    if findings.errors and not values["keep_going"]:
        if values["output"] == "script":
            # Somebody runs it, and would take it for the whole.
            return ERRORS
        found = requirements_of(documents, options, past_errors(findings, options))
        if not found.roles and not found.objects:
            return ERRORS
    _write_requires(found, values, options)
    fails = values["fail_on"] == "missing" and found.missing > 0
    return ERRORS if findings.errors or fails else DONE


def _write_requires(found: Requirements, values: Values, options: Options) -> None:
    style = values["output"]
    if style == "text":
        print_blocks(requirement_blocks(found), values["color"])
        return

    if style == "json":
        write_stdout(answer_text(requires_answer(found, options.release.name, options.target)))
    else:
        write_stdout(script(found, options.release))

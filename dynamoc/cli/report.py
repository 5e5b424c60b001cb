"""`dynamoc report`: a rendering as a page."""

from __future__ import annotations

from dynamoc.cli.check import findings_of, refuse_names
from dynamoc.cli.compiler_options import compiler_options
from dynamoc.cli.failure import DONE, ERRORS, UsageError
from dynamoc.cli.findings import report as print_findings
from dynamoc.cli.findings import without_secrets
from dynamoc.compilation import Trace
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.finding import ERROR
from dynamoc.explain.traced_compilation import explain_documents
from dynamoc.report.rendering import rendering_page
from dynamoc.report.sources import Sources
from dynamoc.requires.pipeline import traced_requirements
from dynamoc.source.files import read_inputs
from dynamoc.surroundings import past_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.options import Options
    from dynamoc.requires.needs import Requirements


def report(values: Values) -> int:
    """The exit code. With errors there is a page all the same, which shows them first and in their lines, with the
    objects as far as errors let them be known."""
    refuse_names(values)
    options = compiler_options(values)
    findings, files, closing = findings_of({**values, "update_baseline": False}, {})
    text_of, _ = without_secrets(findings)
    explained, needed = _traced(files, compiler_options(values), findings)
    sources = Sources(files, text_of)
    _write(rendering_page(explained, needed, findings.items, sources, options), values["page"])
    print_findings(findings, values, "\n".join(closing) or None)
    return ERRORS if any(each.severity == ERROR for each in findings.items) else DONE


def _traced(files: list[str], options: Options, known: Findings) -> tuple[Explained | None, Requirements | None]:
    """The objects with their origins, and what they need, as far as errors let them be known; None without objects.

    `known` holds what stdin said.
    """
    trace = Trace()
    findings = past_errors(known, options) if known.errors else Findings()
    findings.texts, findings.inputs = known.texts, known.inputs
    documents = read_inputs(files, findings)
    explained = explain_documents(documents, options, findings, trace=trace)
    if findings.errors and not explained.objects:
        return None, None
    return explained, traced_requirements(documents, explained, trace, options, findings)


def _write(page: str, path: str | None) -> None:
    if path is None:
        from dynamoc.cli.output import write_stdout

        write_stdout(page)
        return
    from dynamoc.emit.replace import write_file

    try:
        write_file(path, page.encode(errors="backslashreplace"))
    except OSError as problem:
        raise UsageError(f"--output-file {path}: {problem.strerror}.") from None

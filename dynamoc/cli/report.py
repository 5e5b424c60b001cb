"""`dynamoc report`: a rendering as a page."""

from __future__ import annotations

from dynamoc.cli.check import findings_of, refuse_names
from dynamoc.cli.failure import DONE, ERRORS, UsageError
from dynamoc.cli.findings import report as print_findings
from dynamoc.cli.findings import without_secrets
from dynamoc.compilation import Trace
from dynamoc.compiler import tell_unused
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
    from dynamoc.check.run import Checks
    from dynamoc.cli.option_table import Values
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.options import Options
    from dynamoc.requires.needs import Requirements


def report(values: Values) -> int:
    """The exit code. With errors there is a page all the same, which shows them first and in their lines, with the
    objects as far as errors let them be known."""
    refuse_names(values)
    made = _Made()
    findings, files, closing = findings_of({**values, "update_baseline": False}, {}, made.run)
    text_of, _ = without_secrets(findings)
    sources = Sources(files, text_of)
    _write(rendering_page(made.explained, made.needed, findings.items, sources, made.options), values["page"])
    print_findings(findings, values, "\n".join(closing) or None)
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
        from dynamoc.cli.output import write_stdout

        write_stdout(page)
        return
    from dynamoc.emit.replace import write_file

    try:
        write_file(path, page.encode(errors="backslashreplace"))
    except OSError as problem:
        raise UsageError(f"--output-file {path}: {problem.strerror}.") from None

"""`dynamoc validate`: the findings of `render`, without its output."""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, ERRORS
from dynamoc.cli.findings import formatted, report, visible
from dynamoc.compiler import compile_paths
from dynamoc.diagnostics import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values


def validate(values: Values) -> int:
    findings = Findings()
    files, options = input_files(values, findings), compiler_options(values)
    objects = compile_paths(files, options, findings)
    if options.strict_context:
        from dynamoc.requires.strict import read_again, without_missing

        without_missing(objects, read_again(files, findings), options, findings)
    conclude(findings, values)
    if values["output"] != "text":
        return _print_report(findings, values)
    summary = findings.inputs.summary()
    report(findings, values, summary if visible(findings.items, values) else f"no findings\n{summary}", looked_at=True)
    return ERRORS if findings.errors else DONE


def _print_report(findings: Findings, values: Values) -> int:
    """The report is the command's output; --findings with another format than text writes to stderr as well."""
    from dynamoc.cli.output import write_stdout

    if values["findings"] != "text":
        report(findings, values, looked_at=True)
    write_stdout(formatted(findings, values["output"]))
    return ERRORS if findings.errors else DONE

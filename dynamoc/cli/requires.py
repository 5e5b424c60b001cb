"""`dynamoc requires`: what the rendered objects need and don't bring along."""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, ERRORS
from dynamoc.cli.findings import report
from dynamoc.diagnostics import Findings
from dynamoc.requires.pipeline import requirements_of
from dynamoc.source.files import read_inputs
from dynamoc.surroundings import past_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values
    from dynamoc.options import Options
    from dynamoc.requires.needs import Requirements


def requires(values: Values) -> int:
    """The exit code; the requirements are on stdout, findings of the input on stderr."""
    options = compiler_options(values)
    findings = Findings()
    files = input_files(values, findings)
    documents = read_inputs(files, findings)
    found = requirements_of(documents, options, findings)
    if options.strict_context:
        from dynamoc.compiler import compile_documents
        from dynamoc.requires.strict import without_missing

        without_missing(compile_documents(documents, options, Findings()), documents, options, findings)
    conclude(findings, values)
    report(findings, values)
    if findings.errors and not values["keep_going"]:
        if values["output"] == "script":
            # Somebody runs it, and would take it for the whole.
            return ERRORS
        found = requirements_of(documents, options, past_errors(findings, options))
        if not found.roles and not found.objects:
            return ERRORS
    _write(found, values, options)
    fails = values["fail_on"] == "missing" and found.missing > 0
    return ERRORS if findings.errors or fails else DONE


def _write(found: Requirements, values: Values, options: Options) -> None:
    style = values["output"]
    if style == "text":
        from dynamoc.cli.printing import print_lines
        from dynamoc.requires.text import text_lines

        print_lines(text_lines(found), values["color"])
        return
    from dynamoc.cli.output import write_stdout

    if style == "json":
        write_stdout(_json(found, options))
    else:
        from dynamoc.requires.script import script

        write_stdout(script(found, options.release))


def _json(found: Requirements, options: Options) -> str:
    import json

    from dynamoc.requires.machine import FORMAT, VERSION, requirements_record

    head = {
        "format": FORMAT,
        "version": VERSION,
        "operatorVersion": options.release.name,
        "target": options.target,
    }
    record = {**head, **requirements_record(found, options.release.name)}
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"

"""`dynamoc graph`: a picture of what the operator makes of graphs."""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, ERRORS
from dynamoc.cli.findings import report
from dynamoc.cli.output import write_stdout
from dynamoc.compiler import compile_paths
from dynamoc.diagnostics import Findings
from dynamoc.picture.picture import picture_of
from dynamoc.requires.by_component import known_claims
from dynamoc.surroundings import past_errors, read_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values


def graph(values: Values) -> int:
    """The exit code; the picture is on stdout, findings of the input on stderr."""
    findings = Findings()
    options = compiler_options(values)
    files = input_files(values, findings)
    objects = compile_paths(files, options, findings)
    conclude(findings, values)
    report(findings, values)
    if findings.errors:
        objects = compile_paths(files, options, past_errors(findings, options))
        if not objects:
            return ERRORS
    _, context = read_surroundings(options, Findings())
    picture = picture_of(objects, known_claims(objects, context, options.namespace or "default"))
    if values["output"] == "svg":
        from dynamoc.picture.svg import svg

        write_stdout(svg(picture))
    elif values["output"] == "dot":
        from dynamoc.picture.dot import dot

        write_stdout(dot(picture))
    else:
        from dynamoc.picture.mermaid import mermaid

        write_stdout(mermaid(picture))
    return ERRORS if findings.errors else DONE

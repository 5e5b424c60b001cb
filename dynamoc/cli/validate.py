"""`dynamoc validate`: the findings of `render`, without its output."""

from __future__ import annotations

from dynamoc.cli.failure import DONE, ERRORS
from dynamoc.cli.report import report
from dynamoc.cli.settings import compiler_options, input_files
from dynamoc.compiler import validate_paths
from dynamoc.diagnostics import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.options import Values


def validate(values: Values) -> int:
    findings = Findings()
    validate_paths(input_files(values), compiler_options(values), findings)
    report(findings, values, None if findings.items else "no findings")
    return ERRORS if findings.errors else DONE

"""What is said of the inputs as a whole, once all of them have been read."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values
    from dynamoc.diagnostics import Findings

_HINT = "Give files with a DynamoGraphDeployment or a DynamoComponentDeployment."


def conclude(findings: Findings, values: Values) -> None:
    """Ends the progress line; adds findings about files that were skipped, and about an input without any graph."""
    if findings.progress is not None:
        findings.progress.stop()
    inputs = findings.inputs
    if inputs.skipped:
        from dynamoc.source.skipped import tell_skipped

        tell_skipped(findings)
    if inputs.passed_over:
        from dynamoc.source.skipped import tell_passed_over

        tell_passed_over(findings)
    required = values["require_graphs"]
    if values.get("all_files") and not required:
        # Objects of a cluster are what was asked for.
        return
    if inputs.graphs or (inputs.compiled and not required) or (findings.errors and not required):
        return
    severity = ERROR if required else WARNING
    message = f"No graph found in {', '.join(values['paths'])}."
    findings.add(Finding("input/no-graph", message, severity=severity, hint=_HINT))

"""What dynamoc makes of a golden case."""

from __future__ import annotations

from typing import Any

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Finding, Findings
from tests.golden.cases import Case


def rendered(case: Case, target: str) -> tuple[list[dict[str, Any]], list[Finding]]:
    """The objects and the errors."""
    config = str(case.folder / case.operator_config) if case.operator_config else None
    findings = Findings()
    options = Options(operator_version=case.release, target=target, operator_config=config)
    # The operator was run without an API server that judges what it sends.
    options.refused_objects = "warn" if case.commit else "error"
    objects = compile_paths([str(case.input)], options, findings)
    return objects, [item for item in findings.items if item.severity == "error"]

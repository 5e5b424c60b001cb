"""`dynamoc convert`, `dynamoc capture` and `dynamoc lsp`."""

from __future__ import annotations

from dynamoc.admission.convert.command import Converted, convert_paths
from dynamoc.compiler.generations.document import EarlyFiles
from dynamoc.documents.findings.finding import ERROR, Findings
from dynamoc.interfaces.cli.compiler_options import jobs_of, watch
from dynamoc.interfaces.cli.failure import DONE, ERRORS, IMPOSSIBLE, UsageError, conclude, report, write_stdout
from dynamoc.interfaces.cli.options import Values


def convert(values: Values) -> int:
    if values["write"] and values["check"]:
        raise UsageError("--write and --check cannot be combined: --check changes nothing.")
    if values["modeline"] and (values["check"] or values["output"] == "json"):
        raise UsageError("--modeline writes comments: it cannot be combined with --check or -o json.")
    findings = Findings()
    findings.inputs.follows_links = values["load_restrictor"] == "none"
    try:
        converted = _converted(values, findings)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}.") from error
    except ValueError as problem:
        from dynamoc.admission.convert.round_trip import NoModeline

        if not isinstance(problem, NoModeline):
            raise
        raise UsageError(f"--modeline: {problem}") from None
    conclude(findings, values)
    report(findings, values)
    if findings.errors:
        differs = all(item.severity != ERROR or item.slug == "convert/other-version" for item in findings.items)
        return IMPOSSIBLE if values["check"] and not differs else ERRORS
    if converted.text:
        write_stdout(converted.text)
    return DONE


def _converted(values: Values, findings: Findings) -> Converted:
    jobs, lossless = jobs_of(values["jobs"]), values["lossless"]
    early = EarlyFiles(values["image"], values["graph_archive"], findings, lossless=lossless)
    return convert_paths(
        values["paths"],
        values["to"],
        findings,
        write=values["write"],
        check=values["check"],
        lossless=lossless,
        output=values["output"],
        exclude=values["exclude"],
        watch=watch,
        others=early,
        jobs=jobs,
        modeline=values["modeline"] or None,
    )

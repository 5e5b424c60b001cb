"""`dynamoc upgrade`: what becomes of running graphs when another release of the operator takes over."""

from __future__ import annotations

from dynamoc.check.run import Watch
from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, IMPOSSIBLE, UsageError
from dynamoc.cli.findings import report
from dynamoc.cli.option_table import LATEST
from dynamoc.cli.printing import limit_of, print_lines
from dynamoc.compare.ignore import BUILT_IN
from dynamoc.compare.outcomes import OUTCOMES, outcomes
from dynamoc.compare.reasons import Reasons
from dynamoc.compare.upgrade import compare_releases
from dynamoc.compare.verdicts import REFUSED, verdicts
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.finding import ERROR
from dynamoc.diagnostics.printable import whole_lines
from dynamoc.release.known_releases import ORDER, is_newer
from dynamoc.source.files import read_inputs
from dynamoc.surroundings import EXACTNESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values
    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.compare.verdicts import GraphVerdict
    from dynamoc.diagnostics.finding import Finding
    from dynamoc.options import Options

OUTCOME = 1
NEVER = "never"
#: what --fail-on takes: this outcome or a worse one
_LEVELS = (*OUTCOMES, NEVER)


def upgrade(values: Values) -> int:
    """The exit code: 1 for an outcome that --fail-on names or a worse one, 2 where not all could be compared."""
    _check(values)
    old, new = _options(values, "old_release"), _options(values, "new_release")
    _check_direction(values, old.release.name, new.release.name)
    findings = Findings()
    documents = read_inputs(input_files(values, findings), findings)
    patterns = [*BUILT_IN, *values["ignore"]] if values["use_ignores"] else []
    try:
        found = compare_releases(
            documents,
            old,
            new,
            fresh=values["fresh"],
            ignores=patterns,
            progress=findings.progress,
            checker=Watch(),
        )
    except ValueError as error:
        raise UsageError(f"--ignore: {error}.") from None
    for item in found.before.items:
        if item.severity == ERROR or item.slug in EXACTNESS:
            findings.add(item)
    # What is wrong with the configuration holds for every document, and so does what the release rests on.
    for item in found.after.items:
        if (item.severity == ERROR and _is_in(item, new.operator_config)) or item.slug in EXACTNESS:
            findings.add(item)
    conclude(findings, values)
    report(findings, values)
    # Tracing where values come from takes longer than the rest.
    reasons = None if values["summary"] else Reasons(found)
    graphs = verdicts(found, reasons)
    _write(found, graphs, values, findings)
    if findings.errors:
        return IMPOSSIBLE
    return OUTCOME if _fails(graphs, values["fail_on"] or [REFUSED]) else DONE


def _check(values: Values) -> None:
    if not values["old_release"]:
        raise UsageError("--from VERSION is missing: give the release of the operator that runs now.")
    for name in values["fail_on"]:
        if name not in _LEVELS:
            raise UsageError(f"--fail-on {name} is not known; use one of {', '.join(_LEVELS)}.")


def _check_direction(values: Values, old: str, new: str) -> None:
    """Where the default of --to is no step ahead, the command line must name a release."""
    if values["new_release"] != LATEST or is_newer(new, old):
        return
    later = [name for name in ORDER if is_newer(name, old)]
    known = f"Set --to to {' or '.join(later)}" if later else "dynamoc knows no newer release"
    raise UsageError(f"--to is by default {new} (`latest`), which is not newer than --from {old}. {known}.")


def _options(values: Values, which: str) -> Options:
    flag = {"old_release": "--from", "new_release": "--to"}[which]
    config = values["operator_config"]
    if which == "new_release":
        config = values["new_operator_config"] or config
    given = {**values, "operator_version": values[which], "operator_config": config}
    return compiler_options(given, flag).place_passed()


def _is_in(finding: Finding, file: str | None) -> bool:
    return finding.place is not None and finding.place.file == file


def _fails(graphs: list[GraphVerdict], wanted: list[str]) -> bool:
    """Whether an outcome as bad as the mildest level happens, or a worse one."""
    limit = max(map(_LEVELS.index, wanted))
    return wanted != [NEVER] and any(outcomes(graphs)[name] for name in OUTCOMES[: limit + 1])


def _write(found: Upgrade, graphs: list[GraphVerdict], values: Values, findings: Findings) -> None:
    style, summary = values["output"], values["summary"]
    if style == "text":
        from dynamoc.compare.upgrade_text import text_lines

        print_lines(text_lines(found, graphs, summary=summary), values["color"])
        return
    from dynamoc.cli.output import write_stdout

    if style == "json":
        import json

        from dynamoc.compare.upgrade_machine import upgrade_record

        record = upgrade_record(found, graphs, fresh=values["fresh"], summary=summary)
        write_stdout(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    elif style == "html":
        from dynamoc.cli.findings import without_secrets
        from dynamoc.report.sources import Sources
        from dynamoc.report.upgrading import upgrade_page

        files = (document.file for document in found.documents)
        sources = Sources(files, without_secrets(findings)[0])
        write_stdout(upgrade_page(found, graphs, findings.items, sources))
    else:
        from dynamoc.compare.upgrade_markdown import markdown

        write_stdout(whole_lines(markdown(found, graphs, limit_of(values), summary=summary)))

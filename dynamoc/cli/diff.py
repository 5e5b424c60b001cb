"""`dynamoc diff`: what differs between two renderings, and what it restarts."""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, IMPOSSIBLE, UsageError
from dynamoc.cli.findings import report, without_secrets
from dynamoc.cli.printing import limit_of, print_lines
from dynamoc.cli.sides import sides_of
from dynamoc.compare.conditions import Conditions, target_text
from dynamoc.compare.ignore import BUILT_IN
from dynamoc.compare.renderings import Rendered, compare_sides, findings_of_both
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.printable import whole_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values
    from dynamoc.cli.sides import Side
    from dynamoc.compare.changed_input import ChangedLine
    from dynamoc.compare.result import Comparison
    from dynamoc.compiler import Options

DIFFERENT = 1


def diff(values: Values) -> int:
    """The exit code: 0 same, 1 different, 2 where errors of the new side keep something from being compared.

    Errors of the old side do not: what it lacks for them is new.
    """
    old, new = sides_of(
        values["paths"],
        values["exclude"],
        follows_links=values["load_restrictor"] == "none",
        all_files=values["all_files"],
    )
    options = compiler_options(values)
    before = _rendered(old, compiler_options(values).place_passed())
    after = _rendered(new, compiler_options(values).place_passed(), before)
    findings = findings_of_both(before.findings, after.findings)
    errors = findings.errors
    conclude(findings, values)
    report(findings, values, read=_text_of)
    if before.findings.errors:
        # What both sides have is reported of one, and not compared in either.
        without_secrets(before.findings, _text_of)
    failed = bool(after.findings.errors) or findings.errors > errors
    if failed and not values["keep_going"]:
        return IMPOSSIBLE
    patterns = [*BUILT_IN, *values["ignore"]] if values["use_ignores"] else []
    try:
        comparison = compare_sides(before, after, options, patterns)
    except ValueError as error:
        raise UsageError(f"--ignore: {error}.") from None
    if _costs_lines(values):
        comparison.lines = _lines(comparison, before, after)
    conditions = Conditions(options.release.name, target_text(options.target, after.objects), findings.items)
    if values["output"] == "html":
        _write_page(comparison, (old, before), (new, after), conditions)
    else:
        _write(comparison, old, new, values, conditions)
    if failed:
        return IMPOSSIBLE
    return DONE if comparison.same or values["exit_zero"] else DIFFERENT


def _rendered(side: Side, options: Options, old: Rendered | None = None) -> Rendered:
    findings = Findings()
    return Rendered(side.documents(findings), options, findings, old=old, relative=side.relative)


def _costs_lines(values: Values) -> bool:
    """Whether the output tells of lines; the files of `kubectl diff` are not those that somebody wrote."""
    return not (values["summary"] or values["output"] == "unified" or values["all_files"])


def _lines(comparison: Comparison, before: Rendered, after: Rendered) -> list[ChangedLine] | None:
    from dynamoc.compare.anchors import Anchors
    from dynamoc.compare.line_costs import line_costs

    return line_costs(before, after, comparison, Anchors(_text_of).behind)


def _write(comparison: Comparison, old: Side, new: Side, values: Values, conditions: Conditions) -> None:
    style = values["output"]
    if style == "text":
        from dynamoc.compare.text import text_lines

        print_lines(text_lines(comparison, summary=values["summary"]), values["color"])
        return
    from dynamoc.cli.output import write_stdout

    if style == "json":
        write_stdout(_json(comparison, old, new, conditions, values))
    elif style == "unified":
        from dynamoc.compare.unified import unified

        write_stdout(whole_lines(unified(comparison)))
    else:
        from dynamoc.compare.markdown import markdown

        title = f"dynamoc diff {old.label} → {new.label}"
        text = markdown(comparison, title, limit_of(values), summary=values["summary"], conditions=conditions)
        write_stdout(whole_lines(text))


def _write_page(
    comparison: Comparison, old: tuple[Side, Rendered], new: tuple[Side, Rendered], conditions: Conditions
) -> None:
    from dynamoc.cli.output import write_stdout
    from dynamoc.report.comparison import comparison_page
    from dynamoc.report.sources import Sources

    files = [dict.fromkeys(document.file for document in side.documents) for _, side in (old, new)]
    names = [{side.relative(file): file for file in files[at]} for at, (side, _) in enumerate((old, new))]
    pairs = [(names[0].get(name), names[1].get(name)) for name in {**names[1], **names[0]}]
    title = f"dynamoc diff {old[0].label} → {new[0].label}"
    sources = Sources(files[0], _text_of, "j"), Sources(files[1], _text_of)
    write_stdout(comparison_page(comparison, title, new[1].objects, (*sources, pairs), conditions))


def _json(comparison: Comparison, old: Side, new: Side, conditions: Conditions, values: Values) -> str:
    import json

    from dynamoc.compare.machine import FORMAT, VERSION, comparison_record

    record = {
        "format": FORMAT,
        "version": VERSION,
        "old": old.label,
        "new": new.label,
        "operatorVersion": conditions.release,
        "target": values["target"],
        **comparison_record(comparison),
    }
    if values["summary"]:
        del record["objects"]
    else:
        from dynamoc.compare.line_words import line_records

        record["lines"] = None if comparison.lines is None else line_records(comparison.lines)
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _text_of(place: str) -> str | None:
    """Excerpts come from disk, or from the revision that a file was read from."""
    import os

    if os.path.lexists(place):
        from dynamoc.source.files import text_again

        return text_again(place)
    from dynamoc.compare.revisions import text_at

    return text_at(place)

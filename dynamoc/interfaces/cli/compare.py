"""`dynamoc diff`, `dynamoc upgrade`, and `dynamoc-diff`, the program that `kubectl diff` runs as KUBECTL_EXTERNAL_DIFF.

kubectl gives its two directories first, then the words of KUBECTL_EXTERNAL_DIFF that consist of letters, digits, `-`
and `=`; it drops others without a message, such as `1.4`. So further options come from another variable.
Source: k8s.io/kubectl pkg/cmd/diff, DiffProgram.
"""

from __future__ import annotations

import os
import shlex
import sys

from dynamoc.analysis.check.run import Watch
from dynamoc.analysis.compare.answer import diff_answer, upgrade_answer
from dynamoc.analysis.compare.comparison import BUILT_IN, Conditions, target_text
from dynamoc.analysis.compare.edits import Anchors
from dynamoc.analysis.compare.line_causes import line_costs
from dynamoc.analysis.compare.reasons import Reasons
from dynamoc.analysis.compare.renderings import Rendered, compare_sides, findings_of_both
from dynamoc.analysis.compare.result import Comparison
from dynamoc.analysis.compare.text import comparison_blocks, comparison_markdown
from dynamoc.analysis.compare.unified import unified
from dynamoc.analysis.compare.upgrade import Upgrade, compare_releases
from dynamoc.analysis.compare.upgrade_text import OUTCOMES, outcomes, upgrade_blocks, upgrade_markdown
from dynamoc.analysis.compare.verdicts import REFUSED, GraphVerdict, verdicts
from dynamoc.analysis.report.comparison import comparison_page, upgrade_page
from dynamoc.analysis.report.rendering import Sources
from dynamoc.compiler.options import EXACTNESS, Options
from dynamoc.documents.findings.answers import ABSENT, answer_text, json_lines
from dynamoc.documents.findings.finding import ERROR, Finding, Findings
from dynamoc.documents.findings.text import whole_lines
from dynamoc.documents.source.files import read_inputs, text_again
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import (
    DONE,
    IMPOSSIBLE,
    UsageError,
    conclude,
    limit_of,
    print_blocks,
    report,
    without_secrets,
    write_stdout,
)
from dynamoc.interfaces.cli.options import LATEST, Values
from dynamoc.interfaces.cli.release import diff_releases
from dynamoc.interfaces.cli.sides import Side, sides_of, text_at
from dynamoc.reference.releases import ORDER, is_newer

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
        comparison.lines = line_costs(before, after, comparison, Anchors(_text_of).behind)
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
    """Whether the output shows lines; the files of `kubectl diff` are not those of a user."""
    return not (values["summary"] or values["output"] == "unified" or values["all_files"])


def _write(comparison: Comparison, old: Side, new: Side, values: Values, conditions: Conditions) -> None:
    style = values["output"]
    if style == "text":
        print_blocks(comparison_blocks(comparison, summary=values["summary"]), values["color"])
    elif style in ("json", "jsonl"):
        answer = diff_answer(comparison, (old.label, new.label), conditions.release, values["target"])
        if values["summary"]:
            answer.objects = answer.lines = ABSENT
        write_stdout(answer_text(answer) if style == "json" else json_lines(answer))
    elif style == "unified":
        write_stdout(whole_lines(unified(comparison)))
    else:
        title = f"dynamoc diff {old.label} → {new.label}"
        limit, summary = limit_of(values), values["summary"]
        text = comparison_markdown(comparison, title, limit, summary=summary, conditions=conditions)
        write_stdout(whole_lines(text))


def _write_page(
    comparison: Comparison, old: tuple[Side, Rendered], new: tuple[Side, Rendered], conditions: Conditions
) -> None:
    files = [dict.fromkeys(document.file for document in side.documents) for _, side in (old, new)]
    names = [{side.relative(file): file for file in files[at]} for at, (side, _) in enumerate((old, new))]
    pairs = [(names[0].get(name), names[1].get(name)) for name in {**names[1], **names[0]}]
    title = f"dynamoc diff {old[0].label} → {new[0].label}"
    sources = Sources(files[0], _text_of, "j"), Sources(files[1], _text_of)
    write_stdout(comparison_page(comparison, title, new[1].objects, (*sources, pairs), conditions))


def _text_of(place: str) -> str | None:
    """Excerpts come from disk, or from the revision that a file was read from."""
    if os.path.lexists(place):
        return text_again(place)

    return text_at(place)


OPTIONS = "DYNAMOC_DIFF_OPTIONS"


def use_command_line() -> int:
    """Makes the words of this process those of `dynamoc diff`. Raises UsageError for an open quote."""
    try:
        options = shlex.split(os.environ.get(OPTIONS, ""))
    except ValueError as problem:
        raise UsageError(f"{OPTIONS} cannot be split into words: {problem}.") from None
    # The settings of whoever owns the directory of kubectl's files, /tmp, are not the user's.
    os.environ["DYNAMOC_SETTINGS"] = "none"
    sys.argv[1:] = ["diff", "--all-files", *options, *sys.argv[1:]]
    return DONE


OUTCOME = 1
NEVER = "never"
#: what --deny takes: this outcome or a worse one
_LEVELS = (*OUTCOMES, NEVER)


def upgrade(values: Values) -> int:
    """The exit code: 1 for an outcome that --deny names or a worse one, 2 where not all could be compared."""
    if not values["old_release"]:
        raise UsageError("--from VERSION is missing: give the release of the operator that runs now.")
    if not values["paths"]:
        if values["output"] not in ("text", "json"):
            raise UsageError(f"-o {values['output']} needs PATH: without one, upgrade compares two releases.")
        return diff_releases(values["old_release"], values["new_release"], values["output"])
    old, new = _options(values, "old_release"), _options(values, "new_release")
    _check_direction(values, old.release.name, new.release.name)
    findings = Findings()
    documents = read_inputs(input_files(values, findings), findings)
    patterns = [*BUILT_IN, *values["ignore"]] if values["use_ignores"] else []
    try:
        found = compare_releases(
            documents, old, new, fresh=values["fresh"], ignores=patterns, progress=findings.progress, checker=Watch()
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
    _write_upgrade(found, graphs, values, findings)
    if findings.errors:
        return IMPOSSIBLE
    return OUTCOME if _fails(graphs, values["fail_on"] or [REFUSED]) else DONE


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


def _write_upgrade(found: Upgrade, graphs: list[GraphVerdict], values: Values, findings: Findings) -> None:
    style, summary = values["output"], values["summary"]
    if style == "text":
        print_blocks(upgrade_blocks(found, graphs, summary=summary), values["color"])
    elif style in ("json", "jsonl"):
        answer = upgrade_answer(found, graphs, fresh=values["fresh"], summary=summary)
        write_stdout(answer_text(answer) if style == "json" else json_lines(answer))
    elif style == "html":
        files = (document.file for document in found.documents)
        sources = Sources(files, without_secrets(findings)[0])
        write_stdout(upgrade_page(found, graphs, findings.items, sources))
    else:
        write_stdout(whole_lines(upgrade_markdown(found, graphs, limit_of(values), summary=summary)))

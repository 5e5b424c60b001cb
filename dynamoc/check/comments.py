"""Findings against the comments in their files."""

from __future__ import annotations

from dynamoc.check.selection import is_known, is_named, may_be_ignored
from dynamoc.diagnostics.change import Change
from dynamoc.diagnostics.finding import Finding

_MARKER = "dynamoc:"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.check.ignores import Ignore
    from dynamoc.diagnostics import Findings
    from dynamoc.diagnostics.excerpt import ReadText


def apply_comments(findings: Findings, files: list[str], text_of: ReadText) -> list[str]:
    """Leaves out what comments switch off, and reports comments that do nothing; a line for each that did."""
    by_file = {file: found for file in files if (found := _comments(file, text_of))}
    findings.items = [finding for finding in findings.items if not _is_ignored(finding, by_file)]
    said = []
    for ignore in (each for file in sorted(by_file) for each in by_file[file]):
        if ignore.used:
            said.append(f"{ignore.place}: ignored {', '.join(ignore.names)}: {ignore.reason}")
        else:
            findings.add(_useless(ignore))
    return said


def _comments(file: str, text_of: ReadText) -> list[Ignore]:
    text = text_of(file) or ""
    if _MARKER not in text:
        return []
    # Loads the whole of PyYAML, which few files are worth.
    from dynamoc.check.ignores import ignores_in

    return ignores_in(file, text)


def _is_ignored(finding: Finding, by_file: dict[str, list[Ignore]]) -> bool:
    place = finding.place
    if place is None or not may_be_ignored(finding):
        return False
    for ignore in by_file.get(place.file, ()):
        if ignore.reason and ignore.first <= place.line <= ignore.last and is_named(finding.slug, ignore.names):
            ignore.used = True
            return True
    return False


def _useless(ignore: Ignore) -> Finding:
    unknown = [name for name in ignore.names if not is_known(name)]
    if not ignore.names or unknown:
        what = f"`{unknown[0]}` is not the name of a finding" if unknown else "it names no finding"
        message = f"The comment switches nothing off: {what}."
        hint = "write `# dynamoc: ignore NAME: reason`; `dynamoc finding` lists the names"
    elif not ignore.reason:
        message = "The comment switches nothing off: it gives no reason."
        hint = f"write `# dynamoc: ignore {', '.join(ignore.names)}: reason`"
    else:
        message = f"The comment switches nothing off: there is no {' or '.join(ignore.names)} here."
        return Finding("check/useless-comment", message, place=ignore.place, hint="remove it", change=Change("comment"))
    return Finding("check/useless-comment", message, place=ignore.place, hint=hint)

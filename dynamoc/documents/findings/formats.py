"""Findings in the formats for programs, by name.

Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format;
https://docs.oasis-open.org/sarif/sarif/v2.1.0/, and what GitHub reads of it (Code security, SARIF support);
the JUnit schema of Jenkins (xunit plugin, junit-10.xsd); checkstyle's XMLLogger.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dynamoc import __version__
from dynamoc.documents.findings.answers import answer_text, format_json, json_lines, records
from dynamoc.documents.findings.edits import Fix
from dynamoc.documents.findings.finding import ERROR, Finding, Place, subject_first
from dynamoc.documents.findings.text import Excerpts, arrange, cut, fingerprints, one_line, whole_lines
from dynamoc.reference.findings import Entry, entries, markdown_of


def format_as(
    style: str, findings: list[Finding], excerpts: Excerpts, inputs: dict[str, int] | None = None, part: str = ""
) -> str:
    """A whole document; for `github` and `jsonl`, lines. Secrets must be hidden already.

    `inputs` is for `json`, `part` for `sarif`: which one of the parts of a run it is, such as `3/16`.
    """
    if style == "sarif":
        return format_sarif(findings, excerpts, part)
    if style == "jsonl":
        return json_lines({"findings": records(arrange(findings), excerpts)})
    if style == "gitlab":
        return format_gitlab(findings, excerpts)
    if style in ("junit", "checkstyle"):
        return format_junit(findings) if style == "junit" else format_checkstyle(findings)

    return format_github(findings) if style == "github" else format_json(findings, inputs, excerpts)


_CHECKSTYLE = {"error": "error", "warning": "warning", "note": "info"}
#: where a finding about no file is shown
_NO_FILE = "dynamoc"


def format_junit(findings: list[Finding]) -> str:
    """A test suite a file, a test case a finding: errors are failures; warnings and notes pass, with their text.

    Without findings there is one test case, which passed.
    """
    root = Element("testsuites", name="dynamoc")
    for file, found in _by_file(findings).items():
        failures = sum(finding.severity == ERROR for finding in found)
        suite = SubElement(root, "testsuite", name=file, tests=str(len(found)), failures=str(failures), errors="0")
        for finding in found:
            _case(suite, file, finding)
    if not len(root):
        suite = SubElement(root, "testsuite", name="dynamoc", tests="1", failures="0", errors="0")
        SubElement(suite, "testcase", classname="dynamoc", name="no findings")
    return _text(root)


def _case(suite: Element, file: str, finding: Finding) -> None:
    name = f"{finding.slug} {_where(finding)}".strip()
    case = SubElement(suite, "testcase", classname=file, name=name)
    if finding.place is not None and finding.place.file == file:
        case.set("file", file)
        case.set("line", str(finding.place.line))
    if finding.severity == ERROR:
        failure = SubElement(case, "failure", type=finding.slug, message=one_line(finding.message))
        failure.text = _told(finding)
    else:
        SubElement(case, "system-out").text = f"{finding.severity}: {_told(finding)}"


def format_checkstyle(findings: list[Finding]) -> str:
    """A file element a file, with an error element a finding, whose severity is error, warning or info."""
    root = Element("checkstyle", version=__version__)
    for file, found in _by_file(findings).items():
        holder = SubElement(root, "file", name=file)
        for finding in found:
            error = SubElement(holder, "error")
            if finding.place is not None and finding.place.file == file:
                error.set("line", str(finding.place.line))
                error.set("column", str(finding.place.column))
            error.set("severity", _CHECKSTYLE[finding.severity])
            error.set("message", _told(finding))
            error.set("source", finding.slug)
    return _text(root)


def _by_file(findings: list[Finding]) -> dict[str, list[Finding]]:
    files: dict[str, list[Finding]] = {}
    for finding in cut(arrange(findings), lambda finding: finding.severity):
        files.setdefault(file_of(finding) or _NO_FILE, []).append(finding)
    return files


def file_of(finding: Finding) -> str | None:
    """The file that a finding is shown at: that which a piped document names as its source counts."""
    if finding.place is None:
        return None
    name = finding.place.source or finding.place.file
    return "stdin" if name == "-" else one_line(name)


def _where(finding: Finding) -> str:
    place = finding.place
    return f"{place.line}:{place.column}" if place is not None else one_line(finding.subject or "")


def _told(finding: Finding) -> str:
    lines = finding.whole_message.split("\n") + ([f"hint: {finding.hint}"] if finding.hint else [])
    return "\n".join(map(one_line, lines))


def _text(root: Element) -> str:
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def format_gitlab(findings: list[Finding], excerpts: Excerpts) -> str:
    """A list with an entry for each finding. GitLab needs a path and a line; without a place these are `.` and 1."""
    told = cut(arrange(findings), lambda finding: finding.severity)
    prints = fingerprints(told, excerpts)
    return answer_text([_entry(*pair) for pair in zip(told, prints, strict=True)], ascii_only=True)


def _entry(finding: Finding, fingerprint: str) -> dict[str, object]:
    hint = f" ({finding.hint})" if finding.hint else ""
    place = finding.place
    return {
        "description": one_line(" ".join(finding.whole_message.split("\n")) + hint),
        "check_name": finding.slug,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": (file_of(finding) or ".").removeprefix("./"),
            "lines": {"begin": place.line if place is not None and not place.source else 1},
        },
    }


ANNOTATIONS = 10
_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}


def format_github(findings: list[Finding]) -> str:
    """One workflow command a finding, which GitHub shows beside the line of a pull request.

    GitHub takes 10 of each severity from a step; the others are lines of the log.
    Source: docs.github.com, limitations of problem matchers and annotations.
    """
    arranged = arrange(findings)
    told = cut(arranged, lambda finding: finding.severity)
    lines, shown = [], dict.fromkeys(_GITHUB, 0)
    for finding in told:
        shown[finding.severity] += 1
        lines.append((_command if shown[finding.severity] <= ANNOTATIONS else _log_line)(finding))
    if len(told) < len(arranged):
        more = len(arranged) - len(told)
        lines.append(f"{more:,} more findings are not shown; --limit findings=NUMBER shows more")
    return "".join(f"{line}\n" for line in lines)


def _log_line(finding: Finding) -> str:
    where = str(finding.place) if finding.place else finding.subject or "dynamoc"
    message = one_line(f"{finding.severity}: {subject_first(finding)} [{finding.slug}]")
    return whole_lines(f"{one_line(where)}: {message}")


def _command(finding: Finding) -> str:
    properties: dict[str, str] = {"title": finding.slug}
    if finding.place and finding.place.file != "-":
        file, line, column = finding.place.key()
        properties = {"file": file, "line": str(line), "col": str(column), "title": finding.slug}
    elif finding.place and finding.place.source:
        properties = {"file": finding.place.source, "title": finding.slug}
    listed = ",".join(f"{key}={_property(one_line(value))}" for key, value in properties.items())
    lines = [subject_first(finding), *(f"- {point}" for point in finding.points)]
    if finding.hint is not None:
        lines.append(f"hint: {finding.hint}")
    message = "\n".join(map(one_line, lines))
    return f"::{_GITHUB.get(finding.severity, 'notice')} {listed}::{_data(message)}"


def _data(text: str) -> str:
    """Escapes of github.com/actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def format_sarif(findings: list[Finding], excerpts: Excerpts, part: str = "") -> str:
    """One run, with a rule for each finding that it has; places are relative to the current directory.

    Runs of parts have different names, which code scanning adds up.
    """
    arranged = arrange(findings)
    told = cut(arranged, lambda finding: finding.severity)
    rules: dict[str, int] = {slug: index for index, slug in enumerate(sorted({finding.slug for finding in told}))}
    prints = fingerprints(told, excerpts)
    listed = [_rule(entries()[slug]) for slug in rules]
    driver = {"name": "dynamoc", "version": __version__, "rules": listed}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        **({"automationDetails": {"id": f"dynamoc/{part.replace('/', '-of-')}/"}} if part else {}),
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, rules, print_, excerpts) for finding, print_ in zip(told, prints, strict=True)],
    }
    if len(told) < len(arranged):
        notice = f"{len(arranged) - len(told)} more findings are not shown; --limit findings=NUMBER shows more"
        run["invocations"] = [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [{"level": "warning", "message": {"text": notice}}],
            }
        ]
    return answer_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ascii_only=True)


def _rule(entry: Entry) -> dict[str, Any]:
    text = f"{entry.why}\n\nWhat to do: {entry.remedy}"
    return {
        "id": entry.slug,
        "shortDescription": {"text": entry.summary},
        "fullDescription": {"text": f"{entry.summary} {entry.why}"},
        "help": {"text": text, "markdown": markdown_of(entry)},
        "defaultConfiguration": {"level": entry.severities[0]},
    }


def _result(finding: Finding, rules: dict[str, int], fingerprint: str, excerpts: Excerpts) -> dict[str, Any]:
    text = finding.whole_message + (f"\n\n{finding.hint[:1].upper()}{finding.hint[1:]}" if finding.hint else "")
    result: dict[str, Any] = {
        "ruleId": finding.slug,
        "ruleIndex": rules[finding.slug],
        "level": finding.severity,
        "message": {"text": text},
        "partialFingerprints": {"dynamoc/v1": fingerprint},
    }
    if finding.place is not None:
        location = _location(finding.place, excerpts.end_column(finding.place, finding.subject))
        if finding.subject:
            name = {"fullyQualifiedName": finding.subject, "kind": "object"}
            location["logicalLocations"] = [name]
        result["locations"] = [location]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix)]
    if finding.related:
        result["relatedLocations"] = [
            {"id": index + 1, **_location(place, None)} for index, place in enumerate(finding.related)
        ]
    return result


def _fix(fix: Fix) -> dict[str, Any]:
    """All edits of a fix are in one file."""
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column,
                "endLine": edit.end_line,
                "endColumn": edit.end_column,
            },
            "insertedContent": {"text": edit.new_text},
        }
        for edit in fix.edits
    ]
    change = {"artifactLocation": _artifact(fix.edits[0].file), "replacements": replacements}
    return {"description": {"text": f"{fix.title}."}, "artifactChanges": [change]}


def _location(place: Place, end: int | None) -> dict[str, Any]:
    """A place in piped input is one of a file where it names one, as Helm does, whose lines are others."""
    if place.file == "-" or place.source:
        return {"physicalLocation": {"artifactLocation": _artifact(place.source or "stdin")}}
    region = {"startLine": place.line, "startColumn": place.column}
    if end is not None:
        region["endColumn"] = end
    return {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": region}}


def _artifact(file: str) -> dict[str, str]:
    path = os.path.relpath(file) if os.path.isabs(file) else os.path.normpath(file)
    path = path.replace(os.sep, "/")
    if path.startswith("../"):
        return {"uri": "file://" + _quoted(os.path.abspath(file).replace(os.sep, "/"))}
    return {"uri": _quoted(path)}


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))

"""Findings as SARIF 2.1.0, which GitHub's code scanning and many editors take.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/, and what GitHub reads of it (Code security, SARIF support).
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from dynamoc import __version__
from dynamoc.diagnostics.arrange import arrange, cut
from dynamoc.diagnostics.catalog.entry import Entry, entries
from dynamoc.diagnostics.catalog.words import markdown_of
from dynamoc.diagnostics.edit import Fix
from dynamoc.diagnostics.excerpt import Excerpts
from dynamoc.diagnostics.finding import Finding, Place
from dynamoc.diagnostics.fingerprint import fingerprints

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def format_sarif(findings: list[Finding], excerpts: Excerpts) -> str:
    """One run, with a rule for each finding that it has; places are relative to the current directory."""
    arranged = arrange(findings)
    told = cut(arranged, lambda finding: finding.severity)
    rules: dict[str, int] = {slug: index for index, slug in enumerate(sorted({finding.slug for finding in told}))}
    prints = fingerprints(told, excerpts)
    listed = [_rule(entries()[slug]) for slug in rules]
    driver = {"name": "dynamoc", "semanticVersion": __version__, "rules": listed}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
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
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


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

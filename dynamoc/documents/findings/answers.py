"""Answers for programs: dataclasses as JSON, with keys in camel case; and the report of findings.

There is a key for each field. Where results have more than programs see, `KEYS` lists what the answer has, in its
order: `name` of a field or a property, `name=other.name` for a value elsewhere, `name?` where an empty text means null,
`[name]` where null or an empty tuple means that there is no key.
`python -m tools.reports` writes the schemas of the reports from these classes and their docstrings.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from dynamoc.documents.findings.finding import Finding, Place, format_path
from dynamoc.documents.findings.text import SEVERITIES, Excerpts, arrange, count, cut, fingerprints


class _Absent:
    def __bool__(self) -> bool:
        return False


#: the default of a field whose key may be missing, and its value where it is
ABSENT: Any = _Absent()


class OneOf:
    """In an annotation: the only values of a field, or all keys of a mapping."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        found = handler(schema)
        if found.get("type") != "object":
            return {"const": self.values[0]} if len(self.values) == 1 else {"enum": list(self.values)}
        properties = dict.fromkeys(self.values, found["additionalProperties"])
        return {"type": "object", "properties": properties, "required": list(self.values)}


def answer_text(answer: Any, *, ascii_only: bool = False) -> str:
    """An answer, or plain data, as an indented JSON document."""
    return json.dumps(plain(answer), indent=2, ensure_ascii=ascii_only) + "\n"


def json_lines(answer: Any) -> str:
    """The items of all lists of an answer, each in a line with the name of its list: what can be joined and split."""
    lines = []
    for name, found in plain(answer).items():
        if isinstance(found, dict):
            lines.append(json_lines(found))
        elif isinstance(found, list):
            lines += [json.dumps({"list": name, **item}, ensure_ascii=False) + "\n" for item in found]
    return "".join(lines)


def plain(answer: Any) -> Any:
    """An answer as mappings, lists and scalars."""
    if answer is None or isinstance(answer, str | int | float):
        return answer
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple | frozenset):
        return [plain(value) for value in (sorted(answer) if isinstance(answer, frozenset) else answer)]
    found = {}
    for key, path, nullable, optional in _keys(answer.__class__):
        value = _value(answer, path)
        if nullable and value == "":
            value = None
        if value is not ABSENT and not (optional and (value is None or value == ())):
            found[key] = plain(value)
    return found


def _value(answer: Any, path: list[str]) -> Any:
    for step in path:
        answer = answer.get(step) if isinstance(answer, dict) else getattr(answer, step, None)
    return answer


@cache
def _keys(kind: type) -> list[tuple[str, list[str], bool, bool]]:
    """The keys of a class, each with the path to its value, and what the marks of its word say."""
    found = []
    for word in words_of(kind):
        name, _, path = word.strip("[]").partition("=")
        found.append((key_of(name.rstrip("?")), (path or name.rstrip("?")).split("."), "?" in word, word[0] == "["))
    return found


def words_of(kind: Any) -> list[str]:
    """Those of `KEYS`, else the fields, those of bases first."""
    if hasattr(kind, "KEYS"):
        return str(kind.KEYS).split()
    if not hasattr(kind, "__match_args__"):
        raise TypeError(f"{kind} is no dataclass")
    return [name for base in reversed(kind.__mro__) for name in base.__dict__.get("__slots__", ())]


def key_of(name: str) -> str:
    """`oldName` of `old_name`, and `from` of `from_`, which Python keeps for itself."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(map(str.capitalize, rest))


FORMAT = "dynamoc-findings"
VERSION = 1
"""Raised when a key changes its meaning or goes; new keys come without notice."""


@dataclass(slots=True)
class FindingPlace:
    """A position in a file; lines and columns count from 1.

    file        `-` for stdin
    source      the file that the text was made from, where a stream names it
    end_column  behind the word that the finding points at
    """

    KEYS = "file=place.file line=place.line column=place.column [source?=place.source] end_column"
    place: Place
    end_column: int | None = ABSENT


@dataclass(slots=True)
class FindingRecord:
    """A finding.

    slug         its name; `dynamoc finding NAME` explains it
    hint         what to do
    path         keys and positions in the document
    subject      `Kind/name` of the document
    related      other places that belong to it
    fix          the certain remedy; all edits, or none
    fingerprint  stays the same when lines are added above
    """

    KEYS = (
        "slug=finding.slug severity=finding.severity message=finding.whole_message hint=finding.hint place"
        " path=finding.path field subject=finding.subject related [fix=finding.fix] fingerprint"
    )
    finding: Finding
    place: FindingPlace | None
    related: list[FindingPlace]
    fingerprint: str | None = ABSENT

    @property
    def field(self) -> str:
        """`path` as text"""
        return format_path(self.finding.path)


@dataclass(slots=True, kw_only=True)
class FindingsReport:
    """`dynamoc validate -o json`, `dynamoc check -o json` and `--findings json`

    version    rises when a key changes its meaning or is removed
    counts     findings by severity
    inputs     what was looked at
    not_shown  findings above the limit
    """

    format: Annotated[str, OneOf(FORMAT)] = FORMAT
    version: Annotated[int, OneOf(VERSION)] = VERSION
    counts: Annotated[dict[str, int], OneOf(*SEVERITIES)]
    inputs: Annotated[dict[str, int], OneOf("files", "graphs", "others", "skipped")] = ABSENT
    not_shown: int = ABSENT
    findings: list[FindingRecord]


def format_json(findings: list[Finding], inputs: dict[str, int] | None = None, excerpts: Excerpts | None = None) -> str:
    """One document, with the findings in the order of the text format.

    `inputs` counts what was looked at, where that is known: see `Inputs.record`. With `excerpts`, findings have
    fingerprints, and their places the column behind the word that they point at.
    """
    arranged = arrange(findings)
    told = cut(arranged, lambda finding: finding.severity)
    report = FindingsReport(
        counts=count(arranged),
        inputs=ABSENT if inputs is None else inputs,
        not_shown=len(arranged) - len(told) or ABSENT,
        findings=records(told, excerpts),
    )
    return answer_text(report, ascii_only=True)


def records(findings: list[Finding], excerpts: Excerpts | None = None) -> list[FindingRecord]:
    """The findings as reports have them."""
    prints = fingerprints(findings, excerpts) if excerpts else [ABSENT] * len(findings)
    return [_record(*pair, excerpts) for pair in zip(findings, prints, strict=True)]


def _record(finding: Finding, fingerprint: str | None, excerpts: Excerpts | None) -> FindingRecord:
    place = FindingPlace(finding.place) if finding.place else None
    if excerpts and place and place.place.file != "-":
        place.end_column = excerpts.end_column(place.place, finding.subject)
    return FindingRecord(finding, place, list(map(FindingPlace, finding.related)), fingerprint)

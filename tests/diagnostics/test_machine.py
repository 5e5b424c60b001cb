from __future__ import annotations

import json

from dynamoc.documents.findings.answers import format_json
from dynamoc.documents.findings.finding import Finding, Place
from dynamoc.documents.findings.formats import format_github

FOUND = Finding(
    "schema/type",
    "100% wrong,\nsee: this",
    severity="error",
    place=Place("a,b:c.yaml", 3, 4),
    hint="write 2",
    path=("spec", "services", "w", "envs", 0),
    subject="DynamoGraphDeployment/g",
    related=(Place("x.yaml", 1, 2),),
)


def test_github_gets_as_many_commands_as_it_takes_and_the_others_as_text() -> None:
    found = [
        Finding("schema/type", f"wrong {at}", severity="error", place=Place("a.yaml", at, 1)) for at in range(1, 13)
    ]
    found.append(Finding("schema/type", "odd", severity="warning", place=Place("::error::.yaml", 1, 1)))
    lines = format_github(found).splitlines()
    assert [line.startswith("::error ") for line in lines[1:]] == [True] * 10 + [False] * 2
    assert lines[-1] == "a.yaml:12:1: error: wrong 12 [schema/type]"
    assert sum(line.startswith("::warning ") for line in lines) == 1


def test_json_holds_all_of_a_finding() -> None:
    assert json.loads(format_json([FOUND, FOUND])) == {
        "format": "dynamoc-findings",
        "version": 1,
        "counts": {"error": 1, "warning": 0, "note": 0},
        "findings": [
            {
                "slug": "schema/type",
                "severity": "error",
                "message": "100% wrong,\nsee: this",
                "hint": "write 2",
                "place": {"file": "a,b:c.yaml", "line": 3, "column": 4},
                "path": ["spec", "services", "w", "envs", 0],
                "field": "spec.services.w.envs[0]",
                "subject": "DynamoGraphDeployment/g",
                "related": [{"file": "x.yaml", "line": 1, "column": 2}],
            }
        ],
    }


def test_json_of_nothing_is_a_document_too() -> None:
    assert json.loads(format_json([]))["findings"] == []


def test_github_commands_are_escaped_and_one_line() -> None:
    assert format_github([FOUND]) == (
        "::error file=a%2Cb%3Ac.yaml,line=3,col=4,title=schema/type::100%25 wrong,\\nsee: this%0Ahint: write 2\n"
    )


def test_github_has_no_file_for_stdin_and_calls_a_note_a_notice() -> None:
    assert (
        format_github([Finding("a/b", "Odd.", severity="note", place=Place("-", 1, 1))]) == "::notice title=a/b::Odd.\n"
    )

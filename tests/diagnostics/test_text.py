from __future__ import annotations

import re

import pytest

from dynamoc.documents.findings.finding import Finding, Place
from dynamoc.documents.findings.text import WIDTH, format_text
from dynamoc.documents.source.secrets import conceal

TEXT = "kind: DynamoGraphDeployment\nspec:\n  services:\n\tWorker: {replcias: 2}\n"


def shown(*findings: Finding, text: str = TEXT, colour: bool = False) -> str:
    read = {"g.yaml": text}.get
    return format_text(list(findings), read, conceal(list(findings), read), colour=colour)


def finding(
    line: int = 1, column: int = 1, message: str = "Wrong.", severity: str = "error", **more: object
) -> Finding:
    place = Place("g.yaml", line, column)
    return Finding("test/slug", message, severity=severity, place=place, **more)  # type: ignore[arg-type]


def test_a_finding_shows_place_sentence_line_and_what_to_write() -> None:
    found = finding(3, 3, hint="write `replicas`", related=(Place("g.yaml", 1, 7),))
    assert shown(found) == (
        "g.yaml:3:3: error: Wrong. [test/slug]\n"
        "  3 |   services:\n"
        "    |   ^~~~~~~~\n"
        "  hint: write `replicas`\n"
        "  see also: g.yaml:1:7\n"
        "1 error\n"
    )


def test_a_finding_without_a_place_names_its_subject() -> None:
    assert shown(Finding("a/b", "Odd.", severity="note", subject="Pod/x")) == "Pod/x: note: Odd. [a/b]\n1 note\n"
    assert shown(Finding("a/b", "Odd.", severity="note")) == "dynamoc: note: Odd. [a/b]\n1 note\n"


def test_nothing_found_prints_nothing() -> None:
    assert shown() == ""


def test_findings_are_sorted_by_place_and_folded() -> None:
    unplaced = Finding("a/b", "Last.", severity="warning")
    output = shown(
        unplaced, finding(9, message="C."), finding(2, 5), finding(2, 1, "A."), finding(2, 5), finding(2, 5, "B.")
    )
    heads = [line for line in output.splitlines() if "[" in line]
    assert heads == [
        "g.yaml:2:1: error: A. [test/slug]",
        "g.yaml:2:5: error: B. [test/slug]",
        "g.yaml:2:5: error: Wrong. [test/slug]",
        "g.yaml:9:1: error: C. [test/slug]",
        "dynamoc: warning: Last. [a/b]",
    ]
    assert output.endswith("\n4 errors, 1 warning\n")


def test_the_same_said_of_several_places_is_told_once() -> None:
    assert shown(*(finding(number) for number in (3, 1, 2))).splitlines()[2:] == [
        "    | ^~~~",
        "  also at:  g.yaml:2:1",
        "  also at:  g.yaml:3:1",
        "3 errors",
    ]
    assert "  and 4 more" in shown(*(finding(number) for number in range(1, 11)))
    apart = shown(finding(1, hint="a"), finding(2, hint="b"))
    assert "also at" not in apart


@pytest.mark.parametrize(("line", "column"), [(0, 1), (99, 1)])
def test_a_place_outside_of_the_file_has_no_excerpt(line: int, column: int) -> None:
    assert shown(finding(line, column)).splitlines()[1:] == ["1 error"]


def test_a_column_beyond_the_line_points_at_its_end() -> None:
    assert shown(finding(2, 99)).splitlines()[1:3] == ["  2 | spec:", "    |      ^"]


def test_tabs_and_wide_letters_keep_the_marker_below_its_letter() -> None:
    assert shown(finding(4, 11)).splitlines()[1:3] == ["  4 |  Worker: {replcias: 2}", "    |           ^~~~~~~~"]
    wide = shown(finding(1, 4), text="名前: x")
    assert wide.splitlines()[1:3] == ["  1 | 名前: x", "    |      ^"]


def test_a_long_line_is_cut_around_the_column() -> None:
    line, marker = shown(finding(1, 501), text="a" * 500 + "X" + " b" * 400).splitlines()[1:3]
    assert line[marker.index("^")] == "X"
    assert len(line) < WIDTH + 20
    assert line.startswith("  1 | ...")
    assert line.endswith("...")


def test_input_cannot_steer_the_terminal() -> None:
    output = shown(finding(1, 1, "Bad \x1b[2J and \u202e"), text="a\x1b]0;x\x07: b")
    assert "\x1b" not in output
    assert "\x07" not in output
    assert "\u202e" not in output


def test_colours_change_no_text() -> None:
    import re

    found = finding(3, 3, hint="h", related=(Place("g.yaml", 1, 7),))
    coloured = shown(found, colour=True)
    assert "\x1b[1;31merror:\x1b[0m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == shown(found)


@pytest.mark.parametrize(
    "secret",
    [
        "kind: Secret\ndata: {a: aHVudGVyMg==}",
        "data: {a: aHVudGVyMg==}\nkind: 'Secret'",
        '{"kind" : "Secret",\n"data": {"a": "aHVudGVyMg=="}}',
        "kind: List\nitems:\n- data: {a: aHVudGVyMg==}\n  kind: Secret",
        "kind:\n  Secret\ndata: {a: aHVudGVyMg==",
        "kind: !!str Secret\ndata: {a: aHVudGVyMg==}",
        "kind: &kind Secret\ndata: {a: aHVudGVyMg==}",
        "kind: # of all kinds\n  Secret\ndata: {a: aHVudGVyMg==}",
        'kind: "\\x53ecret"\ndata: {a: aHVudGVyMg==}',
        "? kind\n: Secret\ndata: {a: aHVudGVyMg==}",
        "kind: !!str Secret\ndata: {a: aHVudGVyMg==",
        'kind: "\\x53ecret"\ndata: {a: aHVudGVyMg==',
    ],
)
def test_documents_with_secrets_are_never_shown(secret: str) -> None:
    text = f"kind: A\n---\n{secret}\n---\nkind: B\n"
    lines = text.split("\n")
    inside = next(number for number, line in enumerate(lines, 1) if "aHVu" in line)
    assert "aHVu" not in shown(finding(inside), text=text)
    assert "1 | kind: A" in shown(finding(1), text=text)
    last = lines.index("kind: B") + 1
    assert f"{last} | kind: B" in shown(finding(last), text=text)


def test_a_finding_about_a_secret_shows_no_line() -> None:
    assert "|" not in shown(finding(1, subject="Secret/token"))


def test_long_sentences_are_wrapped_on_a_terminal_and_nowhere_else() -> None:
    long = finding(message="A value of the file is wrong in many words. " * 5, hint="write another value " * 8)
    narrow = format_text([long], {"g.yaml": TEXT}.get, {}, width=60)
    assert all(len(line) <= 60 for line in narrow.splitlines())
    assert narrow.split() == shown(long).split()
    assert shown(long).splitlines()[0].endswith("[test/slug]")


def test_colours_do_not_count_where_lines_are_wrapped() -> None:
    long = finding(message="Several words. " * 10)
    plain = format_text([long], {"g.yaml": TEXT}.get, {}, width=60).splitlines()
    coloured = format_text([long], {"g.yaml": TEXT}.get, {}, width=60, colour=True).splitlines()
    assert [re.sub("\x1b\\[[0-9;]*m", "", line) for line in coloured] == plain


def test_the_generated_object_stands_at_the_end() -> None:
    about = finding(message="Wrong.")
    about.made = "Pod/a spec.containers[0]"
    assert shown(about).startswith("g.yaml:1:1: error: Wrong. (Pod/a spec.containers[0]) [test/slug]\n")


@pytest.mark.parametrize(("severity", "heads"), [("warning", 1), ("error", 6)])
def test_what_differs_in_names_and_numbers_is_told_once(severity: str, heads: int) -> None:
    said = "Component{0} needs more GPUs than its {0} pods have in all."
    found = [finding(2, 3, said.format(number), severity, path=("spec", number)) for number in range(6)]
    output = shown(*found)
    assert output.count("[test/slug]") == heads
    assert f"6 {severity}s" in output


def test_many_related_places_are_counted() -> None:
    output = shown(finding(related=tuple(Place("g.yaml", line, 1) for line in range(1, 50))))
    assert output.count("see also") == 5
    assert "  and 44 more\n" in output

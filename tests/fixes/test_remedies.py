"""Each finding that says it is fixable is gone after `check --fix`, and nothing else has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.findings.finding import Finding, Place
from dynamoc.reference.findings import Entry, entries
from tests.cli.conftest import Run
from tests.diagnostics.test_hints import follow
from tests.fixes.cases import CASES

FIXABLE = [entry for entry in entries().values() if entry.fix]
#: those that need a text of their own: the example has no certain remedy
OF_CASES = {slug for slug, _ in CASES}
SHOWN = [
    entry for entry in entries().values() if entry.example and entry.example.wrong.words[0] in ("check", "validate")
]


#: the old object of the example is one that the webhooks refuse as well
_BEHIND = ("update/provider-override",)


def _report(dynamoc: Run, words: list[str]) -> list[dict[str, Any]]:
    result = dynamoc("check", *words, "-o", "json")
    found: list[dict[str, Any]] = json.loads(result.out)["findings"] if result.out.startswith("{") else []
    return found


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry.slug)
def test_examples_have_the_fixes_that_the_catalogue_says(entry: Entry, dynamoc: Run) -> None:
    assert entry.example is not None
    for name, text in entry.example.wrong.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    words = entry.example.wrong.words[1:]
    found = _report(dynamoc, words)
    fixed = {each["slug"] for each in found if "fix" in each}
    assert {slug for slug in fixed if not entries()[slug].fix} == set()
    if not entry.fix or entry.slug in OF_CASES:
        return
    assert entry.slug in fixed
    before = Path("graph.yaml").read_text(encoding="utf-8")
    result = dynamoc("check", *words, "--fix", "--only", entry.slug)
    assert Path("graph.yaml").read_text(encoding="utf-8") != before
    assert f"[{entry.slug}]" not in result.err
    assert "fixed " in result.err
    left = _report(dynamoc, words)
    assert entry.slug not in {each["slug"] for each in left}
    assert _errors(left) <= _errors(found)


def _errors(found: list[dict[str, Any]]) -> set[str]:
    """Without what examples about other fields leave out: commands, which are looked for once a graph is accepted."""
    return {each["slug"] for each in found if each["severity"] == "error"} - {"check/no-command"}


@pytest.mark.slow
def test_hints_of_the_catalogue_are_right_if_followed(dynamoc: Run) -> None:
    """Of each example, if its hint names what to write: it ends the finding, and no error is new."""
    wrong, followed = [], 0
    for entry in SHOWN:
        assert entry.example is not None
        for name, text in entry.example.wrong.files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        words = entry.example.wrong.words[1:]
        before = _report(dynamoc, words)
        meant = next((each for each in before if each["slug"] == entry.slug and each["place"] and each["hint"]), None)
        text = None if meant is None else _followed(meant, Path("graph.yaml"))
        if text is not None:
            followed += 1
            Path("graph.yaml").write_text(text, encoding="utf-8")
            after = _report(dynamoc, words)
            # The same may be wrong in another place.
            same = [sum(each["slug"] == entry.slug for each in found) for found in (before, after)]
            new = _errors(after) - _errors(before)
            if same[1] >= same[0] or (new and entry.slug not in _BEHIND):
                wrong.append((entry.slug, meant and meant["hint"], new))
        for path in [path for path in Path.cwd().rglob("*") if path.is_file()]:
            path.unlink()
    assert wrong == [], "\n".join(map(str, wrong))
    assert followed > 15


def _followed(finding: dict[str, Any], file: Path) -> str | None:
    place = finding["place"]
    if Path(place["file"]).name != file.name or not file.exists():
        return None
    shown = Finding(
        finding["slug"], "", place=Place(place["file"], place["line"], place["column"]), hint=finding["hint"]
    )
    return follow(file.read_text(encoding="utf-8"), shown)


def test_each_fixable_finding_is_tried() -> None:
    assert {entry.slug for entry in FIXABLE} <= OF_CASES | {entry.slug for entry in SHOWN}
    assert {entry.slug for entry in FIXABLE} >= OF_CASES


@pytest.mark.parametrize(("slug", "texts"), CASES, ids=[slug for slug, _ in CASES])
def test_a_remedy_is_applied_byte_by_byte(slug: str, texts: tuple[str, str], dynamoc: Run) -> None:
    wrong, right = texts
    Path("a.yaml").write_text(wrong)
    release = "1.0" if "v1alpha1" in wrong and "gpu-request" in slug else "1.4"
    words = ["a.yaml", "--operator-version", release, "--target", "grove"]
    assert slug in {each["slug"] for each in _report(dynamoc, words)}
    dynamoc("check", *words, "--fix", "--only", slug)
    assert Path("a.yaml").read_text() == right
    assert slug not in {each["slug"] for each in _report(dynamoc, words)}
    again = dynamoc("check", *words, "--fix", "--only", slug)
    assert "nothing to fix" in again.err
    assert Path("a.yaml").read_text() == right


@pytest.mark.parametrize(
    "field",
    [
        "annotations: {a: b}  # until we move",
        "annotations:  # until we move\n      a: b",
        "annotations:\n      a: b  # c",
    ],
)
def test_no_comment_is_lost_with_a_field(field: str, dynamoc: Run) -> None:
    wrong, _ = dict(CASES)["request/ignored"]
    Path("a.yaml").write_text(wrong.replace("annotations: {a: b}", field))
    found = [
        each for each in _report(dynamoc, ["a.yaml", "--operator-version", "1.4"]) if each["slug"] == "request/ignored"
    ]
    assert found
    assert not any("fix" in each for each in found)


@pytest.mark.parametrize("release", ["1.2", "1.3", "1.4"])
def test_what_the_job_repeats_is_left_as_it_is(release: str, dynamoc: Run) -> None:
    """The arguments of the profiling Job hold the whole request."""
    example = entries()["request/ignored"].example
    assert example is not None
    text = example.wrong.files["graph.yaml"]
    Path("graph.yaml").write_text(text)
    options = ("--operator-version", release)
    rendered = dynamoc("render", "graph.yaml", *options).out
    result = dynamoc("check", "graph.yaml", "--fix", *options)
    assert "[request/ignored]" in result.err
    assert dynamoc("render", "graph.yaml", *options).out == rendered != ""

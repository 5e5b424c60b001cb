"""Every finding is declared once, its example raises it, and what follows from the catalogue is up to date."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from dynamoc.documents.schema.cel import RULES, TRANSITIONS, slug
from dynamoc.reference.findings import Entry, Malformed, entries, entry_of
from dynamoc.reference.findings import Run as ExampleRun
from tests.cli.conftest import Run
from tools import severities

ROOT = Path(__file__).parents[2]
ENTRIES = entries()
SHOWN = [entry for entry in ENTRIES.values() if entry.example]
ELSEWHERE = [entry for entry in ENTRIES.values() if not entry.example]


#: a message can have several lines: the name is at the end of the last
_FINDING = re.compile(r"(?:^|: )(error|warning|note): [^\x00]*?\[([a-z0-9-]+/[a-z0-9-]+)\]$", re.MULTILINE)


def _reported(dynamoc: Run, run: ExampleRun) -> set[str]:
    """`slug severity` of what a command reports in text."""
    for name, text in run.files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    result = dynamoc(*run.words)
    assert result.code in (0, 1, 2), result.err
    assert not result.err.startswith("dynamoc: error: --"), result.err
    found = _FINDING.findall(result.out + result.err)
    return {f"{slug} {severity}" for severity, slug in found}


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry.slug)
def test_the_wrong_example_raises_the_finding_and_the_right_one_does_not(entry: Entry, dynamoc: Run) -> None:
    assert entry.example is not None
    wrong = _reported(dynamoc, entry.example.wrong)
    assert any(f"{entry.slug} {severity}" in wrong for severity in entry.severities), wrong
    for path in [path for path in Path.cwd().rglob("*") if path.is_file()]:
        path.unlink()
    right = _reported(dynamoc, entry.example.right)
    assert entry.slug not in {reported.partition(" ")[0] for reported in right}
    assert {reported for reported in right if reported.endswith(" error")} == set()


@pytest.mark.parametrize("entry", ELSEWHERE, ids=lambda entry: entry.slug)
def test_a_finding_without_an_example_is_raised_by_the_test_that_it_names(entry: Entry) -> None:
    file, _, name = entry.test.partition("::")
    assert name.startswith("test_")
    source = (ROOT / file).read_text(encoding="utf-8")
    [found] = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef) and node.name == name]
    # The parameters of a test are part of it.
    text = "\n".join(ast.unparse(part) for part in (*found.decorator_list, found))
    assert entry.slug in text


def test_few_findings_have_no_example() -> None:
    assert len(ELSEWHERE) < len(ENTRIES) / 10


def test_what_is_generated_is_up_to_date() -> None:
    assert severities.FILE.read_text() == severities.text(), "run python -m tools.severities"


def test_the_source_raises_every_finding_and_no_other() -> None:
    """Each name is written out somewhere; those of CEL rules are the names of the functions that judge them."""
    written = {slug(rule) for rule in (*RULES.values(), *(rule for rule, _ in TRANSITIONS.values()))}
    written |= set((ROOT / "dynamoc" / "reference" / "yaml-errors.txt").read_text().split())
    written |= scanned().texts
    assert [name for name in ENTRIES if name not in written] == []


_WHOLE = {"severity": "error", "summary": "S.", "why": "W.", "remedy": "R.", "since": "0.1.0", "test": "t.py::t"}


@pytest.mark.parametrize(
    ("slug", "page", "change", "words"),
    [
        ("read/tab", "admission", {}, "in TOPIC.toml"),
        ("read/Tab", "read", {}, "write `TOPIC/NAME`"),
        ("read/tab", "read", {"why": ""}, "add why"),
        ("read/tab", "read", {"severity": "fatal"}, "severity is one of"),
        ("read/tab", "read", {"severity": ["error", "note"]}, "with `decides`"),
        ("read/tab", "read", {"test": ""}, "either an example or the test"),
        ("read/tab", "read", {"wrong": "a: b"}, "either an example or the test"),
    ],
)
def test_an_entry_that_lacks_something_is_refused(slug: str, page: str, change: dict[str, str], words: str) -> None:
    with pytest.raises(Malformed, match=re.escape(words)):
        entry_of(slug, page, {**_WHOLE, **change})


_RAISES = {
    "Finding",
    "Problem",
    "Refusal",
    "add",
    "error",
    "find",
    "finding",
    "note",
    "refuse",
    "refuse_pair",
    "report",
}
_RAISES |= {"stop", "warn", "warning"}


def test_no_finding_has_a_name_that_is_put_together() -> None:
    """A formatted name could not be looked up in the catalogue; a type that is cast would hide it from mypy."""
    assert scanned().formatted == []


def test_the_search_finds_a_formatted_name() -> None:
    code = (
        "review.error(f'admission/{what}', path, f'`{a}/{b}` is wrong.')\nreport.stop(mark, 'read/' + what, message)\n"
    )
    assert len(_formatted_names(list(ast.walk(ast.parse(code))))) == 2


def _formatted_names(nodes: list[ast.AST]) -> list[ast.expr]:
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    raising = [call for call in calls if getattr(call.func, "attr", getattr(call.func, "id", "")) in _RAISES]
    return [argument for call in raising for argument in call.args[:3] if _is_formatted_name(argument)]


def _is_formatted_name(argument: ast.expr) -> bool:
    if not isinstance(argument, ast.JoinedStr | ast.BinOp):
        return False
    texts = [part.value for part in ast.walk(argument) if isinstance(part, ast.Constant)]
    return bool(texts) and all(isinstance(text, str) and re.fullmatch(r"[a-z0-9/-]*", text) for text in texts)


def test_every_name_that_the_code_gives_a_finding_is_in_the_catalogue() -> None:
    """What mypy would say of a typo."""
    assert scanned().unknown == []


class Scanned(NamedTuple):
    """Of the source: all texts, calls that put a name together, and names that are not in the catalogue."""

    texts: set[str]
    formatted: list[str]
    unknown: list[str]


@cache
def scanned() -> Scanned:
    found = Scanned(set(), [], [])
    for path in (ROOT / "dynamoc").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        constants = (node.value for node in nodes if isinstance(node, ast.Constant))
        found.texts.update(text for text in constants if isinstance(text, str))
        found.formatted.extend(f"{path.name}:{name.lineno}" for name in _formatted_names(nodes))
        found.unknown.extend(f"{path.name}:{line} {text}" for line, text in _unknown_names(nodes))
    return found


_TOPICS = {slug.partition("/")[0] for slug in ENTRIES}


def _unknown_names(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in _RAISING:
            for part in (*node.args, *(each.value for each in node.keywords)):
                text = part.value if isinstance(part, ast.Constant) else None
                if isinstance(text, str) and text.partition("/")[0] in _TOPICS and "/" in text and " " not in text:
                    yield from () if text in ENTRIES else ((node.lineno, text),)


_RAISING = ("Finding", "Problem", "Refusal", "error", "warn", "note", "find", "fault", "problem", "refuse_pair")

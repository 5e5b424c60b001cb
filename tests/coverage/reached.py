"""What no golden record depends on, and whether the tests that `reached.toml` names do.

`python -m tests.coverage.reached [records|tests]` prints what is wrong. It runs in a process of its own: what is
switched off may stay in tables that the program fills once.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.coverage.switches import Switch, switches, watched
from tests.golden.cases import Case, cases
from tests.golden.rendering import rendered

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("reached.toml")


def table() -> tuple[dict[Switch, str], dict[Switch, str]]:
    """The test that fails without it, as pytest names it; and why nothing depends on it."""
    kinds = tomllib.loads(FILE.read_text())
    idle = kinds.pop("idle", {})
    tests, reasons = (
        {Switch(kind, name): text for kind, entries in tables.items() for name, text in entries.items()}
        for tables in (kinds, idle)
    )
    return tests, reasons


def records() -> list[str]:
    """What is in no table and without which each golden case is the same; and entries of the table that are wrong."""
    named, idle = table()
    known = switches()
    wrong = [f"{switch.name} is not there any more" for switch in (*named, *idle) if switch not in known]
    reached = reached_by_golden([switch for switch in known if switch not in named])
    wrong += [f"{switch.name} is reached: it is not idle" for switch in idle if switch in reached]
    return wrong + [
        f"{switch.name} of the {switch.kind}: add a golden case, or a test and its name to reached.toml"
        for switch in known
        if switch not in reached and switch not in named and switch not in idle
    ]


def reached_by_golden(wanted: list[Switch]) -> set[Switch]:
    """Those without which a golden case is another one."""
    everything = [(case, target) for case in cases() for target in case.targets]
    answers: list[Any] = []
    asked: dict[Switch, set[int]] = {}

    def note(switch: Switch) -> bool:
        asked.setdefault(switch, set()).add(len(answers))
        return False

    for case, target in everything:
        with watched(note):
            answers.append(_answer(case, target))

    def is_reached(off: Switch) -> bool:
        with watched(lambda switch: switch == off):
            return any(_answer(*everything[number]) != answers[number] for number in sorted(asked.get(off, ())))

    return set(filter(is_reached, wanted))


def _answer(case: Case, target: str) -> Any:
    try:
        objects, errors = rendered(case, target)
        return case.shown(objects), len(errors)
    except Exception as problem:
        return repr(problem)


class Judge:
    """A plugin of pytest that runs each test of the table twice: it passes, and fails without what it is named for."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items if isinstance(item, pytest.Function)}
        named, _ = table()
        passing = {name for name in set(named.values()) & set(items) if _passes(items[name], None)}
        for off, name in named.items():
            if name not in items:
                self.problems.append(f"{off.name}: there is no {name}")
            elif name not in passing:
                self.problems.append(f"{off.name}: {name} does not pass")
            elif _passes(items[name], off):
                self.problems.append(f"{off.name}: {name} passes without it")
        return True


def _passes(item: pytest.Function, off: Switch | None) -> bool:
    """Whether a test passes, in a process of its own that prints nothing."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    status = 1
    try:
        with watched(lambda switch: switch == off):
            item._initrequest()
            status = int(any(report.failed for report in runtestprotocol(item, nextitem=None, log=False)))
    finally:
        os._exit(status)


def tests() -> list[str]:
    """What is wrong with the tests of the table."""
    judge = Judge()
    options = ["-q", "-m", "", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--rootdir", str(ROOT)]
    files = sorted({str(ROOT / name.partition("::")[0]) for name in table()[0].values()})
    # Modules with plugins are imported here already.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*options, *files], plugins=[judge])
    return judge.problems if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else [f"pytest: {code}"]


QUESTIONS = {"records": records, "tests": tests}


def main(words: list[str]) -> int:
    found = [line for word in words or QUESTIONS for line in QUESTIONS[word]()]
    print(*found, sep="\n", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

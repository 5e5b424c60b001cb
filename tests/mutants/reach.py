"""Which lines a probe runs: a probe is a test of the suite, or one case of a recorded corpus on one target."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from tests.conformance.corpora import SHARED, outcome_of
from tests.conformance.known import known_differences

Line = tuple[str, int]


class Probe:
    """`passes` is False where the program no longer does what was recorded or asserted; `cost` is in seconds."""

    def __init__(self, name: str, passes: Callable[[], bool]) -> None:
        self.name = name
        self.passes = passes
        self.cost = 0.0
        self.lines: set[Line] = set()

    def trace(self, files: frozenset[str]) -> bool:
        """Runs it once and keeps the lines of `files` that it ran; whether it passed."""
        with traced(files) as self.lines:
            passed = self.passes()
        begin = time.perf_counter()
        passed = passed and self.passes()
        self.cost = time.perf_counter() - begin
        return passed


@contextmanager
def traced(files: frozenset[str]) -> Iterator[set[Line]]:
    lines: set[Line] = set()

    def local(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def enter(frame: FrameType, *_: Any) -> Any:
        return local if frame.f_code.co_filename in files else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield lines
    finally:
        sys.settrace(before)


def corpus_probes(every: int) -> list[Probe]:
    """Each n-th input of each corpus, on each of its targets; none where the corpora are not there."""
    known = known_differences()
    probes = []
    for path in sorted(SHARED.glob("*/corpus.json")):
        corpus = path.parent.name
        inputs = sorted((path.parent / "inputs").glob("*.yaml"))[::every]
        for target in json.loads(path.read_text())["targets"]:
            for file in inputs:
                name = f"{corpus}/{target}/{file.stem}"
                if not any(entry.matches(name) for entry in known):
                    probes.append(Probe(name, _exact(corpus, target, file)))
    return probes


def _exact(corpus: str, target: str, file: Path) -> Callable[[], bool]:
    def passes() -> bool:
        outcome = outcome_of(corpus, target, file)
        return outcome is None or outcome.exact

    return passes

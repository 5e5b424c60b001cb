"""Which lines a probe runs: a probe is a test of the suite, or one case of a recorded corpus on one target."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.conformance.corpora import SHARED, outcome_of
from tests.conformance.known import known_differences
from tools.mutants.live import Functions

Line = tuple[str, int]
#: what modules call the notes of their lines
_HITS = "__hits__"


class Probe:
    """`passes` is False where the program no longer does what was recorded or asserted; `cost` is in seconds."""

    def __init__(self, name: str, passes: Callable[[], bool]) -> None:
        self.name = name
        self.passes = passes
        self.cost = 0.0


class Notes:
    """Functions that note each line of theirs that runs. Nothing undoes it, so it is for a process of its own."""

    def __init__(self, files: Iterable[Path], functions: Functions) -> None:
        self._lines: list[Line] = []
        self._hits = bytearray()
        for file in files:
            tree = ast.parse(file.read_text())
            tree.body = self._noting(tree.body, str(file), inside=False)
            functions.change(ast.fix_missing_locations(tree), file, {_HITS: self._hits})
        self._hits.extend(bytes(len(self._lines)))

    def reached_by(self, probe: Probe) -> list[Line]:
        """The lines that a probe reaches; sets its cost. None of a probe that does not pass: it could judge nothing."""
        self._hits[:] = bytes(len(self._lines))
        begin = time.perf_counter()
        passed = probe.passes()
        probe.cost = time.perf_counter() - begin
        return [line for line, hit in zip(self._lines, self._hits, strict=True) if hit and passed]

    def _noting(self, body: list[ast.stmt], file: str, *, inside: bool) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            if inside:
                note = ast.parse(f"{_HITS}[{len(self._lines)}] = 1").body[0]
                self._lines.append((file, statement.lineno))
                result.append(ast.copy_location(note, statement))
            result.append(statement)
            within = inside or isinstance(statement, ast.FunctionDef)
            for part in (statement, *getattr(statement, "handlers", ())):
                for field in ("body", "orelse", "finalbody"):
                    if getattr(part, field, None):
                        setattr(part, field, self._noting(getattr(part, field), file, inside=within))
        return result


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

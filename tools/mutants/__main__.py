"""Random mutants of the operator's behaviour, each judged by what reaches its line: `python -m tools.mutants`.

One process imports everything, runs all tests and recorded cases once to learn which lines each of them reaches, and
then forks for each mutant: the child changes one function and runs recorded cases first, tests after them, until one
fails. See README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tools.mutants.live import Functions
from tools.mutants.mutations import Mutant, mutants_of, mutated
from tools.mutants.reach import Line, Notes, Probe, corpus_probes

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "rendering/rules",
    "rendering/lower",
    "admission/webhooks",
    "documents/apiserver",
    "admission/convert",
)
#: the tests of what these packages do
TESTS = (
    "golden", "rules", "hub", "webhooks", "apiserver", "convert", "releases", "release", "standalone", "compiler",
    "cluster", "schema", "kube", "explain", "requires", "compare", "cli",
)  # fmt: skip
EXPLAINED = Path(__file__).with_name("explained.toml")
#: recorded cases that judge a mutant before tests do, and seconds that all of its judges may take
_CASES, _SECONDS = 60, 30
KILLED, SURVIVED, UNREACHED, EXPLAINABLE = "killed", "survived", "unreached", "explained"


class Run:
    """A pytest plugin: collects tests, and judges mutants in place of running them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._reached: dict[Line, list[Probe]] = {}
        self.results: list[tuple[Mutant, str, str]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        files = [
            path
            for package in PACKAGES
            for path in sorted((ROOT / "dynamoc" / package).rglob("*.py"))
            if self._options.only in path.relative_to(ROOT).as_posix()
        ]
        for file in files:
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        self._functions = Functions(files)
        self._learn(session, files)
        mutants = [mutant for file in files for mutant in mutants_of(file)]
        random.Random(self._options.seed).shuffle(mutants)
        explained = _explained()
        for mutant in mutants[: self._options.number]:
            verdict, by = (EXPLAINABLE, "") if _key(mutant) in explained else self._judge(mutant)
            self.results.append((mutant, verdict, by))
            if verdict in (SURVIVED, UNREACHED):
                print(f"{verdict}: {mutant.file.relative_to(ROOT)}:{mutant.line} {mutant.name}", flush=True)
        _report(self.results)
        return True

    def _learn(self, session: pytest.Session, files: list[Path]) -> None:
        """Runs each probe once, in a child whose functions note their lines."""
        begin = time.perf_counter()
        probes = [] if self._options.without_corpora else corpus_probes(self._options.every)
        cases = len(probes)
        probes += [Probe(item.nodeid, _passing(item)) for item in session.items if isinstance(item, pytest.Function)]
        reader, child = _fork(lambda writer: self._note(probes, files, writer))
        with open(reader, encoding="utf-8") as pipe:
            for probe, line in zip(probes, pipe, strict=True):
                probe.cost, lines = json.loads(line)
                for place in lines:
                    self._reached.setdefault(tuple(place), []).append(probe)
        os.waitpid(child, 0)
        print(f"{cases} recorded cases, {len(probes) - cases} tests: {time.perf_counter() - begin:.0f} s", flush=True)

    def _note(self, probes: list[Probe], files: list[Path], writer: int) -> None:
        notes = Notes(files, self._functions)
        with open(writer, "w", encoding="utf-8") as pipe:
            for probe in probes:
                lines = notes.reached_by(probe)
                pipe.write(json.dumps([probe.cost, lines]) + "\n")

    def _judge(self, mutant: Mutant) -> tuple[str, str]:
        reached = {
            probe.name: probe
            for line in range(mutant.line, mutant.last + 1)
            for probe in self._reached.get((str(mutant.file), line), ())
        }
        if not reached:
            return UNREACHED, ""
        judges = _in_order(list(reached.values()), random.Random(mutant.number))
        reader, child = _fork(lambda writer: self._run_judges(mutant, judges, writer))
        with open(reader, encoding="utf-8") as pipe:
            by = pipe.read()
        _, status = os.waitpid(child, 0)
        survived = os.WIFEXITED(status) and not os.WEXITSTATUS(status) and not by
        return (SURVIVED, "") if survived else (KILLED, by or "time")

    def _run_judges(self, mutant: Mutant, judges: list[Probe], writer: int) -> None:
        # A loop that no longer ends is killed.
        signal.alarm(_SECONDS + 30)
        self._functions.change(mutated(mutant), mutant.file)
        for probe in judges:
            if not probe.passes():
                os.write(writer, probe.name.encode())
                return


def _fork(work: Callable[[int], None]) -> tuple[int, int]:
    """Lets a quiet child write to a pipe, and gives its end to read from and the child's id."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return reader, child
    os.close(reader)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    status = 1
    try:
        work(writer)
        status = 0
    finally:
        os._exit(status)


def _passing(item: pytest.Function) -> Callable[[], bool]:
    def passes() -> bool:
        item._initrequest()
        return not any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))

    return passes


def _in_order(probes: list[Probe], chance: random.Random) -> list[Probe]:
    """Some recorded cases, cheap ones first, then tests as far as the time reaches; at least one test."""
    cases = [probe for probe in probes if "::" not in probe.name]
    chosen = sorted(chance.sample(cases, min(_CASES, len(cases))), key=lambda probe: probe.cost)
    left = _SECONDS - sum(probe.cost for probe in chosen)
    for probe in sorted((probe for probe in probes if "::" in probe.name), key=lambda probe: probe.cost):
        if probe.cost < left:
            chosen.append(probe)
            left -= probe.cost
    return chosen


def _key(mutant: Mutant) -> tuple[str, str]:
    return mutant.file.relative_to(ROOT / "dynamoc").as_posix(), mutant.name


def _explained() -> set[tuple[str, str]]:
    entries = tomllib.loads(EXPLAINED.read_text()).get("mutant", [])
    return {(entry["file"], change) for entry in entries for change in entry["changes"]}


def _report(results: list[tuple[Mutant, str, str]]) -> None:
    for package in PACKAGES:
        own = [verdict for mutant, verdict, _ in results if mutant.file.is_relative_to(ROOT / "dynamoc" / package)]
        counts = ", ".join(f"{own.count(verdict)} {verdict}" for verdict in (KILLED, EXPLAINABLE, SURVIVED, UNREACHED))
        print(f"{package}: {len(own)} mutants, {counts}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=300, help="how many mutants (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: 1)")
    parser.add_argument("--only", default="", help="a part of the names of files, such as `lower/hub_`")
    parser.add_argument("--every", type=int, default=2, help="take each n-th input of a corpus (default: 2)")
    parser.add_argument("--without-corpora", action="store_true", help="judge by the tests of this repository alone")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="folders below tests/")
    options = parser.parse_args()
    run = Run(options)
    folders = [str(ROOT / "tests" / name) for name in options.tests]
    # Modules with plugins are imported here already.
    quiet = ["-q", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    pytest.main([*quiet, "-p", "no:cacheprovider", "-p", "no:randomly", *folders], plugins=[run])
    return int(any(verdict in (SURVIVED, UNREACHED) for _, verdict, _ in run.results))


if __name__ == "__main__":
    sys.exit(main())

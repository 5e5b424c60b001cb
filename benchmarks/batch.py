"""Many graphs, and each command beside `render`: rows for docs/performance.md.

    ./run python -m benchmarks.batch [--graphs 1 100 1000 5000] [--runs 5]

`against_render` and `many` yield the lines of Markdown tables. They take what makes a command line of words, and what
gives the seconds of CPU and the megabytes at the peak of one, as `Meter.cpu` below; `rows` is all of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.corpus import write_graphs
from benchmarks.inputs import GRAPH, WORKER

Command = Callable[[str], list[str]]
Cpu = Callable[[list[str]], tuple[float, float]]

ROOT = Path(__file__).parents[1]
WORKERS = (7, 23)
COMMANDS = {
    "render": "render {file}",
    "validate": "validate {file}",
    "render --explain": "render --explain {file}",
    "explain FILE:LINE": "explain {file}:20",
    "explain FILE OBJECT": "explain {file} Deployment/graph-0-frontend",
    "requires": "requires {file}",
    "diff": "diff {file} {file}",
    "convert": "convert {file}",
    "upgrade": "upgrade {file} --from 1.0 --to 1.4",
    "upgrade --summary": "upgrade {file} --from 1.0 --to 1.4 --summary",
}
_TERMS = "--operator-version 1.4 --target grove --layout per-input --keep-going --output-dir"


def components(workers: int) -> str:
    """A v1alpha1 graph of a frontend and so many multinode workers, no two alike."""
    head, worker = GRAPH.format(number=0, version="1.4.0"), WORKER
    return head + "".join(worker.format(number=number, version="1.4.0") for number in range(workers))


def against_render(command: Command, cpu: Cpu, folder: Path, runs: int = 5) -> Iterator[str]:
    """Each command on one graph, as multiples of `render`: the best of so many runs."""
    yield f"| command | {' | '.join(f'{number} workers | x render' for number in WORKERS)} |"
    yield "| --- |" + " ---: | ---: |" * len(WORKERS)
    base: dict[int, float] = {}
    for name, line in COMMANDS.items():
        cells = []
        for workers in WORKERS:
            file = folder / f"workers-{workers}.yaml"
            file.write_text(components(workers))
            taken = min(cpu(command(line.format(file=file)))[0] for _ in range(runs))
            base.setdefault(workers, taken)
            cells.append(f"{1000 * taken:.0f} ms | {taken / base[workers]:.1f}")
        yield f"| {name} | {' | '.join(cells)} |"


def many(command: Command, cpu: Cpu, folder: Path, counts: list[int]) -> Iterator[str]:
    """`render` of varied graphs, each a file: CPU, growth against the row above, and memory."""
    yield "| varied graphs | CPU | a graph | of the row above | peak |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    before = None
    for count in counts:
        given = write_graphs(folder / f"varied-{count}", count)
        seconds, peak = cpu(command(f"render {given} {_TERMS} {folder / f'out-{count}'}"))
        each = seconds / count
        growth = "" if before is None else f"{each / before:.2f}"
        before = each
        yield f"| {count:,} | {seconds:.2f} s | {1000 * each:.1f} ms | {growth} | {peak:.0f} MB |"


def rows(command: Command, cpu: Cpu, folder: Path, counts: list[int], runs: int = 5) -> Iterator[str]:
    """Both tables."""
    yield from against_render(command, cpu, folder, runs)
    yield ""
    yield from many(command, cpu, folder, counts)


class Meter:
    """The source tree, run by this Python."""

    def command(self, words: str) -> list[str]:
        return [sys.executable, "-m", "dynamoc", *words.split()]

    def cpu(self, command: list[str]) -> tuple[float, float]:
        """(seconds of CPU of the process and of those that it waited for, megabytes at the peak)"""
        process = subprocess.Popen(
            command,
            cwd="/",
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} exited with {process.returncode}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, nargs="*", default=[1, 100, 1000, 5000])
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    meter = Meter()
    with tempfile.TemporaryDirectory() as folder:
        for line in rows(meter.command, meter.cpu, Path(folder), given.graphs, given.runs):
            print(line, flush=True)


if __name__ == "__main__":
    main()

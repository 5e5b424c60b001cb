"""How time and memory grow with the input: user CPU and peak memory at sizes n and 4n, for each list and map of the
API, each command and each format.

    ./run python -m benchmarks.growth [--only REGEX] [--size 500]

Prints a table of exponents: 1 is in proportion to the size, 2 is with its square. Exits with 1 where one is above 1.2.
Each size runs in a process of its own that has everything loaded, so that start-up does not count: what a document
without entries takes is subtracted.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.growing import KINDS, fields, graph
from benchmarks.growing_commands import commands

LIMIT = 1.2
#: below this many seconds, or bytes, at the larger size, the clock and the allocator say nothing
_LEAST = 0.25
_LEAST_MEMORY = 32 << 20
_FACTOR = 4
#: larger ones meet the limits of docs/security.md
_MAX_SIZE = 256_000

Case = tuple[str, Callable[[Path, int], list[list[str]]]]
"""A name, and what writes an input of a size into a directory: the command lines to measure."""


def cases(line: str = "render") -> Iterator[Case]:
    for version, kind in KINDS:
        for name, make in fields(version, kind):

            def write(folder: Path, size: int, make: Callable[[int], Any] = make) -> list[list[str]]:
                path = folder / "graph.json"
                path.write_text(json.dumps(make(size)))
                return [[*line.split(), str(path)]]

            yield f"{version.rpartition('/')[2]} {kind} {name}", write
    yield from commands()


class Cost(NamedTuple):
    """User CPU in seconds, and peak memory in bytes."""

    seconds: float
    memory: float


def cost(lines: list[list[str]]) -> Cost:
    """Of command lines, in a fork."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        from dynamoc.interfaces.cli.entry import run

        # As dynamoc/__main__.py does.
        gc.disable()
        # Takes what loading left free, which would hide the first megabytes.
        filler = [bytes(size) for size in range(16, 512, 16) for _ in range(2_000)]
        start = time.process_time()
        codes = [run(line) for line in lines]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        os.write(writing, f"{time.process_time() - start} {peak} {max(codes)} {len(filler)}".encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as stream:
        seconds, memory, code, _ = stream.read().split()
    os.waitpid(child, 0)
    if code == "3":
        raise SystemExit(f"exit 3: {lines}")
    return Cost(float(seconds), float(memory))


class Growth(NamedTuple):
    """Exponents between sizes n and 4n; n, what 4n costs over an empty document."""

    time: float
    memory: float
    size: int
    cost: Cost


def growth(write: Callable[[Path, int], list[list[str]]], size: int) -> Growth:
    """Grows n until the clock shows it."""
    while True:
        empty, small, large = (_least(write, at) for at in (1, size, _FACTOR * size))
        if large.seconds - empty.seconds > _LEAST or size * _FACTOR >= _MAX_SIZE:
            break
        size *= 4
    slower = _slope(small.seconds - empty.seconds, large.seconds - empty.seconds, _LEAST)
    larger = _slope(small.memory - empty.memory, large.memory - empty.memory, _LEAST_MEMORY)
    return Growth(slower, larger, size, Cost(large.seconds, large.memory - empty.memory))


def _least(write: Callable[[Path, int], list[list[str]]], size: int) -> Cost:
    with tempfile.TemporaryDirectory() as name:
        lines = write(Path(name), size)
        costs = [cost(lines) for _ in range(3)]
    return Cost(min(each.seconds for each in costs), min(each.memory for each in costs))


def _slope(small: float, large: float, least: float) -> float:
    return math.log(large / max(small, least / 1000), _FACTOR) if large > least else 0.0


def _worst(growth: Growth) -> float:
    return max(growth.time, growth.memory)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--run", default="render", help="the command to run for the lists and maps of the API")
    parser.add_argument("--size", type=int, default=500, help="the smallest size")
    given = parser.parse_args()
    _warm_up()
    worst = 0.0
    print("| what grows | n | seconds at 4n | exponent | MiB at 4n | exponent |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, write in cases(given.run):
        if re.search(given.only, name):
            found = growth(write, given.size)
            # A busy machine, full caches and tables that double look like growth; larger sizes show what is one.
            larger = 2 * found.size
            while _worst(found) > LIMIT and larger * _FACTOR <= _MAX_SIZE:
                found, larger = min(found, growth(write, larger), key=_worst), 2 * larger
            worst = max(worst, _worst(found))
            seconds, mebibytes = f"{found.cost.seconds:.2f}", f"{found.cost.memory / (1 << 20):.0f}"
            print(
                f"| {name} | {found.size} | {seconds} | {found.time:.2f} | {mebibytes} | {found.memory:.2f} |",
                flush=True,
            )
    print(f"worst: {worst:.2f}", file=sys.stderr)
    return int(worst > LIMIT)


def _warm_up() -> None:
    """Loads what the commands load, once for all forks."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "graph.json")
        path.write_text(json.dumps(graph()))
        from dynamoc.interfaces.cli.entry import run

        out, err = os.dup(1), os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        run(["render", str(path)])
        os.dup2(out, 1)
        os.dup2(err, 2)


if __name__ == "__main__":
    raise SystemExit(main())

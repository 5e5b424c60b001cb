"""How time grows with the input: user CPU at sizes n, 2n, 4n and 8n, for each list and map, command and format.

    ./run python -m benchmarks.growth [--only REGEX] [--size 500]

Prints a table of exponents: 1 is in proportion to the size, 2 is with its square. Exits with 1 where one is above 1.2.
Each size runs in a process of its own that has everything loaded, so that start-up does not count.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.growing import KINDS, fields, graph
from benchmarks.growing_commands import commands

LIMIT = 1.2
#: below this many seconds, at the largest size, the clock says nothing
_LEAST = 0.25
_SIZES = (1, 2, 4, 8)
_MAX_SIZE = 64_000

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


def cpu_of(lines: list[list[str]]) -> float:
    """Seconds of user CPU of command lines, in a fork."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        from dynamoc.cli.entry import run

        start = time.process_time()
        codes = [run(line) for line in lines]
        os.write(writing, f"{time.process_time() - start} {max(codes)}".encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as stream:
        seconds, code = stream.read().split()
    os.waitpid(child, 0)
    if code == "3":
        raise SystemExit(f"exit 3: {lines}")
    return float(seconds)


def exponent(write: Callable[[Path, int], list[list[str]]], size: int) -> tuple[float, int, float]:
    """The slope between sizes n and 8n in log-log, n, and the seconds at 8n; n grows until the clock shows it."""
    while True:
        seconds = []
        with tempfile.TemporaryDirectory() as name:
            for factor in (0, *_SIZES):
                folder = Path(name, str(factor))
                folder.mkdir()
                lines = write(folder, max(size * factor, 1))
                seconds.append(min(cpu_of(lines) for _ in range(3)))
        if seconds[-1] - seconds[0] > _LEAST or size >= _MAX_SIZE:
            break
        size *= 4
    net = [max(value - seconds[0], 1e-4) for value in seconds[1:]]
    if net[-1] < _LEAST:
        return 0.0, size, seconds[-1]
    return math.log(net[-1] / net[-3], 4), size, seconds[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--run", default="render", help="the command to run for the lists and maps of the API")
    parser.add_argument("--size", type=int, default=500, help="the smallest size")
    given = parser.parse_args()
    _warm_up()
    worst = 0.0
    print("| what grows | n | seconds at 8n | exponent |\n| --- | ---: | ---: | ---: |")
    for name, write in cases(given.run):
        if re.search(given.only, name):
            slope, size, seconds = exponent(write, given.size)
            if slope > LIMIT:
                # A busy machine and full caches look like growth; twice the size shows what is one.
                slope, size, seconds = min((slope, size, seconds), exponent(write, 2 * size))
            worst = max(worst, slope)
            print(f"| {name} | {size} | {seconds:.2f} | {slope:.2f} |", flush=True)
    print(f"worst: {worst:.2f}", file=sys.stderr)
    return int(worst > LIMIT)


def _warm_up() -> None:
    """Loads what the commands load, once for all forks."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "graph.json")
        path.write_text(json.dumps(graph()))
        from dynamoc.cli.entry import run

        out, err = os.dup(1), os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        run(["render", str(path)])
        os.dup2(out, 1)
        os.dup2(err, 2)


if __name__ == "__main__":
    raise SystemExit(main())

"""Kills runs that write an output directory, and looks at what they leave: `python benchmarks/kills.py [KILLS]`.

Two states of 500 graphs are rendered into one directory in turn, each in a layout of its own, so that files come and
go. Each run is killed at a random moment of its second half, by SIGKILL and SIGTERM in turn; then the next run begins.
What a killed run left is counted: the state before, the new one, or one that a journal completes. Anything else is a
failure, and so is what `--check` takes for a state that it is not.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from dynamoc.documents.emit.files import INDEX, Tracked

GRAPH = (Path(__file__).parents[1] / "examples" / "vllm-multinode.yaml").read_text()
GRAPHS = 500


def main(kills: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for state in ("a", "b"):
            write_state(folder / state, state)
        wanted = {state: rendered(folder, state) for state in ("a", "b")}
        seconds = timed(folder)
        seen: Counter[str] = Counter()
        for number in range(kills):
            state = "ab"[number % 2]
            kill = (signal.SIGKILL, signal.SIGTERM)[number // 2 % 2]
            killed(folder, state, kill, random.uniform(seconds / 2, seconds * 1.5))
            seen[judged(folder / "out", wanted)] += 1
        print(f"{kills} kills:", ", ".join(f"{number} {what}" for what, number in sorted(seen.items())))
        return 1 if {"mixed", "misjudged"} & set(seen) else 0


def write_state(folder: Path, state: str) -> None:
    folder.mkdir()
    for number in range(GRAPHS):
        text = GRAPH.replace("replicas: 1", f"replicas: {1 if state == 'a' else 2}")
        text = text.replace("name: llama", f"name: llama-{number}")
        (folder / f"g{number}.yaml").write_text(text)


def command(folder: Path, state: str, out: str = "out") -> list[str]:
    layout = {"a": "per-input", "b": "per-object"}[state]
    words = ["render", str(folder / state), "--output-dir", str(folder / out), "--layout", layout]
    return [sys.executable, "-m", "dynamoc", *words, "--target", "grove", "--keep-going"]


def rendered(folder: Path, state: str) -> dict[str, bytes]:
    subprocess.run(command(folder, state, f"wanted-{state}"), check=True, stderr=subprocess.DEVNULL)
    return files_of(folder / f"wanted-{state}")


def timed(folder: Path) -> float:
    start = time.monotonic()
    subprocess.run(command(folder, "a"), check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def killed(folder: Path, state: str, number: signal.Signals, seconds: float) -> None:
    process = subprocess.Popen(command(folder, state), stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    process.send_signal(number)
    process.wait()


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def judged(out: Path, wanted: dict[str, dict[str, bytes]]) -> str:
    found = files_of(out)
    waiting = {name for name in found if name.startswith(".dynamoc-staged/")}
    shown = {name: data for name, data in found.items() if name not in waiting}
    interrupted = ".dynamoc-staged/journal" in waiting
    complete = [state for state, files in wanted.items() if files == shown]
    taken = [state for state, files in wanted.items() if is_taken(out, files)]
    if taken != ([] if interrupted else complete):
        return "misjudged"
    if complete and not interrupted:
        return "complete, with files that wait for the next run" if waiting else "complete"
    return "completed by the next run" if interrupted else "mixed"


def is_taken(out: Path, files: dict[str, bytes]) -> bool:
    """Whether `--check` takes a directory for what these files are."""
    if not files:
        return not out.exists()
    tracked = Tracked(str(out))
    tracked.record = json.loads(files[INDEX])
    tracked.texts = {name: data.decode() for name, data in files.items() if name != INDEX}
    return not tracked.drift()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 100))

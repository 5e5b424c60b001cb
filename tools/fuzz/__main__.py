"""The long run: `./run python -m tools.fuzz --seconds 3600`. Keeps what fails, and goes on."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tools.fuzz import go_reader
from tools.fuzz.commands import Broken, Endless
from tools.fuzz.mutations import documents, text_of
from tools.fuzz.oracles import Judge, environment

#: after so many inputs, the slow oracles look at all of them together
BATCH = 200


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first input; each takes the next")
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="stop after so many")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="where inputs that fail are written")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    fuzzer = Fuzzer(folder, given.keep)
    end = time.monotonic() + given.seconds
    while time.monotonic() < end and fuzzer.inputs < given.inputs:
        fuzzer.one(given.seed + fuzzer.inputs)
    fuzzer.batch()
    shutil.rmtree(folder)
    go = f"{fuzzer.read_by_go} outputs read by Go" if fuzzer.go else "no Go reader"
    done = f"{fuzzer.inputs} inputs, {fuzzer.judge.executions} executions, {fuzzer.judge.valid} objects valid, {go}"
    print(f"{done}, {fuzzer.failures} failures")
    return int(fuzzer.failures > 0)


class Fuzzer:
    def __init__(self, folder: Path, keep: Path) -> None:
        self.folder = folder
        self.keep = keep
        self.judge = Judge(folder)
        self.inputs = self.failures = self.read_by_go = 0
        self.go = go_reader.build()
        self.texts: list[str] = []

    def one(self, seed: int) -> None:
        random = Random(seed)
        text, other = (text_of(random, documents(random)) for _ in range(2))
        self.inputs += 1
        self.texts.append(text)
        try:
            self.judge.judge(text, other, random)
        except (Exception, Endless) as problem:
            self._note(f"seed {seed}", problem, text, other)
        if len(self.texts) == BATCH:
            self.batch()

    def batch(self) -> None:
        """The oracles that start processes."""
        printed, self.judge.printed = self.judge.printed, []
        texts, self.texts = self.texts, []
        try:
            if self.go and printed:
                go_reader.judge(self.go, printed)
                self.read_by_go += len(printed)
        except Broken as problem:
            self._note(f"batch up to {self.inputs}", problem)
        try:
            if texts:
                self._with_hash_seeds(texts)
        except Broken as problem:
            self._note(f"batch up to {self.inputs}", problem)

    def _with_hash_seeds(self, texts: list[str]) -> None:
        source = self.folder / "batch"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        for number, text in enumerate(texts):
            (source / f"{number}.yaml").write_text(text, encoding="utf-8", newline="")
        answers = []
        for seed in (1, 2):
            out = self.folder / f"out-{seed}"
            line = [sys.executable, "-m", "dynamoc", "render", str(source), "--keep-going", "--layout", "per-input"]
            line += ["--operator-version", "1.4", "--output-dir", str(out)]
            done = subprocess.run(line, env=environment(seed), capture_output=True, check=False)
            files = {path.name: path.read_bytes() for path in sorted(out.rglob("*.yaml"))}
            answers.append((done.returncode, done.stderr.replace(os.fsencode(out), b""), files))
            self.judge.executions += 1
            shutil.rmtree(out, ignore_errors=True)
        if answers[0] != answers[1]:
            raise Broken("another order of sets gives other output")
        if answers[0][0] not in (0, 1):
            raise Broken(f"exit {answers[0][0]} with --keep-going: {answers[0][1][-2000:]!r}")

    def _note(self, name: str, problem: BaseException, *texts: str) -> None:
        self.failures += 1
        print(f"{name}: {type(problem).__name__}: {problem}"[:4000], flush=True)
        self.keep.mkdir(exist_ok=True)
        for number, text in enumerate(texts):
            path = self.keep / f"{name.replace(' ', '-')}-{number}.yaml"
            path.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    raise SystemExit(main())

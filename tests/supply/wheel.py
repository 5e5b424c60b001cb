"""Builds the wheel twice, from two copies at other places and times, and compares: `python -m tests.supply.wheel`.

Needs uv or pip, and the network or a cache that has hatchling.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py", "bundling.py", "benchmarks", "dynamoc")


def built(folder: Path, *, age: int) -> tuple[str, str]:
    """The name and the digest of a wheel that is built from a copy of the sources in `folder`."""
    source, out = folder / "source", folder / "out"
    source.mkdir(parents=True)
    for name in FILES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    for path in source.rglob("*"):
        os.utime(path, (age, age))
    tool = ["uv", "build", "--wheel", "-q", "-o"] if shutil.which("uv") else [sys.executable, "-m", "pip", "wheel"]
    line = (
        [*tool, str(out), str(source)] if tool[0] == "uv" else [*tool, "-q", "--no-deps", "-w", str(out), str(source)]
    )
    subprocess.run(line, check=True, env={**os.environ, "PYTHONHASHSEED": str(age % 1000)})
    (wheel,) = out.glob("*.whl")
    return wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        one = built(Path(name, "one"), age=1_500_000_000)
        two = built(Path(name, "two", "deeper"), age=1_700_000_001)
    print("  ".join(reversed(one)))
    if one != two:
        print(f"not reproducible: {two[1]}", file=sys.stderr)
    return int(one != two)


if __name__ == "__main__":
    raise SystemExit(main())

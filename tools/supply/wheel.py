"""Builds wheel and sdist twice, from copies at other places and times, and compares: `python -m tools.supply.wheel`.

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
FILES = ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py", "bundling", "benchmarks", "dynamoc")


def built(folder: Path, *, age: int) -> dict[str, str]:
    """File to digest: a wheel, and with uv an sdist, that are built from a copy of the sources in `folder`."""
    source, out = folder / "source", folder / "out"
    source.mkdir(parents=True)
    for name in FILES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    for path in source.rglob("*"):
        os.utime(path, (age, age))
    tool = (
        ["uv", "build", "--wheel", "--sdist", "-q", "-o"]
        if shutil.which("uv")
        else [sys.executable, "-m", "pip", "wheel"]
    )
    line = (
        [*tool, str(out), str(source)] if tool[0] == "uv" else [*tool, "-q", "--no-deps", "-w", str(out), str(source)]
    )
    subprocess.run(line, check=True, env={**os.environ, "PYTHONHASHSEED": str(age % 1000)})
    found = [*out.glob("*.whl"), *out.glob("*.tar.gz")]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        one = built(Path(name, "one"), age=1_500_000_000)
        two = built(Path(name, "two", "deeper"), age=1_700_000_001)
    for name, digest in one.items():
        print(f"{digest}  {name}")
        if two.get(name) != digest:
            print(f"not reproducible: {name} {two.get(name)}", file=sys.stderr)
    return int(one != two)


if __name__ == "__main__":
    raise SystemExit(main())

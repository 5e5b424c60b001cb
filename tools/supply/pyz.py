"""One file with dynamoc and all that it needs, for machines without a network: `python -m tools.supply.pyz [FILE]`.

It needs uv to build, and Python of the same version, system and processor to run: PyYAML and pydantic have compiled
parts. The same sources give the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIV = "shiv==1.0.8"


def build(target: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        requirements = Path(name, "requirements.txt")
        export = ["uv", "export", "--frozen", "--no-dev", "--no-emit-project", "-q", "-o", str(requirements)]
        subprocess.run(export, cwd=ROOT, check=True)
        packages = Path(name, "packages")
        install = ["uv", "pip", "install", "-q", "--python", sys.executable, "--target", str(packages)]
        subprocess.run([*install, "--require-hashes", "-r", str(requirements)], check=True)
        subprocess.run([*install, "--no-deps", str(ROOT)], check=True)
        command = ["uvx", "--python", sys.executable, "--from", SHIV, "--with", "setuptools<81", "shiv"]
        options = ["--reproducible", "-c", "dynamoc", "-p", "/usr/bin/env python3", "-o", str(target)]
        subprocess.run([*command, *options, "--site-packages", str(packages)], check=True, env=_environment())


def _environment() -> dict[str, str]:
    return {**os.environ, "SOURCE_DATE_EPOCH": "315532800"}


def main(arguments: list[str]) -> int:
    target = Path(arguments[0] if arguments else ROOT / "dist" / "dynamoc.pyz").resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    build(target)
    with tempfile.TemporaryDirectory() as name:
        environment = {"PATH": os.environ["PATH"], "SHIV_ROOT": name}
        command = [sys.executable, str(target), "render", str(ROOT / "examples" / "llama.yaml"), "--target", "lws"]
        done = subprocess.run(command, check=False, env=environment, capture_output=True)
    print(f"{target}  {target.stat().st_size / 1e6:.1f} MB")
    return 0 if b"kind: LeaderWorkerSet" in done.stdout else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

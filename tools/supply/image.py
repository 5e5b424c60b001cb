"""Runs the steps of the Dockerfile here, from what .dockerignore leaves, and then dynamoc as the image runs it.

`python -m tools.supply.image`; needs uv, and the network or a cache that has the dependencies.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def context(target: Path) -> None:
    """What the builder gets: what lines of .dockerignore that start with `!` name."""
    target.mkdir()
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        path = ROOT / line.removeprefix("!")
        if line.startswith("!") and path.is_dir():
            shutil.copytree(path, target / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif line.startswith("!") and path.exists():
            shutil.copy(path, target / path.name)


def installed(folder: Path) -> Path:
    """The environment that the image has at /opt/dynamoc."""
    context(folder / "src")
    (command,) = re.findall(r"^RUN (.*)$", DOCKERFILE, re.MULTILINE)
    command = command.replace("/opt/dynamoc", str(folder / "opt")).replace("/usr/local/bin/python", sys.executable)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "VIRTUAL_ENV"))}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(["sh", "-ec", command], cwd=folder / "src", check=True, env=environment, capture_output=True)
    return folder / "opt"


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    if shutil.which("uv") is None:
        print("NO UV HERE: the steps of the Dockerfile were not run", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as name:
        opt = installed(Path(name))
        before = files(opt)
        command = [str(opt / "bin" / "dynamoc"), "render", "-", "--target", "lws"]
        graph = (ROOT / "examples" / "llama.yaml").read_bytes()
        environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, cwd="/", env=environment, input=graph, check=True, capture_output=True)
        compiled = sum(path.suffix == ".pyc" for path in before)
        print(f"{len(before)} files, {compiled} of them bytecode; {done.stdout.count(b'kind: ')} kinds rendered")
        if files(opt) != before:
            print("a run wrote files", file=sys.stderr)
            return 1
        sources = sum(path.suffix == ".py" and "dynamoc" in path.parts for path in before)
        return 0 if b"kind: LeaderWorkerSet" in done.stdout and compiled >= sources else 1


if __name__ == "__main__":
    raise SystemExit(main())

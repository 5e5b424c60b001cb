"""The YAML reader of Kubernetes as a judge of what dynamoc prints, where Go is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tools.fuzz.commands import Broken

SOURCE = Path(__file__).with_name("goreader")


def build() -> str | None:
    """The path of the program; None where there is no Go, or where its modules cannot be had."""
    if not shutil.which("go"):
        return None
    folder = Path(tempfile.mkdtemp(prefix="goreader-"))
    for name in ("go.mod", "main.go"):
        shutil.copy(SOURCE / name, folder / name)
    for words in (("mod", "tidy"), ("build", "-o", "goreader", ".")):
        environment = {**os.environ, "GOFLAGS": "-mod=mod"}
        if subprocess.run(["go", *words], cwd=folder, env=environment, capture_output=True, check=False).returncode:
            return None
    return str(folder / "goreader")


def judge(program: str, printed: list[tuple[str, Any]]) -> None:
    """Raises Broken where Go reads something else than what was meant."""
    texts = [text.encode() for text, _ in printed]
    data = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
    done = subprocess.run([program], input=data, capture_output=True, check=True)
    answers = done.stdout.decode().split("end\n")[:-1]
    if len(answers) != len(printed):
        raise Broken(f"the Go reader answered {len(answers)} of {len(printed)}")
    for (text, wanted), answer in zip(printed, answers, strict=True):
        if "error: " in answer:
            raise Broken(f"Go cannot read the output: {answer[:500]}\n{text[:3000]}")
        if [json.loads(line) for line in answer.split("\n") if line] != wanted:
            raise Broken(f"Go reads the output differently:\n{text[:3000]}")

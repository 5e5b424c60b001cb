"""The same oracles, led by coverage: `uv run --with atheris python -m tools.fuzz.guided -max_total_time=3600 CORPUS`.

Options are libFuzzer's. The first inputs are golden ones; those that reach new code are kept in the folder CORPUS and
changed further, as documents where they can be read and as text else. An input that fails is written to `crash-*`.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import atheris
import yaml

with atheris.instrument_imports(include=["dynamoc"]):
    import dynamoc

    # Commands import what they need when they run; what is imported then would not be seen.
    for module in pkgutil.walk_packages(dynamoc.__path__, "dynamoc."):
        if not module.name.startswith("dynamoc.api.") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)

from tools.fuzz.commands import Broken, Endless
from tools.fuzz.mutations import change, documents, seeds, text_of
from tools.fuzz.oracles import Judge


def main() -> None:
    judge = Judge(Path(tempfile.mkdtemp(prefix="fuzz-")))

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "ignore").replace("\r\n", "\n")
        random = Random(hashlib.sha256(data).digest())
        other = text_of(random, documents(random))
        try:
            judge.judge(text, other, random)
        except Endless as problem:
            raise Broken(str(problem)) from None
        judge.printed.clear()

    atheris.Setup([*sys.argv, "-max_len=20000"], one, custom_mutator=_changed)
    _plant(Path(sys.argv[-1]))
    atheris.Fuzz()


def _plant(corpus: Path) -> None:
    """Golden inputs, for a folder that has none yet."""
    corpus.mkdir(exist_ok=True)
    for number, made in enumerate(seeds()):
        (corpus / f"golden-{number}").write_text(yaml.safe_dump_all(made, sort_keys=False))


def _changed(data: bytes, size: int, seed: int) -> bytes:
    random = Random(seed)
    made: list[Any] | None
    try:
        made = [item for item in yaml.safe_load_all(data.decode()) if item is not None]
    except (ValueError, yaml.YAMLError, RecursionError):
        made = None
    if not made or random.random() < 0.1:
        return bytes(atheris.Mutate(data, size))
    for _ in range(random.randrange(1, 4)):
        change(random, made)
    try:
        return text_of(random, made).encode("utf-8", "replace")[:size]
    except (TypeError, yaml.YAMLError):
        return bytes(atheris.Mutate(data, size))


if __name__ == "__main__":
    main()

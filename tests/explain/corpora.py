"""Cases of the recorded corpora, fewer of the large ones: what is counted here is counted in each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynamoc.compiler.options import Options

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
needs_corpora = pytest.mark.skipif(
    not SHARED.is_dir(), reason="THE RECORDED CORPORA ARE NOT HERE: no origin of their values was looked at"
)
_CASES = 7


def corpora(*releases: str) -> list[str]:
    """Names of the corpora of some releases."""
    if not SHARED.is_dir():
        return []
    found = [path.parent for path in sorted(SHARED.glob("*/corpus.json"))]
    return [folder.name for folder in found if _meta(folder)["operatorVersion"] in releases]


def cases(corpus: str) -> Iterator[tuple[Path, Options]]:
    """Inputs of a corpus from all over it, each with its targets in turn."""
    folder = SHARED / corpus
    meta = _meta(folder)
    config = meta.get("operatorConfig")
    inputs = sorted((folder / "inputs").glob("*.yaml"))
    for number, path in enumerate(inputs[:: max(1, len(inputs) // _CASES)]):
        yield (
            path,
            Options(
                operator_version=meta["operatorVersion"],
                target=meta["targets"][number % len(meta["targets"])],
                operator_config=str(folder / config) if config else None,
            ),
        )


def _meta(folder: Path) -> dict[str, str]:
    meta: dict[str, str] = json.loads((folder / "corpus.json").read_text())
    return meta

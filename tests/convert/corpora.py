"""The operator's recorded conversions beside the project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
needs_corpora = pytest.mark.skipif(
    not SHARED.is_dir(), reason="THE RECORDED CORPORA ARE NOT HERE: no conversion was compared with the operator's"
)

Tree = dict[str, Any]


def corpora() -> list[str]:
    """Corpora with recorded conversions."""
    return [folder.parent.name for folder in sorted(SHARED.glob("*/converted"))]


def inputs(pattern: str = "1.4-*") -> Iterator[Path]:
    return iter(sorted(SHARED.glob(f"{pattern}/inputs/*.yaml")))


def convertible(data: bytes, file: str) -> list[Tree]:
    """The documents of a file that have another version to be converted to."""
    values = [document.value for document in read_text(data, file, Findings())]
    return [value for value in values if value.get("kind") in KINDS and value.get("apiVersion") in (V1ALPHA1, V1BETA1)]


def conversions(corpus: str) -> Iterator[tuple[str, list[Tree], Any]]:
    """Name, documents, and what the operator made of them: None where it had nothing to convert."""
    for record in sorted((SHARED / corpus / "converted").glob("*.json")):
        source = SHARED / corpus / "inputs" / f"{record.stem}.yaml"
        # Recorded under the names of files that the corpus has since dropped.
        if source.exists():
            yield record.stem, convertible(source.read_bytes(), source.name), json.loads(record.read_text())

"""What lies beside the project on a developer's machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.corpora import corpora as recorded_corpora

SHARED = Path(__file__).parents[3] / "shared"
CORPORA = SHARED / "conformance"
CRDS = SHARED / "reference" / "crds"

needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="THE RECORDED CORPORA ARE NOT HERE: no schema verdict was compared with the operator's"
)
needs_crds = pytest.mark.skipif(
    not CRDS.is_dir(), reason="THE REFERENCE CRDS ARE NOT HERE: the structure of the schemas was not compared with them"
)


def corpora() -> list[str]:
    """Those of the releases that dynamoc knows."""
    return recorded_corpora()


def reference_crds(release: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((CRDS / f"dynamo-{release}").glob("*.json"))]

"""Our verdict on the inputs of the recorded corpora is that of the API server."""

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.findings.finding import Findings, format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.reader import read_text
from tests.conformance.later import OTHER_FIELDS
from tests.schema.shared import CORPORA, corpora, needs_corpora

OURS = ("schema", "cel", "unknown-field")
# How Go's decoder, in a webhook or in the conversion, words what the schema refuses too; it comes first there.
DECODER_WORDS = ("json: cannot unmarshal", "quantities must match")


def problems_of(path: Path, release: str) -> list[Problem] | None:
    """What we find in the Dynamo objects of an input, None where it is no readable YAML."""
    findings = Findings()
    documents = read_text(path.read_bytes(), path.name, findings)
    if findings.errors:
        return None
    found = []
    for document in documents:
        value = document.value
        if str(value.get("apiVersion")).startswith("nvidia.com/"):
            found += check(release, value["kind"], value["apiVersion"], value)[1]
    return found


def verdict_fits(recorded: dict[str, Any], found: list[Problem]) -> bool:
    if recorded["admitted"]:
        return not found
    decoder = recorded["stage"] in ("webhook", "conversion")
    if recorded["stage"] in OURS or (
        decoder and any(word in text for text in recorded["errors"] for word in DECODER_WORDS)
    ):
        return bool(found)
    # The recorder looks for unknown fields last: an input that fails later may have some.
    return all(problem.slug == "schema/unknown-field" for problem in found)


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_verdicts(corpus: str) -> None:
    release = json.loads((CORPORA / corpus / "corpus.json").read_text())["operatorVersion"]
    wrong = []
    for path in sorted((CORPORA / corpus / "inputs").glob("*.yaml")):
        found = problems_of(path, release[:3])
        if found is None or (corpus, path.stem) in OTHER_FIELDS:
            continue
        for answer in sorted((CORPORA / corpus / "expected").glob(f"*/{path.stem}.json")):
            recorded = json.loads(answer.read_text())
            if not verdict_fits(recorded, found):
                ours = [f"{problem.slug} {format_path(problem.path)}" for problem in found]
                wrong.append((path.stem, recorded.get("stage", "admitted"), recorded.get("errors"), ours))
    assert wrong == []

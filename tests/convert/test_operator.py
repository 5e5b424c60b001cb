"""Each recorded conversion of the operator, both ways, and the copies of some under golden/convert."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.convert import request as request_request
from dynamoc.admission.convert.operator import to_v1alpha1, to_v1beta1
from dynamoc.admission.convert.specs import V1ALPHA1
from dynamoc.documents.findings.finding import Refusal
from tests.conformance.known import reason_of
from tests.convert.corpora import Tree, conversions, convertible, corpora, needs_corpora

GOLDEN = Path(__file__).parents[2] / "golden" / "convert"
# Placeholders that were filled in after the conversions of the public examples had been recorded.
FILLED_IN = ("image", "namespace")


def way_of(corpus: str) -> str:
    """How the release of a corpus converts requests."""
    return "annotations" if corpus.startswith("1.0") else "envelope"


def answers(documents: list[Tree], corpus: str = "") -> list[Any]:
    out: list[Any] = []
    for document in documents:
        try:
            forward = document["apiVersion"] == V1ALPHA1
            if document["kind"] == request_request.KIND:
                convert_request = request_request.to_v1beta1 if forward else request_request.to_v1alpha1
                out.append(convert_request(document, way_of(corpus)))
                continue
            convert = to_v1beta1 if forward else to_v1alpha1
            out.append(convert(document))
        except Refusal as refusal:
            out.append(refusal)
    return out


def differences(ours: Any, theirs: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        steps = ours.keys() | theirs.keys()
        missing = object()
        pairs = [(step, ours.get(step, missing), theirs.get(step, missing)) for step in sorted(steps)]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = [(step, *pair) for step, pair in enumerate(zip(ours, theirs, strict=True))]  # type: ignore[misc]
    else:
        return [] if ours == theirs and type(ours) is type(theirs) else [path]
    return [found for step, one, two in pairs for found in differences(one, two, (*path, step))]


def disagreements(ours: list[Any], theirs: Any, *, examples: bool) -> list[Any]:
    theirs = theirs or []
    if len(ours) != len(theirs):
        return [f"{len(ours)} documents, not {len(theirs)}"]
    found: list[Any] = []
    for one, two in zip(ours, theirs, strict=True):
        if isinstance(one, Refusal) or "error" in two:
            if not (isinstance(one, Refusal) and "error" in two):
                found.append((one, two))
            continue
        paths = differences(one, two)
        found += [path for path in paths if not (examples and path[-1] in FILLED_IN)]
    return found


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_conversions_are_the_operators(corpus: str) -> None:
    seen = 0
    wrong = {}
    for name, documents, recorded in conversions(corpus):
        seen += len(documents)
        found = disagreements(answers(documents, corpus), recorded, examples=corpus.endswith("-examples"))
        if found and not reason_of(f"{corpus}/converted/{name}"):
            wrong[name] = found
    assert wrong == {}
    assert seen > 50 or "request" in corpus


@pytest.mark.parametrize("folder", sorted(GOLDEN.iterdir()), ids=lambda folder: folder.name)
def test_golden(folder: Path) -> None:
    case = tomllib.loads((folder / "case.toml").read_text())
    assert case["release"] == "1.4"
    documents = convertible((folder / "input.yaml").read_bytes(), "input.yaml")
    expected = json.loads((folder / "expected.json").read_text())
    assert disagreements(answers(documents), expected, examples=False) == []


def test_a_changed_answer_does_not_change_the_next_one() -> None:
    document = {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "llm"}}
    first = to_v1alpha1(document)
    assert first["status"] == {"state": ""}
    first["status"].clear()
    assert to_v1alpha1(document)["status"] == {"state": ""}

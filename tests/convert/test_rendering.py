"""Converting and rendering gives the same objects as rendering: each input of the corpora, and made-up documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.lost_fields import losses_of
from dynamoc.admission.convert.operator import to_v1alpha1, to_v1beta1
from dynamoc.admission.convert.plain import Conversion
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import Findings, Refusal
from dynamoc.documents.source.reader import read_text
from dynamoc.reference.releases import ORDER
from tests.convert.corpora import inputs, needs_corpora
from tests.convert.features import Tree, documents

TARGETS = ("grove", "lws", "plain")
Slugs = set[str]


def rendered(values: list[Tree], target: str, release: str = "1.4") -> tuple[list[Tree] | None, Slugs]:
    """The objects of documents, None where they are refused, and the slugs of the errors."""
    findings = Findings()
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": values})
    read = read_text(text.encode(), "input.json", findings)
    objects = compile_documents(read, Options(operator_version=release, target=target, passthrough=False), findings)
    return None if findings.errors else objects, {item.slug for item in findings.items if item.severity == "error"}


def is_convertible(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") in KINDS and value.get("apiVersion") in (V1ALPHA1, V1BETA1)


def converted(value: Tree, *, lossless: bool) -> Tree:
    if not is_convertible(value):
        return value
    convert = to_v1beta1 if value["apiVersion"] == V1ALPHA1 else to_v1alpha1
    return convert(value, lossless=lossless)


def loses_something(value: Tree) -> bool:
    """Whether a plain conversion warns: the operator renders what is lost."""
    if not is_convertible(value):
        return False
    to = V1BETA1 if value["apiVersion"] == V1ALPHA1 else V1ALPHA1
    return not all(loss.harmless for loss in losses_of(Conversion(value, to)))


def is_read_otherwise(value: Tree) -> bool:
    """Whether a conversion says that the release of the test reads what it writes in another way."""
    if not is_convertible(value):
        return False
    to = V1BETA1 if value["apiVersion"] == V1ALPHA1 else V1ALPHA1
    return any("releases up to 1.4" in loss.reason for loss in losses_of(Conversion(value, to)))


def cases() -> Iterator[tuple[str, list[Tree]]]:
    """Every fourth input that no other corpus has shown already, and that can be read."""
    seen: set[str] = set()
    for path in list(inputs("*"))[::4]:
        findings = Findings()
        values = [document.value for document in read_text(path.read_bytes(), path.name, findings)]
        text = json.dumps(values)
        if not findings.errors and text not in seen and any(map(is_convertible, values)):
            seen.add(text)
            yield f"{path.parent.parent.name}/{path.stem}", values


def release_for(values: list[Tree]) -> str:
    """The newest release is the one that converts; what it names in a request, 1.4 leaves empty."""
    return ORDER[-1] if any(value["kind"] == "DynamoGraphDeploymentRequest" for value in values) else "1.4"


def verdict(before: tuple[list[Tree] | None, Slugs], after: tuple[list[Tree] | None, Slugs]) -> str:
    """`same`, `refused`, or what differs; a schema may refuse what that of the other version takes."""
    if before[0] == after[0]:
        return "same" if before[0] is not None else "refused"
    if before[0] is not None and after[0] is not None:
        return "DIFFERENT"
    slugs = before[1] or after[1]
    by_schema = all(slug.partition("/")[0] in ("schema", "cel") for slug in slugs)
    return "one schema only" if by_schema else f"ONLY {'BEFORE' if before[1] else 'AFTER'} {sorted(slugs)}"


@pytest.mark.slow
@needs_corpora
def test_inputs_of_the_corpora() -> None:
    seen: Counter[str] = Counter()
    wrong = {}
    for index, (name, values) in enumerate(cases()):
        target = TARGETS[index % len(TARGETS)]
        try:
            exact = [converted(value, lossless=True) for value in values]
        except Refusal:
            continue
        release = release_for(values)
        before = rendered(values, target, release)
        answers = [verdict(before, rendered(exact, target, release))]
        if before[0] is not None and not any(map(loses_something, values)):
            plain = [converted(value, lossless=False) for value in values]
            answers.append(verdict(before, rendered(plain, target, release)))
        seen.update(answers)
        if not (set(answers) <= {"same", "refused", "one schema only"} or any(map(is_read_otherwise, values))):
            wrong[f"{name} {target}"] = answers
    assert wrong == {}
    assert seen["same"] > 250
    assert seen["one schema only"] < 150


@given(documents)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_made_up_documents(document: Tree) -> None:
    before = rendered([document], "grove")
    after = rendered([converted(document, lossless=True)], "grove")
    assert verdict(before, after) in ("same", "refused", "one schema only")
    if not loses_something(document):
        plain = rendered([converted(document, lossless=False)], "grove")
        assert verdict(before, plain) in ("same", "refused", "one schema only")

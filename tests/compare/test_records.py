"""`upgrade --fresh` finds what comparing the operator's own answers of two releases finds.

Independent of how elements of lists are matched: leaves are counted by their path without positions, and what both
sides have cancels out.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.compare.effects import without
from dynamoc.analysis.compare.upgrade import compare_releases
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from dynamoc.kube.names import WORKER_HASH_LABEL
from dynamoc.reference.releases import RELEASES

CORPORA = Path(__file__).parents[3] / "shared" / "conformance"
KINDS = ("examples", "features", "mix", "wild", "config", "kai", "mesh")
DROPPED = ("status", "ownerReferences", "finalizers", "uid", "creationTimestamp")
Leaves = Counter[tuple[str, str]]


def same_inputs() -> list[tuple[str, str, str, str]]:
    """(older corpus, newer corpus, target, name) of inputs with the same bytes in both."""
    found = []
    # What was recorded before its release is not what the release does (tests/conformance/later.py).
    recorded = [name for name, release in RELEASES.items() if release.exactness != "recorded early"]
    for older, newer in combinations(recorded, 2):
        for kind in KINDS:
            left, right = CORPORA / f"{older}-{kind}", CORPORA / f"{newer}-{kind}"
            for path in sorted(left.glob("inputs/*.yaml")):
                twin = right / "inputs" / path.name
                if not twin.exists() or twin.read_bytes() != path.read_bytes():
                    continue
                found += [
                    (left.name, right.name, target, path.stem)
                    for target in ("grove", "lws", "plain")
                    if (left / "expected" / target).exists() and (right / "expected" / target).exists()
                ]
    return found


def objects(corpus: str, target: str, name: str) -> list[dict[str, Any]] | None:
    record = json.loads((CORPORA / corpus / "expected" / target / f"{name}.json").read_text())
    if not record["admitted"]:
        return None
    return [item for item in record["objects"] if item["kind"] not in ("DynamoComponentDeployment", "Secret")]


def leaves(value: Any, path: str = "") -> Leaves:
    """Scalars by path, without positions, and without what Go leaves in or out at will."""
    if isinstance(value, dict):
        return sum((leaves(item, f"{path}/{key}") for key, item in value.items() if key not in DROPPED), Counter())
    if isinstance(value, str) and "\n" in value:
        # Programs that the operator ships inside of an object are not recorded.
        value = "<program>"
    if isinstance(value, list):
        return sum((leaves(item, path) for item in value), Counter())
    return Counter() if value is None else Counter({(path, str(value)): 1})


def hashes(found: list[dict[str, Any]]) -> set[str]:
    return {digest for item in found if (digest := (item["metadata"].get("labels") or {}).get(WORKER_HASH_LABEL))}


def nameless(counted: Leaves, digests: set[str]) -> Leaves:
    """Leaves without the names of worker generations, which the report tells once."""
    result: Leaves = Counter()
    for (path, text), number in counted.items():
        if path.endswith(WORKER_HASH_LABEL) or text in digests:
            continue
        timeless = text
        for digest in digests:
            timeless = without(timeless, digest)
        if timeless != "DYN_NAMESPACE_WORKER_SUFFIX":
            result[path, timeless] += number
    return result


def by_object(found: list[dict[str, Any]]) -> dict[tuple[str, str], Leaves]:
    digests = hashes(found)
    result = {}
    for item in found:
        name = item["metadata"]["name"]
        for digest in digests:
            name = without(name, digest)
        result[item["kind"], name] = nameless(leaves(item), digests)
    return result


def recorded(older: list[dict[str, Any]], newer: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[Leaves, Leaves]]:
    """What only one side has, by object."""
    left, right = by_object(older), by_object(newer)
    found = {}
    for key in left.keys() | right.keys():
        before, after = left.get(key, Counter()), right.get(key, Counter())
        if before != after:
            found[key] = (before - after, after - before)
    return found


def reported(older: str, newer: str, target: str, path: Path) -> dict[tuple[str, str], tuple[Leaves, Leaves]]:
    """The same from the report of an upgrade."""
    sides = [
        Options(operator_version=corpus.split("-")[0], target=target, passthrough=False) for corpus in (older, newer)
    ]
    for side, corpus in zip(sides, (older, newer), strict=True):
        config = CORPORA / corpus / "operator-config.yaml"
        side.operator_config = str(config) if config.exists() else None
    upgrade = compare_releases(read_paths([str(path)], Findings()), *sides, fresh=True, ignores=[])
    digests = {text for item in upgrade.comparison.generations for text in (item.old, item.new) if text}
    found = {}
    for item in upgrade.comparison.objects:
        if item.one["kind"] == "Secret":
            continue
        old: Leaves = Counter()
        new: Leaves = Counter()
        for change in item.changes:
            path = "".join(f"/{step}" for step in change.steps if isinstance(step, str))
            if change.how != "reordered":
                old, new = old + leaves(change.old, path), new + leaves(change.new, path)
        if item.old is None or item.new is None:
            old, new = leaves(item.old), leaves(item.new)
        name = item.one["metadata"]["name"]
        for digest in digests:
            name = without(name, digest)
        old, new = nameless(old, digests), nameless(new, digests)
        if old - new or new - old:
            found[item.one["kind"], name] = (old - new, new - old)
    return found


CASES = same_inputs() if CORPORA.exists() else []


def test_there_are_inputs_that_two_releases_answered() -> None:
    if not CORPORA.exists():
        pytest.skip(f"no recordings at {CORPORA}")
    assert len(CASES) > 200


@pytest.mark.parametrize(("older", "newer", "target", "name"), CASES)
def test_the_report_is_the_difference_of_the_records(older: str, newer: str, target: str, name: str) -> None:
    before, after = objects(older, target, name), objects(newer, target, name)
    if before is None or after is None:
        pytest.skip("one of the releases refuses it")
    path = CORPORA / older / "inputs" / f"{name}.yaml"
    assert reported(older, newer, target, path) == recorded(before, after)

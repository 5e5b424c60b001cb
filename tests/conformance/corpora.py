"""The recorded corpora beside the project, and dynamoc's answer to each of their cases.

The comparison is that of the corpora's own `score.py`, case by case, so that a test can name what differs.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_each
from dynamoc.documents.findings.finding import Findings
from dynamoc.reference.releases import RELEASES
from tests.conformance import later

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
needs_corpora = pytest.mark.skipif(
    not SHARED.is_dir(), reason="THE RECORDED CORPORA ARE NOT HERE: nothing was compared with the operator's answers"
)
_DROPPED_METADATA = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "ownerReferences",
    "finalizers",
    "selfLink",
)
_SKIPPED_KINDS = ("DynamoComponentDeployment", "Event", "Lease")

Tree = dict[str, Any]


class Outcome:
    """One case: what the operator did, what dynamoc did, and how they differ ("" where they don't)."""

    def __init__(self, corpus: str, target: str, name: str, recorded: Tree, rendered: list[Tree] | None) -> None:
        self.case = f"{corpus}/{target}/{name}"
        self.corpus = corpus
        self.admitted: bool = recorded["admitted"]
        self.recorded = recorded
        self.rendered = rendered
        self.difference = _difference(recorded, rendered, early=corpus.startswith(later.RECORDED_EARLY))

    @property
    def exact(self) -> bool:
        return not self.difference


def corpora(release: str | None = None) -> list[str]:
    """Names of the corpora, those of one release or all."""
    if not SHARED.is_dir():
        return []
    wanted = list(RELEASES) if release is None else [release]
    return [
        path.parent.name
        for path in sorted(SHARED.glob("*/corpus.json"))
        if json.loads(path.read_text())["operatorVersion"] in wanted
    ]


def graph_corpora() -> list[str]:
    """Those that hold graphs and their components, and not requests, models or checkpoints alone."""
    return [name for name in corpora() if not re.search("request|models|checkpoints", name)]


def outcomes(corpus: str, every: int = 1) -> Iterator[Outcome]:
    """dynamoc's answers to a corpus, or to each n-th input of it, compared with the operator's."""
    folder = SHARED / corpus
    inputs = sorted((folder / "inputs").glob("*.yaml"))[::every]
    for target in json.loads((folder / "corpus.json").read_text())["targets"]:
        yield from _outcomes(corpus, target, inputs)


def outcome_of(corpus: str, target: str, path: Path) -> Outcome | None:
    """dynamoc's answer to one input; None for one without a record."""
    return next(_outcomes(corpus, target, [path]), None)


def _outcomes(corpus: str, target: str, inputs: list[Path]) -> Iterator[Outcome]:
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    config = meta.get("operatorConfig")
    options = Options(
        operator_version=meta["operatorVersion"],
        target=target,
        operator_config=str(folder / config) if config else None,
        # Not every recording tells which of its inputs stood for objects of the cluster.
        passthrough=False,
    )
    for path, objects in compile_each([str(path) for path in inputs], options, Findings()):
        name = Path(path).stem
        record = folder / "expected" / target / f"{name}.json"
        if record.exists():
            yield Outcome(corpus, target, name, json.loads(record.read_text()), objects)


def _difference(recorded: Tree, rendered: list[Tree] | None, *, early: bool) -> str:
    if not recorded["admitted"]:
        if rendered is None:
            return ""
        return f"accepts what the operator refuses ({recorded.get('stage')}): {str(recorded.get('errors'))[:160]}"
    if rendered is None:
        return "refuses what the operator takes"
    want, have = _comparable(recorded, rendered)
    if early:
        want = {key: later.as_released(item) for key, item in want.items()}
    for key in sorted(want.keys() | have.keys()):
        if key not in have:
            return f"object missing: {key[1]}/{key[3]}"
        if key not in want:
            return f"object too many: {key[1]}/{key[3]}"
        path = _first_difference(want[key], have[key], (), early)
        if path is not None:
            return f"field differs: {key[1]}/{key[3]} {'.'.join(map(str, path))}"
    return ""


def _comparable(recorded: Tree, rendered: list[Tree]) -> tuple[dict[Any, Tree], dict[Any, Tree]]:
    objects = recorded["objects"]
    secret = {_key(item) for item in objects if item["kind"] == "Secret" and "<generated>" in json.dumps(item)}
    given = {_key(item) for item in recorded.get("inputs", [])}
    want = {_key(item): _clean(item) for item in objects if _counts(item, secret)}
    have = {
        _key(item): _clean(item)
        for item in rendered
        if _counts(item, secret) and (_key(item) in want or _key(item) not in given)
    }
    return want, have


def _counts(item: Tree, secret: set[Any]) -> bool:
    return item["kind"] not in _SKIPPED_KINDS and _key(item) not in secret


def _key(item: Tree) -> tuple[str, str, str, str]:
    metadata = item.get("metadata") or {}
    return (item["apiVersion"], item["kind"], metadata.get("namespace") or "", metadata.get("name", ""))


def _clean(item: Tree) -> Tree:
    copy = {key: value for key, value in item.items() if key != "status"}
    metadata = item.get("metadata") or {}
    copy["metadata"] = {key: value for key, value in metadata.items() if key not in _DROPPED_METADATA}
    cleaned: Tree = _normal(copy)
    return cleaned


def _normal(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _normal(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, {}, [])}
    if isinstance(value, list):
        return [_normal(item) for item in value]
    return value


def _first_difference(want: Any, have: Any, path: tuple[Any, ...], early: bool) -> tuple[Any, ...] | None:
    if early and later.is_gated(want, have, path):
        return None
    if isinstance(want, dict) and isinstance(have, dict):
        for key in sorted(want.keys() | have.keys()):
            if key not in want or key not in have:
                return (*path, key)
            found = _first_difference(want[key], have[key], (*path, key), early)
            if found is not None:
                return found
        return None
    if isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for index, (left, right) in enumerate(zip(want, have, strict=True)):
            found = _first_difference(left, right, (*path, index), early)
            if found is not None:
                return found
        return None
    same = type(want) is type(have) and want == have
    # A program that the operator ships inside of an object is its own code: any program will do.
    program = want == "<program>" and isinstance(have, str) and "\n" in have
    return None if same or program or "<generated>" in (want, have) else path

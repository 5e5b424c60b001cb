"""The same verdict as jsonschema, on the recorded inputs and on mutated documents."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.schema.schemas import load
from dynamoc.documents.schema.walk import Walk
from dynamoc.documents.source.reader import read_text
from tests.schema.documents import DOCUMENTS
from tests.schema.json_schema import judge
from tests.schema.shared import CORPORA, corpora, needs_corpora

Tree = dict[str, Any]
JUDGED = ("DynamoGraphDeployment", "DynamoComponentDeployment")
REPLACEMENTS = (
    *("text", "", "-", "8Gi", "1.2.3", "Vllm", "vllm", 0, 1, 7, -1, 2**31, 2**63, 1.5, True, False),
    *([], ["a"], [{"name": "a"}], [{}], {}, {"a": "b"}, {"name": "n"}, {"a": {"b": 1}}),
)


def without_nulls(value: Any) -> Any:
    """Nulls in mappings are dropped before validation; no field of the judged kinds is nullable."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def verdicts(release: str, document: Tree) -> tuple[list[str], list[str]]:
    """What each side finds wrong; ours without the effects of Go's types and without rules, which only we know."""
    api_version, kind = document["apiVersion"], document["kind"]
    schema = load(release)
    walk = Walk(schema["nodes"], "error", typed=False)
    body = {key: value for key, value in without_nulls(document).items() if key not in ("metadata", "status")}
    walk.value(body, schema["nodes"][schema["kinds"][api_version][kind]], None)
    ours = [f"{problem.path} {problem.message}" for problem in walk.problems if not problem.slug.startswith("cel/")]
    errors = judge(release, kind, api_version.partition("/")[2]).iter_errors(body)
    return ours, [f"{list(error.absolute_path)} {error.message[:200]}" for error in errors]


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield (*path, step)
        yield from paths(item, (*path, step))


def parent_of(document: Tree, path: tuple[str | int, ...]) -> Any:
    value: Any = document
    for step in path[:-1]:
        value = value[step]
    return value


@st.composite
def mutated(draw: st.DrawFn, document: Tree) -> Tree:
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([path for path in paths(document) if path[0] == "spec"] or [("spec",)]))
        parent, step = parent_of(document, path), path[-1]
        match draw(st.sampled_from(("replace", "delete", "add", "repeat"))):
            case "replace":
                parent[step] = copy.deepcopy(draw(st.sampled_from(REPLACEMENTS)))
            case "delete" if step != "spec":
                del parent[step]
            case "add" if isinstance(parent, dict):
                name = draw(st.sampled_from(("bogus", "name", "image", "optional")))
                parent[name] = copy.deepcopy(draw(st.sampled_from(REPLACEMENTS)))
            case "repeat" if isinstance(parent, list):
                parent.append(copy.deepcopy(parent[int(step)]))
    return document


@pytest.mark.parametrize("name", DOCUMENTS)
def test_unchanged_documents_are_valid(name: str) -> None:
    assert verdicts(name[:3], DOCUMENTS[name]) == ([], [])


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=150)
@given(data=st.data())
def test_mutated_documents(name: str, data: st.DataObject) -> None:
    document = data.draw(mutated(DOCUMENTS[name]))
    ours, theirs = verdicts(name[:3], document)
    assert bool(ours) == bool(theirs), (ours, theirs)


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_recorded_inputs(corpus: str) -> None:
    disagreed = []
    for path in sorted((CORPORA / corpus / "inputs").glob("*.yaml")):
        for document in read_text(path.read_bytes(), path.name, Findings()):
            value, release = document.value, corpus[:3]
            served = load(release)["kinds"].get(value.get("apiVersion"), {})
            if value.get("kind") in JUDGED and value["kind"] in served:
                ours, theirs = verdicts(release, value)
                if bool(ours) != bool(theirs):
                    disagreed.append((path.stem, ours, theirs))
    assert disagreed == []

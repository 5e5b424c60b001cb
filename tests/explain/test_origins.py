"""Every value of the recorded corpora has an origin, and tracing changes none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.explain.traced import CONVERSION, KINDS, USER, Origin, leaves
from dynamoc.compiler.explain.traced_compilation import Explained, explain_paths
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents, compile_paths
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_paths
from dynamoc.interfaces.library import explain
from dynamoc.kube.merge import copy_tree
from dynamoc.kube.quantity import compare
from tests.explain.corpora import SHARED, cases, corpora, needs_corpora

Answer = tuple[Path, Options, Explained, list[Any]]

_MUTATED = 6
CORPORA = corpora("0.6", "1.0", "1.4")


def _explained(path: Path, options: Options) -> tuple[Explained, list[Any]]:
    findings, traced_findings = Findings(), Findings()
    plain = compile_paths([str(path)], options, findings)
    explained = explain_paths([str(path)], options, traced_findings)
    assert list(map(repr, traced_findings.items)) == list(map(repr, findings.items))
    return explained, plain


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest) -> list[Answer]:
    """What is explained of a corpus, once for the tests of one corpus."""
    return [(path, options, *_explained(path, options)) for path, options in cases(request.param)]


@needs_corpora
@pytest.mark.parametrize("answers", CORPORA, indirect=True)
def test_tracing_changes_nothing_and_every_leaf_has_an_origin(answers: list[Answer]) -> None:
    counted = 0
    without = []
    for path, _, explained, plain in answers:
        assert dump_yaml(explained.objects) == dump_yaml(plain), path.name
        for index, item in enumerate(explained.objects):
            for field, value in leaves(item):
                counted += 1
                origin = explained.origin(index, field, value)
                if origin is None or origin.kind not in KINDS:
                    without.append((path.name, item["kind"], field))
    assert counted
    assert without == []


@needs_corpora
@pytest.mark.parametrize("answers", CORPORA, indirect=True)
def test_an_origin_in_the_input_leads_to_a_line_that_holds_the_value(answers: list[Answer]) -> None:
    for path, _, explained, _ in answers:
        lines = path.read_text(encoding="utf-8").split("\n")
        for index, item in enumerate(explained.objects):
            for field, value in leaves(item):
                origin = explained.origin(index, field, value)
                assert origin is not None
                if origin.kind == USER:
                    assert _is_of(origin, value), (path.name, field, value, origin.path)
                    assert _holds(lines, origin), (path.name, field, value, origin.path)


def _is_of(origin: Origin, value: Any) -> bool:
    """The value is what was written, a part of it, or the same number in other words."""
    written = origin.written
    if written == value or str(value).lower() in str(written).lower():
        return True
    if origin.path[-1] == "nodeCount":
        # Workers are all nodes but the leader.
        return bool(value == written - 1)
    try:
        return compare(str(value), str(written)) == 0
    except ValueError:
        return False


def _holds(lines: list[str], origin: Origin) -> bool:
    assert origin.place is not None
    line = lines[origin.place.line - 1]
    first = str(origin.written).split("\n")[0]
    is_scalar_of_lines = any(mark in line for mark in ("|", ">", "\\")) or "\\" in first
    # Long scalars are folded, and an alias stands for what is written at its anchor.
    return (
        first.lower() in line.lower()
        or is_scalar_of_lines
        or first[:20] in line
        or first.startswith(line.strip(" -'\"")[:20])
        or line.partition(": ")[2].startswith("*")
        or _is_number(line.partition(": ")[2], first)
    )


def _is_number(text: str, number: str) -> bool:
    """Whether a text is another spelling of a number, such as 1e9."""
    try:
        return float(text) == float(number)
    except ValueError:
        return False


@needs_corpora
@pytest.mark.parametrize("answers", [name for name in CORPORA if name.endswith("-mix")], indirect=True)
def test_a_value_changes_with_the_line_that_it_comes_from(answers: list[Answer]) -> None:
    """Names are left out: what has another name stands elsewhere, and the operator's own takes its place."""
    counted = 0
    for path, options, explained, _ in answers[:_MUTATED]:
        found: dict[tuple[int, Any], list[tuple[int, Any, Any]]] = {}
        for index, item in enumerate(explained.objects):
            for field, value in leaves(item):
                origin = explained.origin(index, field, value)
                if origin is not None and origin.kind == USER and origin.document in explained.documents:
                    found.setdefault((origin.document.index, origin.path), []).append((index, field, value))
        documents = read_paths([str(path)], Findings())
        for (number, place), leads_to in found.items():
            objects = _with_another(documents, number, place, options)
            if objects is None or len(objects) != len(explained.objects):
                continue
            for index, field, value in leads_to:
                if objects[index]["metadata"] == explained.objects[index]["metadata"]:
                    counted += 1
                    assert _at(objects[index], field) != value, (path.name, place, field)
    assert counted > 20


def _with_another(documents: list[Document], number: int, place: Any, options: Options) -> list[Any] | None:
    """What is rendered with another value at a place; None where that is a name, or is refused."""
    value = _at(documents[number].value, place)
    if "name" in place or "metadata" in place or not isinstance(value, str | int) or isinstance(value, bool):
        return None
    variant = copy_tree(documents[number].value)
    _at(variant, place[:-1])[place[-1]] = f"{value}1" if isinstance(value, str) else value + 1
    old, findings = documents[number], Findings()
    changed = [*documents[:number], Document(variant, old.file, old.index, old.marks), *documents[number + 1 :]]
    objects = compile_documents(changed, options, findings)
    return None if findings.errors else objects


def _at(value: Any, path: Any) -> Any:
    """What stands at a path; None where lists have become shorter."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return None
    return value


@needs_corpora
@pytest.mark.parametrize("answers", [name for name in corpora("1.4") if name.endswith("-features")], indirect=True)
def test_little_comes_from_the_conversion_itself(answers: list[Answer]) -> None:
    """A document may go to the other version and back before it is rendered, and its values keep their lines."""
    kinds = []
    for _, _, explained, _ in answers:
        for index, item in enumerate(explained.objects):
            kinds += [origin.kind for field, value in leaves(item) if (origin := explained.origin(index, field, value))]
    assert kinds.count(CONVERSION) * 1000 < len(kinds)


@needs_corpora
@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_a_word_of_the_leader_is_made_of_the_gpus_as_the_line_of_the_worker_is(release: str) -> None:
    """The flags are one text for both; the leader gets them as words of it."""
    path = SHARED / f"{release}-features" / "inputs" / "multinode-vllm-n2-dp16-argv.yaml"
    answers = explain(path, object="pcs", release=release, target="grove")
    made = {
        answer.field: answer.origin.computed_from for answer in answers if answer.origin and ".args[" in answer.field
    }
    sources = [{each.path for each in inputs} for inputs in made.values()]
    gpus = "spec.services.Worker.resources.limits.gpu"
    assert [gpus in paths for paths in sources].count(True) == 2

"""Our verdicts are those that operators of three releases gave, as far as they were recorded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.cluster.config_files import load_config
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.operator import to_v1beta1
from dynamoc.admission.convert.request import to_v1beta1 as request_to_v1beta1
from dynamoc.admission.convert.specs import V1BETA1
from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.compiler.stored import REQUEST
from dynamoc.documents.apiserver.objects import judge_object
from dynamoc.documents.findings.finding import ERROR, Findings, format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.reader import read_text
from dynamoc.reference.releases import get_release
from tests.conformance.corpora import corpora, graph_corpora
from tests.conformance.known import reason_of

Tree = dict[str, Any]
Case = tuple[str, Tree, list[Problem] | None]

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
CORPORA = corpora()
needs_recordings = pytest.mark.skipif(
    not CORPORA, reason="THE RECORDED CORPORA ARE NOT HERE: no admission verdict was compared with the operators'"
)


#: what the webhook refuses by the v1alpha1 view, and dynamoc where it reads the mounts; tests/conformance compares that
_WHILE_RENDERING = ("grove/line-mount-without-path", "lws/line-mount-without-path")


def documents(path: Path) -> list[Tree] | None:
    findings = Findings()
    values = [document.value for document in read_text(path.read_bytes(), path.name, findings)]
    return None if findings.errors else values


def admitted(value: Tree, release: str, context: ClusterContext) -> list[Problem] | None:
    """What the webhooks say, None where the schema has refused the document already."""
    checked, problems = check(release, value["kind"], value["apiVersion"], value)
    if any(problem.severity == ERROR for problem in problems):
        return None
    checked["metadata"].setdefault("namespace", "default")
    written = checked
    if get_release(release).has("hub/v1beta1") and checked["kind"] in KINDS and checked["apiVersion"] != V1BETA1:
        checked = to_v1beta1(checked)
    if checked["kind"] == REQUEST and release != "0.6" and checked["apiVersion"] != V1BETA1:
        checked = request_to_v1beta1(checked, get_release(release)["request/conversion"])
    stored = default(get_release(release), checked["kind"], checked, context)
    return judge(get_release(release), checked["kind"], stored, context, written)


def cases(corpus: str) -> Iterator[Case]:
    """Name, recorded answer and what the webhooks say to all documents of an input."""
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    release = get_release(meta["operatorVersion"])
    path = str(folder / meta["operatorConfig"]) if meta["operatorConfig"] else None
    config = load_config(path, release, Findings())
    for file in sorted((folder / "inputs").glob("*.yaml")):
        values = documents(file)
        if values is None:
            continue
        for target in meta["targets"]:
            answer = folder / "expected" / target / f"{file.stem}.json"
            if not answer.exists():
                continue
            context = ClusterContext(values, config, release, target)
            ours = [value for value in values if str(value.get("apiVersion")).startswith("nvidia.com/")]
            said = [admitted(value, release.name, context) for value in ours]
            whole = None if None in said else [problem for problems in said for problem in problems or ()]
            yield f"{target}/{file.stem}", json.loads(answer.read_text()), whole


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest) -> tuple[str, list[Case]]:
    """The name of a corpus and its cases, made once for the tests of one corpus."""
    return request.param, list(cases(request.param))


@needs_recordings
@pytest.mark.parametrize("judged", CORPORA, indirect=True)
def test_webhooks_refuse_what_the_operators_refused(judged: tuple[str, list[Case]]) -> None:
    wrong, seen = [], 0
    for name, recorded, said in judged[1]:
        stage = recorded.get("stage", "admitted")
        if said is None or stage in ("schema", "cel", "unknown-field", "conversion"):
            continue
        seen += 1
        errors = [f"{item.slug} {format_path(item.path)}" for item in said if item.severity == ERROR]
        if bool(errors) is not (stage in ("webhook", "create")) and name not in _WHILE_RENDERING:
            wrong.append((name, stage, recorded.get("errors"), errors))
    assert wrong == []
    assert seen


@needs_recordings
@pytest.mark.parametrize("judged", [name for name in CORPORA if name[:3] != "0.6"], indirect=True)
def test_webhooks_warn_as_often_as_the_operators_did(judged: tuple[str, list[Case]]) -> None:
    wrong = []
    corpus, all_cases = judged
    for name, recorded, said in all_cases:
        if not recorded["admitted"] or said is None:
            continue
        ours = [item.message for item in said if item.severity == "warning" and item.slug.startswith("admission/")]
        theirs = _of_the_input(recorded["warnings"] or [])
        if len(ours) != len(theirs) and not reason_of(f"{corpus}/{name}"):
            wrong.append((name, theirs, ours))
    assert wrong == []


def _of_the_input(warnings: list[str]) -> list[str]:
    """Without those that the operator got for a component that it made of a graph: nobody who applies sees them."""
    of_graphs = any(text.startswith("spec.services[") for text in warnings)
    return [text for text in warnings if not (of_graphs and text.startswith("spec.autoscaling "))]


@needs_recordings
@pytest.mark.parametrize("corpus", graph_corpora())
def test_objects_that_came_to_be_are_not_refused(corpus: str) -> None:
    wrong, seen = [], 0
    for file in sorted((SHARED / corpus / "expected").glob("*/*.json")):
        recorded = json.loads(file.read_text())
        for item in recorded["objects"] if recorded["admitted"] else ():
            seen += 1
            wrong += [(file.stem, item["kind"], problem) for problem in judge_object(item)]
    assert wrong == []
    assert seen

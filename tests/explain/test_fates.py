"""Every field of the input went somewhere, decides something, or has a reason why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamoc.compiler.explain.fate import CHECKED, DECIDES, WITHOUT, Fate, Fates
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from tests.explain.conftest import GRAPH
from tests.explain.corpora import cases, corpora, needs_corpora


@pytest.mark.slow
@needs_corpora
@pytest.mark.parametrize("corpus", corpora("1.0", "1.4"))
def test_no_field_is_without_a_fate(corpus: str) -> None:
    counted = 0
    unexplained = []
    for path, options in cases(corpus):
        findings = Findings()
        documents = read_paths([str(path)], findings)
        explained = explain_documents(documents, options, findings)
        if findings.errors:
            continue
        fates = Fates(explained, documents)
        for number, document in enumerate(documents):
            for field, _ in leaves(document.value):
                counted += 1
                fate = fates.of(number, field)
                if not (fate.effects or fate.decides or fate.reason):
                    unexplained.append((path.name, field))
    assert counted
    assert unexplained == []


@pytest.fixture(scope="module")
def fates(tmp_path_factory: pytest.TempPathFactory) -> Fates:
    file = tmp_path_factory.mktemp("fates") / "graph.yaml"
    file.write_text(GRAPH)
    return _fates(file, target="grove")


def _fates(file: Path, target: str, release: str = "1.0") -> Fates:
    findings = Findings()
    documents = read_paths([str(file)], findings)
    explained = explain_documents(documents, Options(operator_version=release, target=target), findings)
    assert not findings.errors
    return Fates(explained, documents)


def _fate(fates: Fates, *path: str | int) -> Fate:
    return fates.of(0, path)


def test_a_copied_value_goes_to_the_output(fates: Fates) -> None:
    fate = _fate(fates, "spec", "services", "Frontend", "replicas")
    assert fate.how == "value"
    assert fates.explained.objects[fate.effects[0].index]["kind"] == "PodCliqueSet"


def test_a_value_that_another_beats_says_which(fates: Fates) -> None:
    # The graph's LOG_LEVEL reaches the frontend, and the worker has its own.
    assert _fate(fates, "spec", "envs", 0, "value").how == "value"
    fate = _fate(fates, "spec", "services", "Worker", "envs", 0, "value")
    assert {effect.how for effect in fate.effects} == {"value"}


def test_a_field_that_the_operator_ignores_has_no_effect(fates: Fates) -> None:
    fate = _fate(fates, "spec", "services", "Worker", "autoscaling", "enabled")
    assert (fate.how, fate.reason) == (WITHOUT, "`autoscaling` is deprecated and ignored.")


def test_labels_of_the_graph_stay_on_it(fates: Fates) -> None:
    fate = _fate(fates, "metadata", "labels", "team")
    assert fate.how == WITHOUT
    assert "stays on the document itself" in fate.reason


def test_the_kind_decides_how_the_document_is_read(fates: Fates) -> None:
    assert _fate(fates, "kind").how == DECIDES


def test_a_switch_decides_without_being_copied(tmp_path: Path) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH.replace("autoscaling: {enabled: true}", "scalingAdapter: {enabled: true}"))
    fate = _fates(file, "grove").of(0, ("spec", "services", "Worker", "scalingAdapter", "enabled"))
    assert fate.how == DECIDES
    assert ("dynamographdeploymentscalingadapter/web-worker", "") in fate.decides


def test_a_field_that_is_only_judged_says_so(tmp_path: Path) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH.replace("spec:\n  envs:", "spec:\n  backendFramework: vllm\n  envs:", 1))
    assert _fates(file, "grove").of(0, ("spec", "backendFramework")).how == CHECKED


@pytest.mark.parametrize(
    ("old", "new", "path", "said"),
    [
        ("requests: {cpu", "requests: {gpu: '1', cpu", ("resources", "requests", "gpu"), "ignores requests.gpu"),
        ("multinode:", "labels: {}\n      multinode:", ("labels",), "It is empty"),
        ("multinode:", "ingress: {host: a}\n      multinode:", ("ingress", "host"), "not enabled"),
    ],
)
def test_fields_that_operators_ignore_say_why(tmp_path: Path, old: str, new: str, path: tuple[str], said: str) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH.replace(old, new))
    fate = _fates(file, "grove").of(0, ("spec", "services", "Worker", *path))
    assert fate.how == WITHOUT
    assert said in fate.reason


def test_an_annotation_that_the_target_overrules_says_so(tmp_path: Path) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH.replace("  name: web", '  name: web\n  annotations: {nvidia.com/enable-grove: "true"}'))
    fate = _fates(file, "lws", "1.4").of(0, ("metadata", "annotations", "nvidia.com/enable-grove"))
    assert "--target lws decides" in fate.reason

"""What became of a field of one component, told without a look at the others, is what a look at everything tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler import Options
from dynamoc.diagnostics import Findings
from dynamoc.explain import reach
from dynamoc.explain.fate import Fates
from dynamoc.explain.input_line import field_data
from dynamoc.explain.reach import explain_fields
from dynamoc.explain.traced import leaves
from dynamoc.explain.traced_compilation import explain_documents
from dynamoc.explain.watch import Watch
from dynamoc.source.files import read_paths
from tests.explain.corpora import cases, corpora, needs_corpora

_FEW = 2
_WORKER = """\
    Worker{number}:
      componentType: worker
      replicas: 2
      envs:
      - name: SHARD
        value: shard-{number}
      extraPodSpec:
        mainContainer:
          image: registry.example.com/vllm-runtime:1.{number}.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, example/model-{number}]
"""
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: graph
spec:
  services:
""" + "".join(_WORKER.format(number=number) for number in range(8))


@needs_corpora
@pytest.mark.parametrize("corpus", corpora("0.6", "1.0", "1.4", "1.5"))
def test_a_field_of_one_component_says_what_all_say(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fates, "_outcomes", lambda *_: [])
    monkeypatch.setattr(Fates, "_elsewhere", lambda *_: None)
    for path, options in list(cases(corpus))[:_FEW]:
        documents, findings = read_paths([str(path)], Findings()), Findings()
        everything = Fates(explain_documents(documents, options, findings), documents)
        if findings.errors:
            continue
        fields = [(number, field) for number, each in enumerate(documents) for field, _ in leaves(each.value)]
        for number, field in fields[::5]:
            told = Findings()
            alone = Fates(explain_fields(documents, [(number, field)], options, told), documents)
            assert field_data(alone, number, field) == field_data(everything, number, field)
            assert _said(told) == _said(findings)


def _said(findings: Findings) -> list[tuple[Any, ...]]:
    return [(item.slug, item.message, item.path, str(item.place), item.hint) for item in findings.items]


class _Looks:
    """How often something looked at a pod after a rule, and whether everything was looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pods, self.everything = 0, 0
        applied = Watch.rule_applied

        def rule_applied(watch: Watch, *args: Any) -> None:
            self.pods += 1
            applied(watch, *args)

        def explain_all(*args: Any) -> Any:
            self.everything += 1
            return explain_documents(*args)

        monkeypatch.setattr(Watch, "rule_applied", rule_applied)
        monkeypatch.setattr(reach, "explain_documents", explain_all)


def _effects(file: Path, *path: str | int) -> list[tuple[str, str]]:
    """(object, how) of each effect of a field below a component's."""
    documents = read_paths([str(file)], Findings())
    field = ("spec", "services", *path)
    explained = explain_fields(documents, [(0, field)], Options(operator_version="1.4", target="plain"), Findings())
    found = Fates(explained, documents).effects.of(documents[0].file, 0, field)
    return [(explained.objects[effect.index]["metadata"]["name"], effect.how) for effect in found]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH)
    return file


@pytest.mark.parametrize("path", [("envs", 0, "value"), ("extraPodSpec", "mainContainer", "image"), ("replicas",)])
def test_other_components_are_not_looked_at(
    graph: Path, path: tuple[str | int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = _Looks(monkeypatch)
    effects = _effects(graph, "Worker3", *path)
    assert effects
    assert all("worker3" in name for name, _ in effects)
    assert looks.everything == 0
    # One pod of eight, and what a rule is.
    rules = looks.pods
    explain_documents(read_paths([str(graph)], Findings()), Options(operator_version="1.4", target="plain"), Findings())
    assert looks.pods - rules == 8 * rules


def test_everything_is_looked_at_where_a_value_reaches_another_component(
    graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = _Looks(monkeypatch)
    entered = Watch.pass_over

    def pass_over(watch: Watch, function: Any, step: Any, args: Any, named: Any) -> Any:
        # As a rule would that copies a variable of another component.
        result = entered(watch, function, step, args, named)
        if result.__class__ is dict and "metadata" in result:
            value = watch.document.value["spec"]["services"]["Worker3"]["envs"][0]["value"]
            result["metadata"].setdefault("annotations", {})["shard"] = value
        return result

    monkeypatch.setattr(Watch, "pass_over", pass_over)
    assert _effects(graph, "Worker3", "envs", 0, "value")
    assert looks.everything == 1


def test_everything_is_looked_at_where_a_text_for_another_component_may_hold_a_value(
    graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = _Looks(monkeypatch)
    texts: list[str] = []
    entered = Watch.pass_over

    def pass_over(watch: Watch, function: Any, step: Any, args: Any, named: Any) -> Any:
        value = watch.document.value["spec"]["services"]["Worker3"]["envs"][0]["value"]
        texts.append(f"{value} of another")
        return entered(watch, function, step, args, named)

    monkeypatch.setattr(Watch, "pass_over", pass_over)
    assert _effects(graph, "Worker3", "envs", 0, "value")
    assert looks.everything == 1


@pytest.mark.parametrize("spec", ["text", "[]", "{template: {cliques: [null, 3, {labels: text}]}}", "{selector: text}"])
@pytest.mark.parametrize("kind", ["PodCliqueSet", "Service", "Deployment"])
def test_objects_of_any_shape_may_pass_through(graph: Path, kind: str, spec: str) -> None:
    version = {"Service": "v1", "Deployment": "apps/v1"}.get(kind, "grove.io/v1alpha1")
    metadata = "{name: odd, labels: {nvidia.com/dynamo-component: Worker1}}"
    odd = f"---\napiVersion: {version}\nkind: {kind}\nmetadata: {metadata}\nspec: {spec}\n"
    graph.write_text(GRAPH + odd)
    assert _effects(graph, "Worker3", "replicas")


def test_the_name_of_a_component_is_in_its_own_objects(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = _Looks(monkeypatch)
    effects = _effects(graph, "Worker3")
    assert len(effects) > 1
    assert all("worker3" in name for name, _ in effects)
    assert looks.everything == 0


def test_of_a_field_beside_the_components_everything_is_looked_at(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = _Looks(monkeypatch)
    documents = read_paths([str(graph)], Findings())
    explain_fields(documents, [(0, ("metadata", "name"))], Options(operator_version="1.4", target="plain"), Findings())
    assert looks.everything == 1

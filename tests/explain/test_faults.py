"""Findings on generated objects point at the line of the input that led to them, and one cause is one finding."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_each, compile_paths
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.kube.merge import at
from tests.conformance.corpora import SHARED, corpora, needs_corpora

Tree = dict[str, Any]

GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: web
spec:
  services:
    Frontend:
      componentType: frontend
      dynamoNamespace: web
      extraPodSpec:
        mainContainer:
          image: registry.example.com/runtime:1.0.0
    Worker:
      componentType: worker
      dynamoNamespace: web
      extraPodSpec:
        mainContainer:
          image: registry.example.com/runtime:1.0.0
          command: [python3, -m, dynamo.vllm]
"""
BETA = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: web
spec:
  components:
  - name: Frontend
    type: frontend
    podTemplate:
      spec:
        containers:
        - name: main
          image: registry.example.com/runtime:1.4.0
  - name: Worker
    type: worker
    podTemplate:
      spec:
        containers:
        - name: main
          image: registry.example.com/runtime:1.4.0
          command: [python3, -m, dynamo.vllm]
"""
WORKER = "    Worker:\n"
POD = "      extraPodSpec:\n        mainContainer:\n"


def findings_of(text: str, folder: Path, release: str = "1.4", target: str = "plain") -> list[Finding]:
    file = folder / "graph.yaml"
    file.write_text(text)
    findings = Findings()
    compile_paths([str(file)], Options(operator_version=release, target=target), findings)
    return [item for item in findings.items if item.slug.startswith("admission/") and item.severity == "error"]


def line_of(finding: Finding, text: str) -> str:
    assert finding.place is not None
    return text.split("\n")[finding.place.line - 1].strip()


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
@pytest.mark.parametrize(
    ("before", "written"),
    [
        (WORKER, '      envs: [{name: "bad name=", value: "1"}]'),
        ("spec:\n", '  envs: [{name: "bad name=", value: "1"}]'),
        ("spec:\n", '  envs:\n  - value: "1"\n    name: bad name='),
        ("      extraPodSpec:\n", "        dnsPolicy: Sometimes"),
        ("      extraPodSpec:\n", "        restartPolicy: OnFailure"),
        ("      extraPodSpec:\n", "        tolerations:\n        - operator: Exists\n          value: some"),
        ("      extraPodSpec:\n", "        hostname: Main_Host"),
        ("      extraPodSpec:\n", "        volumes:\n        - emptyDir: {}\n          name: Bad_Volume"),
        ("        mainContainer:\n", "          imagePullPolicy: Rarely"),
        ("        mainContainer:\n", "          ports:\n          - name: http\n            containerPort: 70000"),
        (WORKER, "      extraPodMetadata:\n        labels:\n          team: a\n          owner: not a label"),
        (WORKER, "      livenessProbe:\n        periodSeconds: 5\n        tcpSocket: {port: 70000}"),
    ],
)
def test_the_line_is_that_of_the_value(release: str, before: str, written: str, tmp_path: Path) -> None:
    text = GRAPH.replace(before, before + written + "\n", 1)
    found = findings_of(text, tmp_path, release)
    assert [line_of(item, text) for item in found] == [written.split("\n")[-1].strip()]


@pytest.mark.parametrize(
    ("before", "written"),
    [
        ("spec:\n", '  env:\n  - value: "1"\n    name: bad name='),
        ("          image: registry.example.com/runtime:1.4.0\n", '          env: [{name: "bad=", value: a}]'),
        ("      spec:\n", "        restartPolicy: OnFailure"),
        ("      spec:\n", "        dnsPolicy: Sometimes"),
        ("    podTemplate:\n", "      metadata:\n        labels: {owner: not a label}"),
    ],
)
def test_the_line_is_that_of_the_value_in_v1beta1(before: str, written: str, tmp_path: Path) -> None:
    text = BETA.replace(before, before + written + "\n", 1)
    found = findings_of(text, tmp_path)
    assert [line_of(item, text) for item in found] == [written.split("\n")[-1].strip()]


def test_what_a_generated_component_is_refused_for_is_where_the_component_says_it(tmp_path: Path) -> None:
    text = GRAPH.replace("componentType: worker", "componentType: main")
    file = tmp_path / "graph.yaml"
    file.write_text(text)
    findings = Findings()
    compile_paths([str(file)], Options(operator_version="1.4", target="plain"), findings)
    found = [item for item in findings.items if item.severity == "error"]
    assert [(item.slug, line_of(item, text)) for item in found] == [("schema/enum", "componentType: main")]


def test_what_is_missing_is_missing_where_the_block_is(tmp_path: Path) -> None:
    text = GRAPH.replace(WORKER, WORKER + "      envs:\n      - {name: A, value: a}\n      - value: b\n")
    (found,) = findings_of(text, tmp_path)
    assert line_of(found, text) == "- value: b"


def test_a_default_that_fits_nothing_points_at_what_it_was_made_of(tmp_path: Path) -> None:
    text = GRAPH.replace("Worker:", "Has_Underscore:").replace("componentType: worker", "componentType: frontend")
    found = findings_of(text, tmp_path)
    assert {line_of(item, text) for item in found} == {"Has_Underscore:"}


def test_one_cause_is_one_finding_however_many_objects_it_reaches(tmp_path: Path) -> None:
    text = GRAPH.replace("spec:\n", '  \nspec:\n  envs: [{name: "bad=", value: a}]\n', 1)
    (found,) = findings_of(text, tmp_path)
    assert found.message.endswith(
        "This affects 2 objects: Deployment/web-frontend, Deployment/" + found.message.rpartition("/")[2]
    )


@pytest.mark.parametrize(
    ("release", "target"), [("0.6", "plain"), ("1.0", "plain"), ("1.4", "plain"), ("1.4", "grove")]
)
def test_a_graph_name_that_is_too_long_is_one_finding_that_can_be_followed(
    release: str, target: str, tmp_path: Path
) -> None:
    name = "a-name-that-is-much-longer-than-kubernetes-likes-names-of-things-to-be"
    text = GRAPH.replace("name: web\n", f"name: {name}\n")
    (found,) = findings_of(text, tmp_path, release, target)
    assert line_of(found, text) == f"name: {name}"
    assert found.hint is not None
    excess = re.match(rf"shorten `{name}` by (\d+) characters", found.hint)
    assert excess is not None
    shorter = GRAPH.replace("name: web\n", f"name: {name[: -int(excess[1])]}\n")
    assert findings_of(shorter, tmp_path, release, target) == []


def test_a_request_above_its_limit_shows_both_lines(tmp_path: Path) -> None:
    written = "      resources:\n        requests: {cpu: '8'}\n        limits: {cpu: '4'}\n"
    text = GRAPH.replace(WORKER, WORKER + written)
    file = tmp_path / "graph.yaml"
    file.write_text(text)
    findings = Findings()
    compile_paths([str(file)], Options(operator_version="1.4", target="plain"), findings)
    (found,) = [item for item in findings.items if item.slug == "admission/request-above-limit"]
    assert line_of(found, text) == "requests: {cpu: '8'}"
    assert [text.split("\n")[place.line - 1].strip() for place in found.related] == ["limits: {cpu: '4'}"]


def test_what_is_clean_loads_no_tracer(tmp_path: Path) -> None:
    import subprocess

    file = tmp_path / "graph.yaml"
    file.write_text(GRAPH)
    code = (
        "import sys; from dynamoc.interfaces.cli.entry import run;"
        f"code = run(['validate', '--target', 'plain', {str(file)!r}]);"
        "sys.exit(code or any(name.startswith('dynamoc.explain') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_a_document_is_traced_once_whatever_is_wrong_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dynamoc.compiler import run

    traced: list[str] = []
    own = run.trace_objects

    def counted(compilation: Any, document: Any) -> Any:
        traced.append(document.value["metadata"]["name"])
        return own(compilation, document)

    monkeypatch.setattr(run, "trace_objects", counted)
    bad = GRAPH.replace("extraPodSpec:\n", "extraPodSpec:\n        dnsPolicy: x\n        restartPolicy: Never\n")
    found = findings_of(
        "---\n".join((bad, bad.replace("name: web", "name: other"), BETA.replace("web", "fine"))), tmp_path
    )
    assert (sorted(traced), len(found)) == (["other", "web"], 8)


_SAID = re.compile(r'(?:Invalid|Unsupported|Duplicate) value: (?:"((?:[^"\\]|\\.)*)"|(-?\d+))')


@needs_corpora
@pytest.mark.parametrize("corpus", [name for name in corpora() if name != "1.4-examples"])
def test_what_the_api_server_refused_is_found_where_it_was_written(corpus: str) -> None:
    """For every recorded refusal of an object: the place, or one beside it, holds the value that was refused."""
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    config = meta.get("operatorConfig")
    wrong = []
    for target in meta["targets"]:
        # Each second recording: all of them take a quarter of a minute.
        for record in sorted((folder / "expected" / target).glob("*.json"))[::2]:
            recorded = json.loads(record.read_text())
            if recorded["admitted"] or recorded.get("stage") != "child":
                continue
            file = folder / "inputs" / f"{record.stem}.yaml"
            options = Options(
                operator_version=meta["operatorVersion"],
                target=target,
                operator_config=str(folder / config) if config else None,
                passthrough=False,
            )
            wrong += _misplaced(file, options, recorded["errors"])
    assert wrong == []


def _misplaced(file: Path, options: Options, errors: list[str]) -> list[Any]:
    findings = Findings()
    list(compile_each([str(file)], options, findings))
    if not findings.errors:
        return []
    found = [item for item in findings.items if item.slug.startswith("admission/")]
    lines = file.read_text().split("\n")
    places = [place for item in found for place in (item.place, *item.related) if place is not None]
    shown = [lines[place.line - 1] for place in places]
    if len(lines) < 3:
        # The whole document is a line of JSON: the field and those beside it.
        document = json.loads(lines[0])
        shown = [json.dumps(at(document, item.path[:-1])) for item in found if len(item.path) > 1]
    values = {one or other for error in errors for one, other in _SAID.findall(error)}
    written = [value for value in values if value in "\n".join(lines)]
    missed = [value for value in written if not any(value in line for line in shown)]
    unplaced = [item.message for item in found if item.place is None or item.place.file != str(file)]
    return [(file.name, options.target, *missed, *unplaced)] if missed or unplaced else []

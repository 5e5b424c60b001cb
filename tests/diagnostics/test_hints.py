"""A hint that is followed to the letter makes its finding go away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_each, compile_paths
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.schema.suggestions import placeholder_hint, quantity_hint
from dynamoc.kube.quantity import canonical_as_read
from tests.conformance.corpora import SHARED, corpora, needs_corpora

GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: web
  namespace: team
  labels: {team: "search"}
spec:
  components:
  - name: Worker
    type: worker
    replicas: 1
    podTemplate:
      spec:
        hostNetwork: false
        containers:
        - name: main
          image: nvcr.io/nvidia/runtime:1.4.0
          env:
          - name: VERSION
            value: "x"
          resources:
            limits: {memory: 64Gi, cpu: "2"}
"""
ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: web
  namespace: team
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      resources: {limits: {memory: 64Gi}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/runtime:1.4.0
"""


def findings_of(text: str, folder: Path, name: str = "graph.yaml", release: str = "1.4") -> list[Finding]:
    file = folder / name
    file.write_text(text)
    findings = Findings()
    compile_paths([str(file)], Options(operator_version=release, target="grove"), findings)
    return [item for item in findings.items if item.slug != "admission/deprecated-version"]


def at_place(text: str, finding: Finding, pattern: str, new: str) -> str:
    """The text with what matches the pattern at the place of a finding replaced."""
    assert finding.place is not None
    lines = text.split("\n")
    index, column = finding.place.line - 1, finding.place.column - 1
    line = lines[index]
    lines[index] = line[:column] + re.sub(f"^{pattern}", lambda _: new, line[column:], count=1)
    return "\n".join(lines)


_SCALAR = r"""("[^"]*"|'[^']*'|[^\s,}\]]+)"""
#: the same where a key may be meant
_WORD = r"""("[^"]*"|'[^']*'|[^\s,}\]:]+)"""
#: how hints that can be followed by a machine begin, and what to do
FOLLOWED: list[tuple[str, Callable[[str, Finding, re.Match[str]], str]]] = [
    (r'put it in quotes: ("[^"]*")', lambda text, finding, found: at_place(text, finding, _SCALAR, found[1])),
    (r"write it without quotes: (\S+)", lambda text, finding, found: at_place(text, finding, _SCALAR, found[1])),
    (r'write ("?[\d.]+[A-Za-z]*"?)( \(|$)', lambda text, finding, found: at_place(text, finding, _SCALAR, found[1])),
    (r"did you mean `([^`]+)`\?", lambda text, finding, found: at_place(text, finding, _WORD, f'"{found[1]}"')),
    (r"write `([^`: .]+)`$", lambda text, finding, found: at_place(text, finding, _WORD, found[1])),
    (r"write `[a-zA-Z]+: ([^`{}]+)`$", lambda text, finding, found: at_place(text, finding, _SCALAR, found[1])),
    (
        r"rename the container `([^`]+)` to `([^`]+)`",
        lambda text, _, found: re.sub(rf'(name"?: *"?){re.escape(found[1])}\b', rf"\g<1>{found[2]}", text),
    ),
]


def follow(text: str, finding: Finding) -> str | None:
    """The text as the hint wants it, None for a hint that takes a person."""
    for pattern, done in FOLLOWED:
        found = re.match(pattern, finding.hint or "")
        if found is not None:
            return done(text, finding, found)
    return None


@pytest.mark.parametrize(
    "written", ["1.10", "yes", "no", "0755", "1e3", "0o14", "1_000", ".5", "on", "0x1F", "2.0", "8080", "true", "-1"]
)
@pytest.mark.parametrize("field", ['"x"', '"search"'])
def test_what_is_quoted_is_what_is_written(written: str, field: str, tmp_path: Path) -> None:
    text = GRAPH.replace(field, written)
    (found,) = findings_of(text, tmp_path)
    assert found.hint is not None
    assert found.hint.startswith(f'put it in quotes: "{written}"')
    followed = follow(text, found)
    assert followed == GRAPH.replace(field, f'"{written}"')
    assert [item for item in findings_of(followed, tmp_path) if item.slug == "schema/type"] == []


def test_the_hint_says_what_yaml_made_of_it(tmp_path: Path) -> None:
    (found,) = findings_of(GRAPH.replace('"x"', "1.10"), tmp_path)
    assert found.hint == 'put it in quotes: "1.10" (without quotes YAML reads 1.10 as 1.1)'
    (found,) = findings_of(GRAPH.replace('"x"', "8080"), tmp_path)
    assert found.hint == 'put it in quotes: "8080"'


def test_numbers_of_json_are_quoted_as_they_are_written(tmp_path: Path) -> None:
    text = json.dumps(
        {
            "apiVersion": "nvidia.com/v1beta1",
            "kind": "DynamoGraphDeployment",
            "metadata": {"name": "a", "labels": {"b": 7}},
        }
    )
    found = findings_of(text.replace("7", "1.10"), tmp_path, "graph.json")
    assert [item.hint for item in found if item.slug == "schema/type"][:1] == [
        'put it in quotes: "1.10" (without quotes YAML reads 1.10 as 1.1)'
    ]


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("memory: 64Gi", "memory: 64GB", "write 64G (1000^3 bytes each) or 64Gi (1024^3 bytes each)"),
        ("memory: 64Gi", "memory: 64gib", "write 64Gi"),
        ("memory: 64Gi", "memory: 64 Gi", "write 64G (1000^3 bytes each) or 64Gi (1024^3 bytes each)"),
        ('cpu: "2"', "cpu: 4 cores", "write 4"),
        ('cpu: "2"', "cpu: '1,5'", None),
        ("replicas: 1", 'replicas: "2"', "write it without quotes: 2"),
        ("hostNetwork: false", "hostNetwork: 'yes'", "write it without quotes: true"),
        ("type: worker", "type: wroker", "did you mean `worker`?"),
        ("name: main", "name: vllm", "rename the container `vllm` to `main`"),
    ],
)
def test_hints_are_right_if_followed(old: str, new: str, hint: str | None, tmp_path: Path) -> None:
    text = GRAPH.replace(old, new)
    if " Gi" in new:
        text = text.replace("64 Gi", "'64 Gi'")
        hint = "write 64Gi"
    if "cores" in new:
        text = text.replace("4 cores", "'4 cores'")
    if hint is None:
        text, hint = GRAPH.replace(old, new), 'write "1.5"'
    (found,) = findings_of(text, tmp_path)
    assert found.hint == hint
    followed = follow(text, found)
    assert followed is not None
    assert findings_of(followed, tmp_path) == []


@pytest.mark.parametrize(
    ("placeholder", "tool"),
    [
        ("${REPLICAS}", "envsubst"),
        ("'{{ .Values.replicas }}'", "helm template"),
        ("$(REPLICAS)", "kustomize build"),
        ("$REPLICAS", "envsubst"),
    ],
)
@pytest.mark.parametrize("field", ["replicas: 1", "hostNetwork: false"])
def test_placeholders_name_the_tool_that_fills_them_in(placeholder: str, tool: str, field: str, tmp_path: Path) -> None:
    text = GRAPH.replace(field, f"{field.partition(':')[0]}: {placeholder}")
    (found,) = findings_of(text, tmp_path)
    assert found.hint is not None
    assert tool in found.hint
    assert findings_of(text.replace(placeholder, field.partition(": ")[2]), tmp_path) == []


def test_a_placeholder_in_a_flow_mapping_is_a_template(tmp_path: Path) -> None:
    (found,) = findings_of(GRAPH.replace("memory: 64Gi", "memory: ${MEMORY}"), tmp_path)
    assert "template" in (found.hint or "")
    (found,) = findings_of(GRAPH.replace("{memory: 64Gi", '{memory: "${MEMORY}"'), tmp_path)
    assert found.hint is not None
    assert found.hint.startswith("fill in `${MEMORY}` first: `envsubst < FILE | ")


def test_a_quantity_that_the_operator_drops_has_the_hint_too(tmp_path: Path) -> None:
    for release in ("1.0", "1.4"):
        text = ALPHA.replace("64Gi", "64GB")
        (found,) = [item for item in findings_of(text, tmp_path, release=release) if item.slug.startswith("resources/")]
        assert found.hint is not None
        assert found.hint.startswith("write 64G (")
        followed = follow(text, found)
        assert followed is not None
        assert [
            item for item in findings_of(followed, tmp_path, release=release) if item.slug.startswith("resources/")
        ] == []


def test_the_only_container_of_a_service_is_meant_as_the_main_one(tmp_path: Path) -> None:
    container = "        containers: [{name: vllm, image: nvcr.io/nvidia/runtime:1.4.0}]\n"
    text = ALPHA[: ALPHA.index("        mainContainer")] + container
    found = [item for item in findings_of(text, tmp_path) if item.slug == "admission/no-image"]
    assert [item.hint for item in found] == ["move the container `vllm` to `extraPodSpec.mainContainer`"]


def test_an_unfinished_merge_is_called_so(tmp_path: Path) -> None:
    conflict = "<<<<<<< HEAD\n    replicas: 1\n=======\n    replicas: 2\n>>>>>>> feature\n"
    (found,) = findings_of(GRAPH.replace("    replicas: 1\n", conflict), tmp_path)
    assert (found.slug, found.place and found.place.line) == ("read/conflict", 11)
    kept = [
        line
        for line in conflict.split("\n")
        if not line.startswith(("<<<<<<<", "=======", ">>>>>>>", "    replicas: 2"))
    ]
    assert findings_of(GRAPH.replace("    replicas: 1\n", "\n".join(kept)), tmp_path) == []


def test_arrows_in_a_text_are_no_conflict(tmp_path: Path) -> None:
    assert findings_of(GRAPH.replace('"x"', "'<<<<<<< HEAD'"), tmp_path) == []


JSON = (
    '{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "web"},\n'
    ' "spec": {"components": [{"name": "A", "type": "worker", "podTemplate":\n'
    '  {"spec": {"containers": [{"name": "main", "image": "x:1.4.0"}]}}}]}}\n'
)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{", "// a graph\n{", "Remove the comment"),
        ('"kind"', '/* which */ "kind"', "Remove the comment"),
        ("},\n", "}, // the name\n", "Remove the comment"),
        ('{"apiVersion": "nvidia', '{kind: "\\/", "apiVersion": "nvidia', 'Write "kind" in double quotes.'),
        ('"x:1.4.0"}]', '"x:1.4.0", "command": ["\\/a",]}]', "Remove the comma."),
        ('"x:1.4.0"}', '"x:1.4.0", "workingDir": "\\/a",}', "Remove the comma."),
    ],
)
def test_what_is_nearly_json_says_what_json_lacks(old: str, new: str, words: str, tmp_path: Path) -> None:
    found = findings_of(JSON.replace(old, new, 1), tmp_path, "graph.json")
    assert [words in (item.hint or "") for item in found if item.slug == "read/json"] == [True]


@pytest.mark.parametrize(
    "text", ["64GB", "64 gb", "64gi", "64GiB", "1,5", "4 cores", "500mCPU", "0.5 TB", "100kb", "3Mb"]
)
def test_every_number_in_a_hint_is_a_quantity(text: str) -> None:
    hint = quantity_hint(text)
    assert hint is not None
    for written in re.findall(r'(?:write|or) "?([\d.]+[A-Za-z]*)', hint):
        assert canonical_as_read(written)


@pytest.mark.parametrize("text", ["", "many", "64Q", "1.2.3", "٣Gi", "64Gi"])
def test_nothing_is_said_about_what_nobody_can_guess(text: str) -> None:
    assert quantity_hint(text) is None or text == "64Gi"
    assert placeholder_hint(text) is None


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_hints_about_recorded_inputs_are_right_if_followed(corpus: str, tmp_path: Path) -> None:
    """Of each third recorded input, if it is refused: a hint that a machine can follow ends its finding."""
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    options = Options(operator_version=meta["operatorVersion"], target=meta["targets"][0], passthrough=False)
    findings = Findings()
    list(compile_each([str(path) for path in sorted((folder / "inputs").glob("*.yaml"))[::3]], options, findings))
    wrong = []
    for number, finding in enumerate(findings.items):
        if finding.place is None or finding.severity != "error":
            continue
        text = Path(finding.place.file).read_text()
        followed = follow(text, finding)
        if followed is None:
            continue
        copy = tmp_path / f"{number}.yaml"
        copy.write_text(followed)
        again = Findings()
        list(compile_each([str(copy)], options, again))
        if any(
            (item.slug, item.path, item.message) == (finding.slug, finding.path, finding.message)
            for item in again.items
        ):
            wrong.append((finding.place, finding.message, finding.hint))
    assert wrong == []

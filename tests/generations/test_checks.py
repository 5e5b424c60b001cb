"""`render` and `validate` of documents of Dynamo 0.1 to 0.3, and what tells them from later ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dynamoc.admission.cluster.objects import may_be_early
from dynamoc.compiler.generations.kinds import KINDS, SHARED, early_kind, refusal
from tests.cli.conftest import Run

HEAD = "apiVersion: nvidia.com/v1alpha1\nkind: {}\nmetadata:\n  name: x\nspec:\n"
WHOLE = {
    "DynamoDeployment": "  dynamoNim: a:b\n",
    "DynamoNimDeployment": "  dynamoNim: a--b\n  dynamoTag: graphs.agg:Frontend\n",
    "DynamoNimRequest": "  bentoTag: a:b\n",
    "DynamoNim": "  tag: a:b\n  image: x\n",
    "DynamoGraphDeployment": "  dynamoGraph: a:b\n",
    "DynamoComponentDeployment": "  dynamoComponent: a:b\n  dynamoTag: graphs.agg:Frontend\n",
    "DynamoComponent": "  dynamoComponent: a:b\n",
    "DynamoComponentRequest": "  dynamoComponent: a:b\n",
}


def document(kind: str, spec: str | None = None) -> str:
    return HEAD.format(kind) + (WHOLE[kind] if spec is None else spec)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["render", "validate", "requires"])
def test_each_kind_is_recognised_with_the_command_that_helps(dynamoc: Run, kind: str, command: str) -> None:
    Path("a.yaml").write_text(document(kind))
    result = dynamoc(command, "a.yaml", "--operator-version", "1.4")
    assert result.code == 1
    assert "Traceback" not in result.err
    assert f"a.yaml:2:7: error: This {kind} is written for {KINDS[kind].releases}, whose operator" in result.err
    assert "dynamoc convert --to v1beta1 PATH --image NAME=IMAGE" in result.err
    assert "1 error\n" in result.err


@pytest.mark.parametrize("kind", KINDS)
def test_each_required_field_is_missed_at_its_line(dynamoc: Run, kind: str) -> None:
    for field in KINDS[kind].required:
        rest = "".join(f"{line}\n" for line in WHOLE[kind].splitlines() if not line.startswith(f"  {field}:"))
        if kind in SHARED and field == KINDS[kind].artifact:
            continue
        Path("a.yaml").write_text(document(kind, rest or "  {}\n"))
        result = dynamoc("validate", "a.yaml", "--operator-version", "1.4")
        assert f"error: `spec` needs `{field}`. [schema/required]" in result.err
        assert "a.yaml:5:1" in result.err or "a.yaml:6:3" in result.err


def test_fields_that_the_generation_lacks_are_named_with_the_right_one(dynamoc: Run) -> None:
    spec = "  dynamoNim: a:b\n  services:\n    Worker:\n      pvc: {name: x, mountPath: /m}\n      startupProbe: {}\n"
    Path("a.yaml").write_text(document("DynamoDeployment", spec))
    result = dynamoc("validate", "a.yaml", "--operator-version", "1.4")
    assert "a.yaml:9:22: error: The field `mountPath` does not exist in `pvc`" in result.err
    assert "hint: did you mean `mountPoint`?" in result.err
    assert "a.yaml:10:7: error: The field `startupProbe` does not exist" in result.err


def test_the_field_of_the_documentation_is_taken_for_the_real_one(dynamoc: Run) -> None:
    Path("a.yaml").write_text(document("DynamoGraphDeployment", "  dynamoComponent: frontend:abc\n"))
    result = dynamoc("validate", "a.yaml", "--operator-version", "1.4")
    assert "a.yaml:6:20: warning: `dynamoComponent` is not a field of a DynamoGraphDeployment" in result.err
    assert "schema/required" not in result.err


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("DynamoGraphDeployment", "{dynamoGraph: 'a:b', services: {A: {componentType: worker}}}"),
        ("DynamoGraphDeployment", "{dynamoGraph: 'a:b', services: {A: {extraPodSpec: {mainContainer: {}}}}}"),
        ("DynamoGraphDeployment", "{dynamoGraph: 'a:b', backendFramework: vllm}"),
        ("DynamoGraphDeployment", "{dynamoGraph: ''}"),
        ("DynamoGraphDeployment", "{services: {A: {replicas: 1}}}"),
        ("DynamoComponentDeployment", "{dynamoComponent: 'a:b', dynamoTag: 'a:b', componentType: worker}"),
        ("DynamoComponentDeployment", "{dynamoTag: 'a:b'}"),
    ],
)
def test_what_later_releases_read_is_left_to_them(kind: str, spec: str) -> None:
    value = yaml.safe_load(f"{{apiVersion: nvidia.com/v1alpha1, kind: {kind}, metadata: {{name: x}}, spec: {spec}}}")
    assert refusal(value) is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_quick_test_lets_no_such_document_pass(kind: str) -> None:
    value = yaml.safe_load(document(kind))
    assert early_kind(value) is not None
    assert may_be_early(value)


def test_kinds_of_others_are_not_meant() -> None:
    assert early_kind(yaml.safe_load(document("DynamoComponent").replace("nvidia.com", "example.com"))) is None


@pytest.mark.parametrize("version", ["0.1", "0.2", "0.3"])
def test_their_releases_are_unknown_with_the_command_that_helps(dynamoc: Run, version: str) -> None:
    Path("a.yaml").write_text(document("DynamoDeployment"))
    result = dynamoc("render", "a.yaml", "--operator-version", version)
    assert result.code == 2
    assert "`dynamoc convert` turns documents of Dynamo 0.1 to 0.3 into graphs of today." in result.err

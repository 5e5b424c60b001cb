"""Objects that pass through, judged by what is known of their kinds and by schemas of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.check.graphs import OPTIONS, slugs
from tests.cli.conftest import Run

TYPE, FIELD = "check/wrong-type", "check/unknown-field"
HEAD = "apiVersion: {}\nkind: {}\nmetadata: {{name: a, namespace: ml}}\n"


def check(dynamoc: Run, text: str, *words: str) -> list[str]:
    Path("other.yaml").write_text(text)
    result = dynamoc("check", "other.yaml", "-o", "json", *OPTIONS, *words)
    found = [each for each in json.loads(result.out)["findings"] if each["severity"] == "error"]
    lines = text.split("\n")
    return [f"{each['slug']} {lines[each['place']['line'] - 1][each['place']['column'] - 1 :]}" for each in found]


@pytest.mark.parametrize(
    ("version", "kind", "rest", "found"),
    [
        ("v1", "Service", "spec: {ports: [{port: 80}]}", []),
        ("v1", "Service", "spec: {ports: [{port: http}]}", [f"{TYPE} http}}]}}"]),
        ("v1", "Service", "spec: {prots: []}", [f"{FIELD} prots: []}}", "admission/service-ports"]),
        ("v1", "Service", "spec: {ports: [{port: 80}], clusterIP: None}\nstatus: {loadBalancer: {}}", []),
        ("v1", "ConfigMap", "data: {a: b}\nextra: 1", [f"{FIELD} extra: 1"]),
        ("apps/v1", "Deployment", "spec: {template: {spec: {contaners: []}}}", [f"{FIELD} contaners: []}}}}}}"]),
        ("batch/v1", "Job", "spec: {template: {spec: {restartPolicy: 5}}}", [f"{TYPE} 5}}}}}}"]),
        ("example.com/v1", "Anything", "spec: {any: thing}", []),
    ],
)
def test_kinds_of_kubernetes(version: str, kind: str, rest: str, found: list[str], dynamoc: Run) -> None:
    reported = check(dynamoc, HEAD.format(version, kind) + rest + "\n")
    assert [each for each in reported if each.startswith("check/")] == [each for each in found if "check" in each]
    assert bool(reported) == bool(found)


@pytest.mark.parametrize(
    ("version", "kind", "rest", "found"),
    [
        ("v1", "Service", "spec: {ports: [null, {port: 80}]}", "port"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef: {kind: Role, name: a}\nsubjects: [null]", "name"),
        ("rbac.authorization.k8s.io/v1", "Role", "rules: [null]", "verb"),
        ("apps/v1", "Deployment", "spec: {template: {spec: {containers: [null]}}}", ""),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [null]}", ""),
    ],
)
def test_nulls_in_lists_are_empty_elements(version: str, kind: str, rest: str, found: str, dynamoc: Run) -> None:
    """As the API server reads them."""
    Path("other.yaml").write_text(HEAD.format(version, kind) + rest + "\n")
    result = dynamoc("check", "other.yaml", *OPTIONS)
    assert result.code == 1 or not found
    assert result.code < 2
    assert found in result.err


def test_what_secrets_hold_is_not_shown(dynamoc: Run) -> None:
    text = HEAD.format("v1", "Secret") + "stringData: {token: [plain-text-here]}\n"
    Path("other.yaml").write_text(text)
    for style in ("text", "json", "sarif", "junit", "gitlab", "checkstyle", "github"):
        result = dynamoc("check", "other.yaml", "--findings", style, *OPTIONS)
        assert result.code == 1
        assert "plain-text-here" not in result.err + result.out


SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"spec": {"$ref": "_definitions.json#/definitions/Spec"}},
}
DEFINITIONS = {
    "definitions": {"Spec": {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}}
}
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget}
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: {type: integer}
                free: {type: object, x-kubernetes-preserve-unknown-fields: true}
                port: {x-kubernetes-int-or-string: true}
                tag: {type: string, nullable: true}
"""
WIDGET = HEAD.format("example.com/v1", "Widget")


@pytest.mark.parametrize(
    "layout", ["widget-example.com-v1.json", "widget-example-v1.json", "example.com/widget_v1.json"]
)
def test_schemas_of_the_user(layout: str, dynamoc: Run) -> None:
    path = Path("schemas", layout)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(SCHEMA))
    (path.parent / "_definitions.json").write_text(json.dumps(DEFINITIONS))
    assert check(dynamoc, WIDGET + "spec: {size: 2}\n", "--schema", "schemas") == []
    assert check(dynamoc, WIDGET + "spec: {size: big}\n", "--schema", "schemas") == ["check/schema big}"]
    assert check(dynamoc, WIDGET + "spec: {}\n", "--schema", "schemas") == ["check/schema {}"]
    assert check(dynamoc, WIDGET + "spec: {size: big}\n") == []


@pytest.mark.parametrize("path", ["crds", "crds/widgets.yaml"])
@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("{size: 2, free: {any: 1}, port: http, tag: null}", []),
        ("{size: 2, sice: 2}", ["check/schema {size: 2, sice: 2}"]),
        ("{size: two}", ["check/schema two}"]),
        ("{size: 2, port: [1]}", ["check/schema [1]}"]),
    ],
)
def test_custom_resource_definitions(path: str, spec: str, found: list[str], dynamoc: Run) -> None:
    Path("crds").mkdir()
    Path("crds/widgets.yaml").write_text(CRD)
    assert check(dynamoc, WIDGET + f"spec: {spec}\n", "--schema", path) == found


@pytest.mark.parametrize("content", ["{", '{"$ref": "https://example.com/other.json"}', '{"$ref": "missing.json"}'])
def test_a_schema_that_cannot_be_used_is_wrong_usage(content: str, dynamoc: Run) -> None:
    Path("schemas").mkdir()
    Path("schemas/widget-example-v1.json").write_text(content)
    Path("other.yaml").write_text(WIDGET)
    result = dynamoc("check", "other.yaml", "--schema", "schemas", *OPTIONS)
    assert (result.code, result.out) == (2, "")
    assert dynamoc("check", "other.yaml", "--schema", "nowhere", *OPTIONS).code == 2


def test_public_manifests_have_no_such_fault(conformance: Path, dynamoc: Run) -> None:
    """Other objects beside graphs: ConfigMaps, claims, Services, Jobs of the public repository."""
    for path in sorted((conformance / "1.4-examples" / "inputs").glob("*.yaml")):
        result = dynamoc("check", str(path), "-o", "json", *OPTIONS)
        if result.out:
            assert not {TYPE, FIELD} & set(slugs(result.out)), path.name

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from dynamoc.cli.schema import json_schemas, to_json_schema
from dynamoc.release import RELEASES
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_exported_schema_is_json_schema() -> None:
    """Each kind and version as the newest release has it; releases before it have the same parts."""
    newest = {key: schema for release in RELEASES for key, schema in json_schemas(release).items()}
    assert ("DynamoGraphDeployment", "v1alpha1") in newest
    for schema in newest.values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_has_schemas(release: str) -> None:
    assert ("DynamoGraphDeployment", "v1alpha1") in json_schemas(release)


def test_the_example_is_valid_and_a_typo_is_not(dynamoc: Run) -> None:
    schema = json.loads(dynamoc("schema", "dynamographdeployment", "--api-version", "v1alpha1").out)
    graph: Any = yaml.safe_load((EXAMPLES / "vllm-multinode.yaml").read_text())
    jsonschema.validate(graph, schema)
    graph["spec"]["services"]["Worker"]["replcias"] = 2
    with pytest.raises(jsonschema.ValidationError, match="replcias"):
        jsonschema.validate(graph, schema)


def test_what_kubernetes_means_is_said_in_json_schema() -> None:
    structural = {
        "type": "object",
        "x-kubernetes-validations": [{"rule": "true"}],
        "properties": {
            "port": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
            "free": {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "x-kubernetes-preserve-unknown-fields": True,
            },
            "map": {"type": "object", "additionalProperties": {"type": "string", "nullable": True}},
        },
    }
    assert to_json_schema(structural) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "port": {"type": ["integer", "string"]},
            "free": {"type": "object", "properties": {"a": {"type": "string"}}},
            "map": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        },
    }


def test_without_a_kind_the_kinds_are_listed(dynamoc: Run) -> None:
    assert "DynamoGraphDeployment v1alpha1\n" in dynamoc("schema").out


def test_a_directory_gets_every_kind_and_version(dynamoc: Run) -> None:
    assert dynamoc("schema", "--output-dir", "out").code == 0
    assert {path.name for path in Path("out").iterdir()} == {
        f"{kind.lower()}_{version}.json" for kind, version in json_schemas("latest")
    }


@pytest.mark.parametrize("line", ["schema Pod", "schema DynamoModel --api-version v9", "schema --operator-version 9"])
def test_what_is_not_there_is_wrong_usage(dynamoc: Run, line: str) -> None:
    assert dynamoc(*line.split()).code == 2

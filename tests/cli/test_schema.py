from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dynamoc.documents.schema.schemas import _texts
from dynamoc.interfaces.cli import schema as command
from dynamoc.interfaces.cli.schema import to_json_schema
from dynamoc.reference.releases import RELEASES
from tests import quick_yaml
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
#: which nothing here changes
json_schemas = cache(command.json_schemas)


@pytest.mark.slow
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
    graph: Any = quick_yaml.load((EXAMPLES / "vllm-multinode.yaml").read_text())
    jsonschema.validate(graph, schema)
    graph["spec"]["services"]["Worker"]["replcias"] = 2
    with pytest.raises(jsonschema.ValidationError, match="replcias"):
        jsonschema.validate(graph, schema)


def fields(schema: Any, parent: str) -> Iterator[tuple[str, str, Any]]:
    """Parent, name and schema of each field."""
    for name, part in schema.get("properties", {}).items():
        yield parent, name, part
        yield from fields(part, name)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from fields(schema[key], parent)


@pytest.mark.parametrize("release", RELEASES)
def test_every_field_of_every_kind_has_a_description(release: str) -> None:
    schemas = {kind: schema for (kind, _), schema in json_schemas(release).items()}
    found = {(parent, name) for kind, schema in schemas.items() for parent, name, _ in fields(schema, kind)}
    bare = {
        (parent, name)
        for kind, schema in schemas.items()
        for parent, name, part in fields(schema, kind)
        if not part.get("description")
    }
    assert len(found) > 500
    assert bare == set()


def test_no_description_is_left_over() -> None:
    used = {
        key
        for release in RELEASES
        for (kind, _), schema in json_schemas(release).items()
        for parent, name, _ in fields(schema, kind)
        for key in (name, f"{parent}.{name}")
    }
    assert set(_texts()) - used == set()


def test_lists_keep_their_keys() -> None:
    graph = json_schemas("1.4")["DynamoGraphDeployment", "v1beta1"]
    components = graph["properties"]["spec"]["properties"]["components"]
    assert (components["x-kubernetes-list-type"], components["x-kubernetes-list-map-keys"]) == ("map", ["name"])


def test_the_older_draft(dynamoc: Run) -> None:
    found = json.loads(dynamoc("schema", "DynamoGraphDeployment", "--draft", "7").out)
    jsonschema.Draft7Validator.check_schema(found)
    assert found["$schema"] == "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("release", "kinds"),
    [
        ("0.4", {"LeaderWorkerSet", "PodGroup", "VirtualService", "DestinationRule"}),
        ("1.0", {"PodCliqueSet", "PodClique", "ClusterTopology", "InferencePool"}),
        ("1.4", {"PodCliqueSet", "ClusterTopologyBinding", "LeaderWorkerSet"}),
    ],
)
def test_kinds_that_are_created_have_schemas_too(release: str, kinds: set[str]) -> None:
    assert kinds <= {kind for kind, _ in json_schemas(release)}


def test_crds(dynamoc: Run) -> None:
    [crd] = quick_yaml.load_all(dynamoc("schema", "podcliqueset", "-o", "crd", "--operator-version", "1.4").out)
    assert (crd["kind"], crd["metadata"]["name"]) == ("CustomResourceDefinition", "podcliquesets.grove.io")
    assert "LeaderWorkerSet leaderworkersets" in dynamoc("schema", "-o", "crd").out
    assert dynamoc("schema", "Deployment", "-o", "crd").code == 2
    assert dynamoc("schema", "-o", "crd", "--output-dir", "crds").code == 0
    [graph] = quick_yaml.load_all(Path("crds/dynamographdeployments.nvidia.com.yaml").read_text())
    assert "x-kubernetes-validations" in json.dumps(graph)


@pytest.mark.parametrize(
    ("target", "release"), [("grove", "1.4"), ("lws", "1.4"), ("grove", "1.0"), ("lws", "1.0"), ("lws", "0.6")]
)
def test_what_is_rendered_is_valid(dynamoc: Run, target: str, release: str) -> None:
    schemas = json_schemas(release)
    graph = str(EXAMPLES / "vllm-multinode.yaml")
    result = dynamoc("render", graph, "--target", target, "--operator-version", release)
    checked = set()
    for item in quick_yaml.load_all(result.out):
        schema = schemas.get((item["kind"], item["apiVersion"].rpartition("/")[2]))
        if schema is not None:
            # Without `validate`, which checks the schema each time.
            jsonschema.validators.validator_for(schema)(schema).validate(item)
            checked.add(item["kind"])
    assert checked >= {"PodCliqueSet" if target == "grove" else "LeaderWorkerSet"}


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

"""The models are those of the newest release: they say what its schemas say, as far as types and bounds go."""

from typing import Any

import pytest
from pydantic import ValidationError

from dynamoc.documents.schema.check import check
from dynamoc.reference.models import v1alpha1, v1beta1
from dynamoc.reference.models.v1alpha1 import DynamoGraphDeployment, GraphDeploymentSpec, SharedSpec
from dynamoc.reference.releases import ORDER
from tools import models
from tools.schemas.__main__ import SCHEMAS, definitions

Tree = dict[str, Any]

NEWEST = ORDER[-1]
VERSIONS = {"v1alpha1": v1alpha1, "v1beta1": v1beta1}
#: What a pydantic type does not say: who fills in a default, and what only the API server checks.
LEFT_TO_SCHEMAS = ("default", "format", "x-kubernetes-")
#: How pydantic writes a schema, beside what it says.
DROPPED = ("$defs", "$ref", "anyOf", "default", "title")
SOURCE = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "graph"},
    "spec": {
        "services": {
            "Worker": {
                "replicas": 2,
                "extraPodSpec": {"nodeSelector": {"gpu": "h100"}, "mainContainer": {"image": "worker:1"}},
            }
        }
    },
}


def said(schema: Tree, models: Tree) -> Tree:
    """What pydantic says, without references, unions with null and titles; lists in an order of their own."""
    out: Tree = {}
    if "$ref" in schema:
        out = said(models[schema["$ref"]], models)
    elif "anyOf" in schema:
        choices = [said(choice, models) for choice in schema["anyOf"] if choice != {"type": "null"}]
        out = choices[0] if len(choices) == 1 else {"anyOf": choices}
    out |= {key: value for key, value in schema.items() if key not in DROPPED}
    if "const" in out:
        out["enum"] = [out.pop("const")]
    for key in ("required", "enum"):
        if key in out:
            out[key] = sorted(out[key])
    return out


def differences(model: Tree, schema: Tree, models: Tree, path: str = "") -> list[str]:
    mine = said(model, models)
    if schema.get("x-kubernetes-int-or-string"):
        return [] if mine["anyOf"] == [{"type": "integer"}, {"type": "string"}] else [f"{path}: no quantity"]
    if not mine.keys() - {"description"}:
        return [] if schema.get("x-kubernetes-preserve-unknown-fields") else [f"{path}: any value"]
    wanted = {key: value for key, value in schema.items() if value != [] and not key.startswith(LEFT_TO_SCHEMAS)}
    wanted |= {key: sorted(wanted[key]) for key in ("required", "enum") if key in wanted}
    fields, known = mine.pop("properties", {}), wanted.pop("properties", {})
    items, extra = mine.pop("items", None), mine.pop("additionalProperties", None)
    if extra is True and not fields:
        # A type of Kubernetes, or what nothing is known about.
        known, wanted = {}, {key: wanted[key] for key in ("type", "description") if key in wanted}
    found = []
    for name in sorted(fields.keys() | (set() if extra is True else known.keys())):
        if name in fields and name in known:
            found += differences(fields[name], known[name], models, f"{path}.{name}")
        else:
            found.append(f"{path}.{name}: {'too much' if name in fields else 'missing'}")
    if isinstance(items, dict):
        found += differences(items, wanted.pop("items"), models, f"{path}[]")
    if isinstance(extra, dict):
        found += differences(extra, wanted.pop("additionalProperties"), models, f"{path}{{}}")
    return found + ([] if mine == wanted else [f"{path}: {mine} instead of {wanted}"])


def test_models_say_what_the_definitions_say() -> None:
    count = 0
    for crd in definitions(SCHEMAS / NEWEST):
        kind = crd["spec"]["names"]["kind"]
        if kind == "DynamoWorkerMetadata":
            # Only pods write it.
            continue
        for version in crd["spec"]["versions"]:
            model = getattr(VERSIONS[version["name"]], kind)
            assert model(metadata={}).to_dict() == {
                "apiVersion": f"nvidia.com/{version['name']}",
                "kind": kind,
                "metadata": {},
            }
            mine = model.model_json_schema(ref_template="{model}")
            # The API server checks these by itself; a CRD only names them.
            mine["properties"] |= {name: {"type": "string"} for name in ("apiVersion", "kind")}
            schema = version["schema"]["openAPIV3Schema"]
            # Only the operator writes it.
            for tree in (mine, schema):
                tree["properties"].pop("status", None)
            assert differences(mine, schema, mine.get("$defs", {}), f"{version['name']}.{kind}") == []
            count += 1
    assert count == 9


def test_models_lack_no_plain_field() -> None:
    lacking = {model.__name__: fields for model, fields in models.missing().items()}
    assert lacking == {}, "run `python -m tools.models`"


def test_a_plain_field_is_added_where_all_that_lack_it_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(definitions(SCHEMAS / NEWEST))
    specs = [crd["spec"]["versions"][-1]["schema"]["openAPIV3Schema"]["properties"]["spec"] for crd in found]
    [graph] = [spec for spec in specs if "components" in spec["properties"]]
    [component] = [spec for spec in specs if "podTemplate" in spec["properties"]]
    field = {"type": "integer", "minimum": 2, "description": "How many."}
    for spec in (component, graph["properties"]["components"]["items"]):
        spec["properties"]["newField"] = field
    graph["properties"]["mode"] = {"type": "string", "enum": ["A", "B"]}
    monkeypatch.setattr(models, "definitions", lambda _: found)
    assert {model.__name__: fields for model, fields in models.missing().items()} == {
        "_Component": ['    new_field: Annotated[int | None, Field(ge=2)] = None\n    """How many."""\n'],
        "GraphDeploymentSpec": ['    mode: Literal["A", "B"] | None = None\n'],
    }
    graph["properties"]["parts"] = {"type": "object"}
    with pytest.raises(ValueError, match="parts: write its class"):
        models.missing()


def test_a_difference_is_found() -> None:
    field = {"type": "integer", "minimum": 1, "description": "How many."}
    model = {"type": "object", "properties": {"a": field}, "additionalProperties": False}
    assert differences(model, {"type": "object", "properties": {"a": {**field, "default": 2}}}, {}) == []
    assert len(differences(model, {"type": "object", "properties": {"a": {**field, "minimum": 2}}}, {})) == 1
    assert len(differences(model, {"type": "object", "properties": {"a": field}, "required": ["a"]}, {})) == 1
    assert differences(model, {"type": "object", "properties": {"b": field}}, {}) == [".a: too much", ".b: missing"]


def test_an_object_holds_what_its_author_wrote_and_no_defaults() -> None:
    assert DynamoGraphDeployment.model_validate(SOURCE).to_dict() == SOURCE


def test_python_names_become_names_of_the_api() -> None:
    graph = DynamoGraphDeployment(
        metadata={"name": "graph"},
        spec=GraphDeploymentSpec(services={"Frontend": SharedSpec(component_type="frontend", replicas=1)}),
    )
    assert graph.to_dict()["spec"] == {"services": {"Frontend": {"componentType": "frontend", "replicas": 1}}}
    assert check("1.0", "DynamoGraphDeployment", "nvidia.com/v1alpha1", graph.to_dict())[1] == []


@pytest.mark.parametrize(
    "spec",
    [
        {"services": {"A": {"replica": 1}}},
        {"services": {"A": {"replicas": -1}}},
        {"services": {"A": {"replicas": "one"}}},
        {"services": {"A": {"multinode": {"nodeCount": 1}}}},
        {"backendFramework": "tensorflow"},
        {"services": {f"s{number}": {} for number in range(26)}},
    ],
)
def test_what_the_schema_refuses_the_model_refuses(spec: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DynamoGraphDeployment.model_validate(SOURCE | {"spec": spec})
    assert check(NEWEST, "DynamoGraphDeployment", "nvidia.com/v1alpha1", SOURCE | {"spec": spec})[1]


def test_fields_of_later_releases_are_refused_by_the_schemas_of_earlier_ones() -> None:
    with_minimum = SOURCE | {"spec": {"services": {"A": {"minAvailable": 1}}}}
    DynamoGraphDeployment.model_validate(with_minimum)
    assert check(NEWEST, "DynamoGraphDeployment", "nvidia.com/v1alpha1", with_minimum)[1] == []
    assert check("1.0", "DynamoGraphDeployment", "nvidia.com/v1alpha1", with_minimum)[1]


def test_beta_graphs_have_a_list_of_components() -> None:
    beta = {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "spec": {"components": [{"name": "worker", "type": "worker", "scalingAdapter": {}}]},
    }
    assert v1beta1.DynamoGraphDeployment.model_validate(beta).to_dict() == beta

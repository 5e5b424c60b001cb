"""What `schemas/` says: it is what Kubernetes takes, and what the operator's CRDs and Go types say."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
from jsonschema import Draft202012Validator

from dynamoc.reference.releases import ORDER
from tests.schema.shared import SHARED, needs_crds, reference_crds
from tools.schemas.__main__ import SCHEMAS, definitions, load
from tools.supply.crds import text, write

GO_TYPES = SHARED / "reference" / "go-types"
needs_go_types = pytest.mark.skipif(
    not GO_TYPES.is_dir(), reason="THE TABLES OF GO TYPES ARE NOT HERE: go-fields.yaml was not compared"
)
API = "github.com/ai-dynamo/dynamo/deploy/operator/api/"
ZEROS: dict[str, Any] = {"string": "", "bool": False, "int32": 0, "int64": 0, "int": 0}
CONSTRAINTS = ("enum", "minimum", "minLength", "pattern")

Tree = dict[str, Any]
Types = dict[str, list[Tree]]


@pytest.mark.parametrize("release", ORDER)
def test_kubernetes_takes_the_definitions(release: str) -> None:
    crds = definitions(SCHEMAS / release)
    assert len(crds) >= 2
    for crd in crds:
        kubernetes_validate.validate(crd, "1.34", strict=True)


@pytest.mark.parametrize("release", ORDER[ORDER.index("1.0") :])
def test_the_schema_of_the_configuration_is_one(release: str) -> None:
    Draft202012Validator.check_schema(load(SCHEMAS / release / "operatorconfiguration.yaml"))


@pytest.mark.parametrize("path", sorted((SCHEMAS / ORDER[-1]).glob("nvidia.com_*.yaml")), ids=lambda path: path.stem)
def test_equal_parts_are_written_once(path: Any) -> None:
    assert path.read_text() == text(load(path))


def test_descriptions_stay_where_new_definitions_have_other_texts(tmp_path: Path) -> None:
    old = load(SCHEMAS / "1.5" / "nvidia.com_dynamomodels.yaml")
    new = copy.deepcopy(old)
    spec = new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["description"] = "Written by others."
    spec["properties"]["description"] = {"type": "string", "description": "Written by others."}
    for crd in (old, new):
        (tmp_path / "nvidia.com_dynamomodels.yaml").write_text(text(old))
        write(tmp_path, crd)
        written = load(tmp_path / "nvidia.com_dynamomodels.yaml")
        if crd is new:
            added = written["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            assert added.pop("description") == {"type": "string"}
        assert written == old


@pytest.mark.parametrize("release", ORDER)
def test_go_fields_name_kinds_and_fields_that_are_there(release: str) -> None:
    crds = definitions(SCHEMAS / release)
    go = load(SCHEMAS / release / "go-fields.yaml")
    versions = {crd["spec"]["names"]["kind"]: [item["name"] for item in crd["spec"]["versions"]] for crd in crds}
    assert [kind for kind, names in go["kinds"].items() if set(names) - set(versions[kind])] == []
    paths = {path for crd in crds for path, _ in fields_of(crd)}
    for written, names in go["fields"].items():
        assert written in ("omitempty", "pointer", "always", "null")
        assert [name for name in names if not any(f".{path}".endswith(f".{name}") for path in paths)] == []


def fields_of(crd: Tree) -> Iterator[tuple[str, Tree]]:
    for version in crd["spec"]["versions"]:
        start = f"{version['name']}.{crd['spec']['names']['kind']}"
        yield from below(version["schema"]["openAPIV3Schema"], start)


def below(schema: Tree, path: str) -> Iterator[tuple[str, Tree]]:
    for name, child in schema.get("properties", {}).items():
        yield f"{path}.{name}", child
        yield from below(child, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from below(schema[key], path)


def structure(schema: Any) -> Any:
    """A schema without descriptions; lists whose order says nothing are sorted.

    Two equal enums under `allOf` are one enum: controller-gen writes the marker of a type and that of a field side by
    side, `schemas/` says it once. This is the only difference in form.
    """
    if isinstance(schema, list):
        return [structure(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: structure(value) for key, value in schema.items() if key != "description" or isinstance(value, dict)}
    if "allOf" in out and all(part == out["allOf"][0] and set(part) == {"enum"} for part in out["allOf"]):
        out["enum"] = out.pop("allOf")[0]["enum"]
    for key in ("required", "enum"):
        if isinstance(out.get(key), list):
            out[key] = sorted(out[key])
    if out.get("required") == []:
        del out["required"]
    return out


def differences(mine: Any, reference: Any, path: str = "") -> list[str]:
    if isinstance(mine, dict) and isinstance(reference, dict):
        found = []
        for key in sorted(mine.keys() | reference.keys()):
            if key not in mine:
                found.append(f"{path}/{key}: missing, {str(reference[key])[:200]}")
            elif key not in reference:
                found.append(f"{path}/{key}: too much, {str(mine[key])[:200]}")
            else:
                found += differences(mine[key], reference[key], f"{path}/{key}")
        return found
    return [] if mine == reference else [f"{path}: {mine!r} instead of {reference!r}"]


def comparable(crd: Tree) -> Tree:
    spec = crd["spec"]
    versions = {
        version["name"]: {
            "schema": structure(version["schema"]["openAPIV3Schema"]),
            "served": version["served"],
            "storage": version["storage"],
            "subresources": version.get("subresources"),
        }
        for version in spec["versions"]
    }
    return {"names": spec["names"], "group": spec["group"], "scope": spec["scope"], "versions": versions}


#: The releases between 1.0 and 1.4 were compared with the CRDs of their commits once, when they were written down.
@needs_crds
@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
def test_structure_is_that_of_the_operators_crds(release: str) -> None:
    mine = {crd["spec"]["names"]["kind"]: comparable(crd) for crd in definitions(SCHEMAS / release)}
    reference = {crd["spec"]["names"]["kind"]: comparable(crd) for crd in reference_crds(release)}
    assert differences(mine, reference) == []


def test_a_difference_is_found() -> None:
    assert differences({"type": "object"}, {"type": "string"}) == ["/type: 'object' instead of 'string'"]
    assert differences({"a": 1}, {"b": 2}) == ["/a: too much, 1", "/b: missing, 2"]


def go_fields(types: Types, name: str) -> dict[str, Tree]:
    found = {}
    for field in types.get(name, []):
        found |= go_fields(types, field["type"].lstrip("*")) if field.get("inline") else {field["json"]: field}
    return found


def expected(field: Tree, schema: Tree, *, required: bool) -> str | None:
    """What the table says about a field that validation looks at; None where nothing depends on it."""
    kind = field["type"].partition("(")[0]
    if kind in ZEROS:
        matters = any(key in schema for key in CONSTRAINTS) or schema.get("default", ZEROS[kind]) != ZEROS[kind]
        if field["omitempty"]:
            return "omitempty" if required or matters else None
        return "always" if required else None
    return "pointer" if kind.startswith("*") and required else None


def compared(
    schema: Tree, kind: str, types: Types, path: str, marks: dict[str, str]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Path, expectation and mark of the fields of Dynamo's own structs."""
    while kind.startswith(("*", "[]", "map[")):
        if kind.startswith("*"):
            kind = kind[1:]
        else:
            schema = schema.get("items") or schema["additionalProperties"]
            kind = kind.partition("]")[2]
    if kind.startswith(API):
        known = go_fields(types, kind)
        for name, child in schema.get("properties", {}).items():
            if name in known:
                here = f"{path}.{name}"
                required = name in schema.get("required", ())
                mark = next((marks[end] for end in marks if here.endswith(f".{end}")), "always" if required else None)
                yield here, expected(known[name], child, required=required), mark
                yield from compared(child, known[name]["type"], types, here, marks)


@needs_go_types
@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_go_fields_are_those_of_the_go_types(release: str) -> None:
    types = json.loads((GO_TYPES / f"dynamo-{release}.json").read_text())
    crd = load(SCHEMAS / release / "nvidia.com_dynamographdeployments.yaml")
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    go = load(SCHEMAS / release / "go-fields.yaml")
    marks = {name: written for written, names in go["fields"].items() for name in names}
    start = "v1alpha1.DynamoGraphDeployment.spec"
    rows = list(compared(spec, f"{API}v1alpha1.DynamoGraphDeploymentSpec", types, start, marks))
    assert len(rows) > 60
    assert [row for row in rows if row[1] is not None and row[1] != row[2]] == []

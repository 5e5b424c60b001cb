"""The `go` markers of the models say what the operator's Go types do, where validation can tell the difference."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from dynamoc.api.crd import definitions
from dynamoc.api.releases import RELEASES
from tests.schema.shared import SHARED

GO_TYPES = SHARED / "reference" / "go-types"
needs_go_types = pytest.mark.skipif(
    not GO_TYPES.is_dir(), reason="THE TABLES OF GO TYPES ARE NOT HERE: the markers of the models were not compared"
)
API = "github.com/ai-dynamo/dynamo/deploy/operator/api/"
ZEROS: dict[str, Any] = {"string": "", "bool": False, "int32": 0, "int64": 0, "int": 0}
CONSTRAINTS = ("enum", "minimum", "minLength", "pattern")

Tree = dict[str, Any]
Types = dict[str, list[Tree]]


def fields(types: Types, name: str) -> dict[str, Tree]:
    found = {}
    for field in types.get(name, []):
        found |= fields(types, field["type"].lstrip("*")) if field.get("inline") else {field["json"]: field}
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


def compared(schema: Tree, kind: str, types: Types, path: str) -> Iterator[tuple[str, str | None, str | None]]:
    """Path, expectation and marker of the fields of Dynamo's own structs."""
    while kind.startswith(("*", "[]", "map[")):
        if kind.startswith("*"):
            kind = kind[1:]
        else:
            schema = schema.get("items") or schema["additionalProperties"]
            kind = kind.partition("]")[2]
    if kind.startswith(API):
        known = fields(types, kind)
        for name, child in schema.get("properties", {}).items():
            if name in known:
                required = name in schema.get("required", ())
                marker = child.get("x-go", "always" if required else None)
                yield f"{path}.{name}", expected(known[name], child, required=required), marker
                yield from compared(child, known[name]["type"], types, f"{path}.{name}")


@needs_go_types
@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_markers_are_those_of_the_go_types(release: str) -> None:
    types = json.loads((GO_TYPES / f"dynamo-{release}.json").read_text())
    (crd,) = [crd for crd in definitions(RELEASES[release]) if crd["spec"]["names"]["kind"] == "DynamoGraphDeployment"]
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    rows = list(compared(spec, f"{API}v1alpha1.DynamoGraphDeploymentSpec", types, "spec"))
    assert len(rows) > 60
    assert [row for row in rows if row[1] is not None and row[1] != row[2]] == []

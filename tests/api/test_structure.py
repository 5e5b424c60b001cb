"""The generated CRDs say what the operator's CRDs say, but for descriptions and printed columns."""

from typing import Any

import pytest

from dynamoc.api.crd import definitions, without_go
from dynamoc.api.releases import RELEASES
from tests.schema.shared import needs_crds, reference_crds

Schema = dict[str, Any]


def structure(schema: Any) -> Any:
    """A schema without descriptions; lists whose order says nothing are sorted.

    Two equal enums under `allOf` are one enum: controller-gen writes the marker of a type and that of a field side by
    side, the models say it once. This is the only difference in form.
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


def comparable(crd: Schema) -> Schema:
    spec = without_go(crd["spec"])
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
    mine = {crd["spec"]["names"]["kind"]: comparable(crd) for crd in definitions(RELEASES[release])}
    reference = {crd["spec"]["names"]["kind"]: comparable(crd) for crd in reference_crds(release)}
    assert differences(mine, reference) == []


def test_a_difference_is_found() -> None:
    assert differences({"type": "object"}, {"type": "string"}) == ["/type: 'object' instead of 'string'"]
    assert differences({"a": 1}, {"b": 2}) == ["/a: too much, 1", "/b: missing, 2"]

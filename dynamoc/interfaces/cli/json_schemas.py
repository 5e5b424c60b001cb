"""The CRDs of a release as JSON Schemas, for editors and validators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.documents.schema.schemas import (
    configuration_schema,
    definitions,
    described,
    description,
    output_definitions,
)
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.reference.releases import RELEASES, get_release

Schema = dict[str, Any]
#: which items of a list are the same one, for tools that merge or compare
_KEPT = ("x-kubernetes-list-type", "x-kubernetes-list-map-keys")


def _definitions(release: str) -> list[Schema]:
    """The CRDs of the operator and of the projects whose objects it creates, with a description for each field."""
    return [_with_versions(crd, described) for crd in (*definitions(release), *output_definitions(release))]


def _with_versions(crd: Schema, described: Callable[[Schema, str], Schema]) -> Schema:
    kind = crd["spec"]["names"]["kind"]
    versions = []
    for version in crd["spec"]["versions"]:
        structural = described(version["schema"]["openAPIV3Schema"], kind)
        versions.append({**version, "schema": {"openAPIV3Schema": structural}})
    return {**crd, "spec": {**crd["spec"], "versions": versions}}


def _release(operator_version: str) -> str:
    try:
        return get_release(operator_version).name
    except KeyError:
        raise UsageError(
            f"--operator-version {operator_version} is not known; known releases: {', '.join(RELEASES)}."
        ) from None


def json_schemas(operator_version: str) -> dict[tuple[str, str], Schema]:
    """By kind and API version, the older version first. Raises UsageError for an unknown release."""
    release = _release(operator_version)
    found: dict[tuple[str, str], Schema] = {}
    for crd in _definitions(release):
        group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        for version in crd["spec"]["versions"]:
            structural = version["schema"]["openAPIV3Schema"]
            found[kind, version["name"]] = _document(structural, kind, f"{group}/{version['name']}")
    configuration = configuration_schema(release)
    if configuration is not None:
        found["OperatorConfiguration", "v1alpha1"] = described(configuration, "OperatorConfiguration")
    return found


def _document(structural: Schema, kind: str, api_version: str) -> Schema:
    document = to_json_schema(structural)
    head = {"apiVersion": {"const": api_version}, "kind": {"const": kind}, "metadata": {"type": "object"}}
    for name, part in head.items():
        document["properties"][name] = {"description": description(kind, name), **part}
    document["required"] = ["apiVersion", "kind", "metadata"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, **document}


def to_json_schema(structural: Schema) -> Schema:
    """What a structural schema of Kubernetes means beyond its keywords, said in JSON Schema.

    Objects with listed properties take no others, unless they keep unknown fields. CEL rules have no counterpart.
    """
    keeps = structural.get("x-kubernetes-preserve-unknown-fields") or structural.get("x-kubernetes-embedded-resource")
    result = {key: value for key, value in structural.items() if not key.startswith("x-kubernetes-") or key in _KEPT}
    if structural.get("x-kubernetes-int-or-string"):
        result.pop("anyOf", None)
        result["type"] = ["integer", "string"]
    if structural.get("nullable"):
        del result["nullable"]
        result["type"] = [structural["type"], "null"]
    if "properties" in structural:
        result["properties"] = {name: to_json_schema(part) for name, part in structural["properties"].items()}
        if not keeps:
            result.setdefault("additionalProperties", False)
    if isinstance(structural.get("additionalProperties"), dict):
        result["additionalProperties"] = to_json_schema(structural["additionalProperties"])
    if "items" in structural:
        result["items"] = to_json_schema(structural["items"])
    return result

"""Kubernetes' own types, as structural schemas.

The definitions come from the OpenAPI documents that the package `kubernetes-validate` ships by version.
"""

import json
from pathlib import Path
from typing import Any

import kubernetes_validate

from tools.schemas.compact import QUANTITY_PATTERN

Tree = dict[str, Any]

_ONE_OR_OTHER: Tree = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
_SPECIAL: dict[str, Tree] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**_ONE_OR_OTHER, "pattern": QUANTITY_PATTERN},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": _ONE_OR_OTHER,
}
_KEPT = frozenset({"type", "format", "enum", "required", "properties", "items", "additionalProperties"})
_KEPT_EXTENSIONS = ("x-kubernetes-list-", "x-kubernetes-map-", "x-kubernetes-preserve-")


class Definitions:
    """The types of one Kubernetes version, with all references resolved."""

    def __init__(self, version: str) -> None:
        folder = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / f"v{version}.0-local"
        self._definitions: Tree = json.loads((folder / "_definitions.json").read_text())["$defs"]
        self._resolved: dict[str, Tree] = {}

    def kind(self, api_version: str, kind: str) -> Tree:
        """The structural schema of a kind; KeyError if that version has no such kind."""
        return self._named(self._kinds()[api_version, kind])

    def _kinds(self) -> dict[tuple[str, str], str]:
        found = {}
        for name, definition in self._definitions.items():
            for key in definition.get("x-kubernetes-group-version-kind", ()):
                api_version = f"{key['group']}/{key['version']}" if key["group"] else key["version"]
                found[api_version, key["kind"]] = name
        return found

    def _named(self, name: str) -> Tree:
        if name not in self._resolved:
            self._resolved[name] = _SPECIAL.get(name) or self._structural(self._definitions[name])
        return self._resolved[name]

    def _structural(self, schema: Tree) -> Tree:
        if "$ref" in schema:
            return self._named(schema["$ref"].rpartition("/")[2])
        out = {key: value for key, value in schema.items() if key in _KEPT or key.startswith(_KEPT_EXTENSIONS)}
        if isinstance(out.get("type"), list):
            out["type"] = next(name for name in out["type"] if name != "null")
        if "properties" in out:
            out["properties"] = {name: self._structural(child) for name, child in out["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(out.get(key), dict):
                out[key] = self._structural(out[key])
        return out

"""CustomResourceDefinition objects of a release."""

from __future__ import annotations

from typing import Any

from dynamoc.api.base import GO, Resource, Schema
from dynamoc.api.kubernetes import Definitions
from dynamoc.api.release import Release
from dynamoc.api.structural import structural

GROUP = "nvidia.com"


def definitions(release: Release) -> list[Schema]:
    """The CRDs of a release, with the keys `x-go` still in their schemas; see `without_go`."""
    kubernetes = Definitions(release.kubernetes, release.embedded_metadata)
    return [_definition(versions, kubernetes, release.stored_in_first) for versions in release.kinds]


def _definition(
    versions: dict[str, type[Resource]], kubernetes: Definitions, stored_in_first: frozenset[str]
) -> Schema:
    newest = list(versions.values())[-1]
    kind = newest.__name__
    stored = next(iter(versions.values())) if kind in stored_in_first else newest
    plural = newest.crd.get("plural", kind.lower() + "s")
    served = [
        _version(name, model, kubernetes, storage=model is stored, old=model is not newest)
        for name, model in versions.items()
    ]
    names = {"kind": kind, "listKind": kind + "List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {**names, "shortNames": [newest.crd["short"]]},
            "scope": newest.crd.get("scope", "Namespaced"),
            "versions": served,
        },
    }


def _version(name: str, model: type[Resource], kubernetes: Definitions, *, storage: bool, old: bool) -> Schema:
    subresources: Schema = {"status": {}} if model.crd.get("status", True) else {}
    if model.crd.get("scale"):
        subresources["scale"] = {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        }
    version: Schema = {"name": name, "served": True, "storage": storage}
    if old:
        version["deprecated"] = True
    if subresources:
        version["subresources"] = subresources
    if columns := model.crd.get("columns"):
        version["additionalPrinterColumns"] = [_column(text) for text in columns]
    version["schema"] = {"openAPIV3Schema": structural(model, kubernetes)}
    return version


def _column(text: str) -> Schema:
    """`NAME=path` or `NAME=path:type` as a column of `kubectl get`."""
    name, _, path = text.partition("=")
    path, _, kind = path.partition(":")
    if not kind:
        kind = "date" if path.endswith("Timestamp") else "string"
    return {"name": name, "type": kind, "jsonPath": path}


def typed(release: Release) -> dict[str, list[str]]:
    """By apiVersion the kinds that pass through the operator's Go types before they are validated."""
    found: dict[str, list[str]] = {}
    for versions in release.kinds:
        for name, model in versions.items():
            if model.typed:
                found.setdefault(f"{GROUP}/{name}", []).append(model.__name__)
    return found


def without_go(value: Any) -> Any:
    """A copy of a schema without the keys that only the run-time form needs."""
    if isinstance(value, dict):
        return {key: without_go(item) for key, item in value.items() if key != GO}
    if isinstance(value, list):
        return [without_go(item) for item in value]
    return value

"""Kubernetes' own types, as structural schemas.

The definitions come from the OpenAPI documents that the package `kubernetes-validate` ships by version. They lack what
Kubernetes' types only say in Go markers: defaults, and that some structs are atomic; those few are listed here.
"""

from __future__ import annotations

import json
import os
from typing import Any

from dynamoc.api.compact import QUANTITY_PATTERN

Schema = dict[str, Any]

_PREFIX = "io.k8s.api."
_ONE_OR_OTHER: Schema = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
_SPECIAL: dict[str, Schema] = {
    "quantity": {**_ONE_OR_OTHER, "pattern": QUANTITY_PATTERN},
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**_ONE_OR_OTHER, "pattern": QUANTITY_PATTERN},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": _ONE_OR_OTHER,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
}
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

# What embedded metadata looks like: controller-gen can leave its fields open, which the API server then prunes.
OPAQUE_METADATA: Schema = {"type": "object"}
NAMED_METADATA: Schema = {
    "type": "object",
    "properties": {
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        "finalizers": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "name": {"type": "string"},
        "namespace": {"type": "string"},
    },
}

# `+default` markers of k8s.io/api.
DEFAULTS: dict[str, Schema] = {
    "AzureDiskVolumeSource": {"fsType": "ext4", "readOnly": False},
    "ConfigMapEnvSource": {"name": ""},
    "ConfigMapKeySelector": {"name": ""},
    "ConfigMapProjection": {"name": ""},
    "ConfigMapVolumeSource": {"name": ""},
    "ContainerPort": {"protocol": "TCP"},
    "FileKeySelector": {"optional": False},
    "GRPCAction": {"service": ""},
    "ISCSIVolumeSource": {"iscsiInterface": "default"},
    "LocalObjectReference": {"name": ""},
    "RBDVolumeSource": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    "ScaleIOVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    "SecretEnvSource": {"name": ""},
    "SecretKeySelector": {"name": ""},
    "SecretProjection": {"name": ""},
}
# They inline LocalObjectReference, and with it its `+structType=atomic`.
ATOMIC = frozenset(
    {"ConfigMapEnvSource", "ConfigMapProjection", "ConfigMapVolumeSource", "SecretEnvSource", "SecretProjection"}
)
# Required in Kubernetes, but a pointer in Go: a missing one stays missing when the struct is written.
POINTERS = {"ScaleIOVolumeSource": ("secretRef",)}
# Lists and pointers without `omitempty`: Go writes null where they are absent.
NULLS = {
    "ProjectedVolumeSource": ("sources",),
    "TypedLocalObjectReference": ("apiGroup",),
    "TypedObjectReference": ("apiGroup",),
}
# Optional in Kubernetes, but a struct in Go: it is always written, with the zeros of what it requires.
STRUCTS = {"PodTemplateSpec": ("spec",)}

_KEPT = frozenset({"type", "format", "enum", "required", "properties", "items", "additionalProperties"})
_KEPT_EXTENSIONS = ("x-kubernetes-list-", "x-kubernetes-map-", "x-kubernetes-preserve-")


class Definitions:
    """The types of one Kubernetes version, with all references resolved.

    `metadata` is what embedded metadata looks like; None leaves it as Kubernetes' own objects have it.
    """

    def __init__(self, version: str, metadata: Schema | None) -> None:
        self._definitions = _load(version)
        self._metadata = metadata
        self._resolved: dict[str, Schema] = {}

    def schema(self, name: str) -> Schema:
        """The structural schema of a type; KeyError if that version has no such type."""
        if name in _SPECIAL:
            return dict(_SPECIAL[name])
        full = name if name.startswith("io.k8s.") else _PREFIX + name
        if full == _OBJECT_META and self._metadata is not None:
            return self._metadata
        if full not in self._resolved:
            self._resolved[full] = self._marked(full.rpartition(".")[2], self._structural(self._definitions[full]))
        return self._resolved[full]

    def kinds(self) -> dict[tuple[str, str], str]:
        """The names of the types that are kinds, by apiVersion and kind."""
        found = {}
        for name, definition in self._definitions.items():
            for key in definition.get("x-kubernetes-group-version-kind", ()):
                api_version = f"{key['group']}/{key['version']}" if key["group"] else key["version"]
                found[api_version, key["kind"]] = name
        return found

    def _structural(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            return self.schema(schema["$ref"].rpartition("/")[2])
        out = {key: value for key, value in schema.items() if key in _KEPT or key.startswith(_KEPT_EXTENSIONS)}
        if isinstance(out.get("type"), list):
            out["type"] = next(name for name in out["type"] if name != "null")
        if "properties" in out:
            out["properties"] = {name: self._structural(child) for name, child in out["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(out.get(key), dict):
                out[key] = self._structural(out[key])
        if "required" in out:
            out["required"] = sorted(out["required"])
        return out

    def _marked(self, name: str, schema: Schema) -> Schema:
        if name in ATOMIC:
            schema["x-kubernetes-map-type"] = "atomic"
        for field, default in DEFAULTS.get(name, {}).items():
            schema["properties"][field] = {**schema["properties"][field], "default": default}
        for field in STRUCTS.get(name, ()):
            schema["properties"][field] = {**schema["properties"][field], "x-go": "always"}
        for field in NULLS.get(name, ()):
            schema["properties"][field] = {**schema["properties"][field], "x-go": "null"}
        for field in POINTERS.get(name, ()):
            schema["properties"][field] = {**schema["properties"][field], "x-go": "pointer"}
        return schema


def _load(version: str) -> Schema:
    import kubernetes_validate  # type: ignore[import-untyped]

    folder = os.path.join(os.path.dirname(kubernetes_validate.__file__), "kubernetes-json-schema")
    with open(os.path.join(folder, f"v{version}.0-local", "_definitions.json"), encoding="utf-8") as file:
        definitions: Schema = json.load(file)["$defs"]
    return definitions

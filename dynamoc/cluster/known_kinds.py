"""What objects of the cluster look like, as far as the operator reads them.

The API server refuses objects of other shapes, so that none can exist. Nothing checks what stands beside a graph but
this: the rest of the program may take its fields for what they are here.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import format_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

TEXT, INTEGER, BASE64 = "a string", "an integer", "a base64 string"
_CLASSES = {TEXT: str, INTEGER: int, BASE64: str}

#: A mapping with ANY_KEY holds entries of one shape; of other mappings only the fields named here are looked at.
ANY_KEY = "*"
_TEXTS = {ANY_KEY: TEXT}
_METADATA = {
    "name": TEXT,
    "namespace": TEXT,
    "generateName": TEXT,
    "uid": TEXT,
    "labels": _TEXTS,
    "annotations": _TEXTS,
    "ownerReferences": [{"apiVersion": TEXT, "kind": TEXT, "name": TEXT}],
}
_SELECTORS = [{"cel": {"expression": TEXT}}]
_DEVICES = {"deviceClassName": TEXT, "allocationMode": TEXT, "count": INTEGER, "selectors": _SELECTORS}
_CLAIM = {"devices": {"requests": [{**_DEVICES, "name": TEXT, "exactly": _DEVICES, "firstAvailable": [_DEVICES]}]}}
_TOPOLOGY = {"spec": {"levels": [{"domain": TEXT, "key": TEXT}]}}
_AGENT = {
    "containers": [{"name": TEXT, "volumeMounts": [{"name": TEXT, "mountPath": TEXT}]}],
    "volumes": [{"name": TEXT, "persistentVolumeClaim": {"claimName": TEXT}}],
}

_CONDITIONS = [{"type": TEXT, "status": TEXT}]
_SNAPSHOT = {
    "spec": {"source": {"podRef": {"containers": [TEXT]}}},
    "status": {"boundPodSnapshotContentName": TEXT, "conditions": _CONDITIONS},
}
_SNAPSHOT_JOB = {"status": {"podSnapshotName": TEXT, "podSnapshotUID": TEXT, "conditions": _CONDITIONS}}
_STATUS = dict.fromkeys(("phase", "identityHash", "checkpointID", "location", "storageType"), TEXT)

#: (group, kind) to the fields that are read; these objects are found by their names
SHAPES: dict[tuple[str, str], Tree] = {
    ("", "ConfigMap"): {"data": _TEXTS},
    ("", "Node"): {},
    ("", "PersistentVolumeClaim"): {},
    ("", "Secret"): {"type": TEXT, "data": {ANY_KEY: BASE64}, "stringData": _TEXTS},
    ("", "ServiceAccount"): {},
    ("apps", "DaemonSet"): {"spec": {"template": {"spec": _AGENT}}},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {"spec": {"group": TEXT}},
    ("apiregistration.k8s.io", "APIService"): {"spec": {"group": TEXT}},
    ("grove.io", "ClusterTopology"): _TOPOLOGY,
    ("grove.io", "ClusterTopologyBinding"): _TOPOLOGY,
    ("nvidia.com", "DynamoCheckpoint"): {"status": _STATUS},
    ("nvidia.com", "DynamoGraphDeploymentScalingAdapter"): {"spec": {"replicas": INTEGER}},
    ("nvidia.com", "PodSnapshot"): _SNAPSHOT,
    ("nvidia.com", "SnapshotJob"): _SNAPSHOT_JOB,
    ("resource.k8s.io", "DeviceClass"): {"spec": {"selectors": _SELECTORS, "extendedResourceName": TEXT}},
    ("resource.k8s.io", "ResourceClaim"): {"spec": _CLAIM},
    ("resource.k8s.io", "ResourceClaimTemplate"): {"spec": {"spec": _CLAIM}},
    ("scheduling.run.ai", "Queue"): {},
}


class Misfit(Exception):
    """A value of another shape: where, what stands in the place of what, and its certain remedy."""

    def __init__(self, path: Path, message: str, hint: str | None = None, change: Change | None = None) -> None:
        super().__init__(message)
        self.change = change
        self.path = path
        self.message = message
        self.hint = hint


def fitted(value: Tree) -> Tree:
    """The object with fields that are null left out, as the API server stores it. Raises Misfit.

    Objects are what `dynamoc.source.objects` gives: mappings whose kind and version are texts.
    """
    shape = SHAPES.get((value["apiVersion"].rpartition("/")[0], value["kind"]))
    found: Tree = _fit(value, {**(shape or {}), "metadata": _METADATA}, ())
    metadata = found.get("metadata") or {}
    if shape is not None and not metadata.get("name") and not metadata.get("generateName"):
        raise Misfit(("metadata",), f"The {value['kind']} has no name.")
    return found


def _fit(value: Any, shape: Any, path: Path) -> Any:
    if shape.__class__ is dict:
        if value.__class__ is not dict:
            raise _misfit(value, "a mapping", path)
        return _fit_mapping(value, shape, path)
    if shape.__class__ is list:
        if value.__class__ is not list:
            raise _misfit(value, "a list", path)
        return [_fit(item, shape[0], (*path, index)) for index, item in enumerate(value)]
    if shape is BASE64 and not (value.__class__ is str and _is_base64(value)):
        # What should have been encoded is the secret itself.
        raise Misfit(path, f"`{format_path(path)}` must be {BASE64}.", "Write plain text to `stringData`.")
    if value.__class__ is not _CLASSES[shape]:
        raise _misfit(value, shape, path)
    return value


def _is_base64(text: Any) -> bool:
    """Whether Go decodes the text, which passes over ends of lines."""
    from base64 import b64decode

    try:
        b64decode(str(text).replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        return False
    return True


def _fit_mapping(value: Tree, shape: Tree, path: Path) -> Tree:
    if ANY_KEY in shape:
        # An entry that is null is an empty text, and not absent.
        return {key: "" if item is None else _fit(item, shape[ANY_KEY], (*path, key)) for key, item in value.items()}
    out = {}
    for key, item in value.items():
        if key not in shape:
            out[key] = item
        elif item is not None:
            out[key] = _fit(item, shape[key], (*path, key))
    return out


def _misfit(value: Any, wanted: str, path: Path) -> Misfit:
    from dynamoc.schema.messages import retyped, shown

    hint = "Put it in quotes." if wanted == TEXT and isinstance(value, bool | int | float) else None
    change = retyped(value, "string" if wanted == TEXT else "array" if wanted == "a list" else None)
    return Misfit(path, f"`{format_path(path)}` must be {wanted}, but is {shown(value)}.", hint, change)

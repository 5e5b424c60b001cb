"""Objects beside the inputs as a cluster would hold them, where a name stands for one, and those it cannot hold.

The API server refuses objects of other shapes, so that none can exist. Nothing checks what is beside a graph but
this: the rest of the program may take its fields for what they are here.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path, format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.messages import retyped, shown
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.schemas import served
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree, is_true
from dynamoc.kube.names import Identity, entries, identity, mapping

GROUP = "nvidia.com"
_EARLY_KINDS = (
    "DynamoDeployment",
    "DynamoNimDeployment",
    "DynamoNimRequest",
    "DynamoNim",
    "DynamoComponent",
    "DynamoComponentRequest",
)
_KINDS_WITH_ARCHIVES = ("DynamoGraphDeployment", "DynamoComponentDeployment")
_ARCHIVES = frozenset(("dynamoGraph", "dynamoComponent"))


def is_dynamo(value: Tree) -> bool:
    """Whether the kind is the operator's. Others share its API group: the GPU operator's, for instance."""
    kind, group = str(value.get("kind", "")), str(value.get("apiVersion", "")).partition("/")[0]
    return group == GROUP and kind.startswith("Dynamo")


def may_be_early(value: Tree) -> bool:
    """Whether a Dynamo document may be of Dynamo 0.1 to 0.3; `dynamoc.compiler.generations` knows for certain."""
    kind, spec = value["kind"], value.get("spec")
    if kind in _EARLY_KINDS:
        return True
    return kind in _KINDS_WITH_ARCHIVES and isinstance(spec, dict) and not _ARCHIVES.isdisjoint(spec)


def duplicates(documents: list[Document], namespace: str | None) -> Iterator[tuple[Document, Document]]:
    """Each document whose object another one gave before, and that other one."""
    seen: dict[Identity, Document] = {}
    for document in documents:
        other = seen.setdefault(identity(document.value, namespace or "default"), document)
        if other is not document:
            yield document, other


@dataclass(eq=False, slots=True)
class Conflict:
    """`document` makes `object` otherwise than `owner` made it; both are the same where one makes it twice."""

    document: Document
    object: Tree
    owner: Document


class Merged:
    """The objects that documents make, one an identity.

    Where one document makes two, the later stays; where two documents disagree, the first stays. `default` is the
    namespace of objects that name none.
    """

    def __init__(self, made: list[tuple[Document, list[Tree]]], default: str) -> None:
        self.objects: dict[Identity, Tree] = {}
        self.conflicts: list[Conflict] = []
        owners: dict[Identity, Document] = {}
        for document, objects in made:
            for item in objects:
                key = identity(item, default)
                owner = owners.setdefault(key, document)
                if self.objects.setdefault(key, item) == item:
                    continue
                self.conflicts.append(Conflict(document, item, owner))
                if owner is document:
                    self.objects[key] = item


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
    """A value of another shape: where, what is in the place of what, and its certain remedy."""

    def __init__(self, path: Path, message: str, hint: str | None = None, change: Change | None = None) -> None:
        super().__init__(message)
        self.change = change
        self.path = path
        self.message = message
        self.hint = hint


def fitted(value: Tree) -> Tree:
    """The object with fields that are null left out, as the API server stores it. Raises Misfit.

    Objects are what `dynamoc.documents.source.reader` gives: mappings whose kind and version are texts.
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
    hint = "Put it in quotes." if wanted == TEXT and isinstance(value, bool | int | float) else None
    change = retyped(value, "string" if wanted == TEXT else "array" if wanted == "a list" else None)
    return Misfit(path, f"`{format_path(path)}` must be {wanted}, but is {shown(value)}.", hint, change)


def existing(value: Tree, release: str) -> tuple[Tree | None, list[Problem]]:
    """The object, checked as far as anybody reads it and with its status; None where the API server refuses it.

    The release does not read kinds and versions that it does not know: they are what they are.
    """
    try:
        value = fitted(value)
    except Misfit as misfit:
        message = f"{misfit.message} The API server rejects the object."
        return None, [Problem("context/malformed", misfit.path, message, misfit.hint, change=misfit.change)]
    metadata = value.get("metadata") or {}
    if not metadata.get("name") and not metadata.get("generateName"):
        message = f"The {value['kind']} has no name: it is not an object of a cluster, and not part of the output."
        return None, [Problem("context/nameless", ("metadata",), message, severity="warning")]
    if not is_dynamo(value):
        return value, []

    if value["apiVersion"] not in served(release, value["kind"]):
        return value, []
    checked, problems = check(release, value["kind"], value["apiVersion"], value, unknown="prune")
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    return {**checked, **({"status": value["status"]} if "status" in value else {})}, problems


def scaled_components(value: Tree) -> list[str]:
    """The names of a graph's components that have a scaling adapter, in either version."""
    is_listed = isinstance(mapping(value, "spec").get("components"), list)
    return [name for name, component in _components(value).items() if _has_adapter(component, is_listed)]


def with_scaled_replicas(manifest: Tree, current: Tree) -> Tree:
    """A manifest whose components with a scaling adapter say the replicas that they have in the cluster.

    `current` is the same graph in the same version.
    """
    known = _components(current)
    taken = {
        name: known[name]["replicas"] for name in scaled_components(manifest) if (known.get(name) or {}).get("replicas")
        is not None
    }  # fmt: skip
    return with_replicas(manifest, taken)


def with_replicas(manifest: Tree, taken: Tree) -> Tree:
    """A manifest whose components say these numbers, by their names."""
    if not taken:
        return manifest
    spec = dict(manifest["spec"])
    if isinstance(spec.get("services"), dict):
        spec["services"] = {name: _with(item, taken.get(name)) for name, item in spec["services"].items()}
    if isinstance(spec.get("components"), list):
        spec["components"] = [_with(item, taken.get(_name(item))) for item in spec["components"]]
    return {**manifest, "spec": spec}


def _components(value: Tree) -> dict[str, Any]:
    """Components by name, as far as they are mappings."""
    spec = mapping(value, "spec")
    found = {name: item for name, item in mapping(spec, "services").items() if isinstance(item, dict)}
    return found | {_name(item): item for _, item in entries(spec, "components")}


def _name(item: Any) -> str:
    return str(item.get("name", "")) if isinstance(item, dict) else ""


def _has_adapter(component: Tree, is_listed: bool) -> bool:
    """v1alpha1 says it with `enabled`, v1beta1 with the presence of the field."""
    adapter = component.get("scalingAdapter")
    return isinstance(adapter, dict) and (is_listed or is_true(adapter.get("enabled")))


def _with(component: Any, replicas: Any) -> Any:
    return component if replicas is None else {**component, "replicas": replicas}

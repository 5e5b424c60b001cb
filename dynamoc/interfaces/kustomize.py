"""What kustomize must know to patch graphs and what they become: keys of lists, references to names, images.

A strategic merge replaces a list whose key it does not know. `openapi:` in a kustomization replaces the schemas that
kustomize has, so the workloads of Kubernetes are part of it.
Source: kubectl.docs.kubernetes.io/references/kustomize (openapi, configurations); the list types of the CRDs;
x-kubernetes-patch-merge-key of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.documents.schema.schemas import definitions
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import ORDER

Path = tuple[str, ...]


#: Lists without a list type in the CRDs whose names are unique all the same.
_NAMED = ("env", "envs", "pvcs")
#: Lists with keys that strategic merges of Kubernetes replace all the same.
_REPLACED = ("claims",)
#: (end of a path, kind that the name at its end belongs to)
_REFERENCES = (
    (("configMapKeyRef", "name"), "ConfigMap"),
    (("configMapRef", "name"), "ConfigMap"),
    (("configMap", "name"), "ConfigMap"),
    (("secretKeyRef", "name"), "Secret"),
    (("secretRef", "name"), "Secret"),
    (("nodePublishSecretRef", "name"), "Secret"),
    (("secret", "name"), "Secret"),
    (("secret", "secretName"), "Secret"),
    (("azureFile", "secretName"), "Secret"),
    (("tls", "secretName"), "Secret"),
    (("imagePullSecrets", "name"), "Secret"),
    (("envFromSecret",), "Secret"),
    (("claimName",), "PersistentVolumeClaim"),
    (("pvcName",), "PersistentVolumeClaim"),
    (("pvcs", "name"), "PersistentVolumeClaim"),
    (("serviceAccountName",), "ServiceAccount"),
    (("checkpointRef",), "DynamoCheckpoint"),
    (("dgdRef", "name"), "DynamoGraphDeployment"),
)
_GROUPS = {"DynamoCheckpoint": "nvidia.com", "DynamoGraphDeployment": "nvidia.com"}
#: any key of a map, which paths of kustomize cannot name
_ANY = "*"
_POD = "podTemplate"
#: (group, version, kind) and where their pod templates are, and where bare pod specs are
_TEMPLATES: dict[tuple[str, str, str], tuple[Path, ...]] = {
    ("apps", "v1", "DaemonSet"): (("spec", "template"),),
    ("apps", "v1", "Deployment"): (("spec", "template"),),
    ("apps", "v1", "ReplicaSet"): (("spec", "template"),),
    ("apps", "v1", "StatefulSet"): (("spec", "template"),),
    ("batch", "v1", "CronJob"): (("spec", "jobTemplate", "spec", "template"),),
    ("batch", "v1", "Job"): (("spec", "template"),),
    ("", "v1", "PodTemplate"): (("template",),),
    ("", "v1", "ReplicationController"): (("spec", "template"),),
    ("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"): (
        ("spec", "leaderWorkerTemplate", "leaderTemplate"),
        ("spec", "leaderWorkerTemplate", "workerTemplate"),
    ),
}
_POD_SPECS: dict[tuple[str, str, str], tuple[Path, ...]] = {
    ("", "v1", "Pod"): (("spec",),),
    ("grove.io", "v1alpha1", "PodClique"): (("spec", "podSpec"),),
    ("grove.io", "v1alpha1", "PodCliqueSet"): (("spec", "template", "cliques[]", "spec", "podSpec"),),
}
#: lists beside the pods: (path, keys of the items)
_LISTS: dict[tuple[str, str, str], tuple[tuple[Path, tuple[str, ...]], ...]] = {
    ("", "v1", "Service"): ((("spec", "ports"), ("port", "protocol")),),
    ("", "v1", "ServiceAccount"): ((("secrets",), ("name",)),),
    ("grove.io", "v1alpha1", "PodCliqueSet"): (
        (("spec", "template", "cliques"), ("name",)),
        (("spec", "template", "podCliqueScalingGroups"), ("name",)),
        (("spec", "template", "resourceClaimTemplates"), ("name",)),
    ),
}


def openapi(release: str) -> Tree:
    """The `openapi` of a kustomization: the lists of each kind that are merged, with their keys."""
    found: dict[tuple[str, str, str], Tree] = {}
    for group, version, kind, schema in _served(release):
        found[group, version, kind] = _lists(schema, "") or {"type": "object"}
    pod = _lists(_pod_template_schema()["properties"]["spec"], "spec") or {}
    for key, places in (*_templates(), *_POD_SPECS.items()):
        for place in places:
            _put(found.setdefault(key, {"type": "object"}), place, pod)
    for key, lists in _LISTS.items():
        for path, keys in lists:
            _mark(_put(found.setdefault(key, {"type": "object"}), path, {"type": "array"}), keys)
    return {
        "swagger": "2.0",
        "info": {"title": f"Kustomize and Dynamo {release}", "version": release},
        "paths": {},
        "definitions": {_name(*key): _typed(schema, key) for key, schema in sorted(found.items())},
    }


def configurations(release: str) -> Tree:
    """The `configurations` of a kustomization: where kinds name other objects, and images outside of `containers`."""
    references: dict[str, list[Tree]] = {}
    images: list[Tree] = []
    for (group, version, kind), path in _leaves(release):
        field = {"path": "/".join(path), "group": group, "version": version, "kind": kind}
        for end, referred in _REFERENCES:
            if path[-len(end) :] == end:
                references.setdefault(referred, []).append(field)
                break
        if path[-1] == "image" and path[-2] in ("mainContainer", "frontendSidecar"):
            images.append(field)
    named = [
        {"kind": kind, "version": "v1", "fieldSpecs": fields}
        if kind not in _GROUPS
        else {"kind": kind, "group": _GROUPS[kind], "fieldSpecs": fields}
        for kind, fields in sorted(references.items())
    ]
    return {"nameReference": named, **({"images": images} if images else {})}


def _served(release: str) -> Iterator[tuple[str, str, str, Tree]]:
    for crd in definitions(release):
        group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        for version in crd["spec"]["versions"]:
            yield group, version["name"], kind, version["schema"]["openAPIV3Schema"]


def _pod_template_schema() -> Tree:
    """The schema of a whole pod template, which the newest graphs have."""
    graph = next(
        schema
        for _, version, kind, schema in _served(ORDER[-1])
        if (kind, version) == ("DynamoGraphDeployment", "v1beta1")
    )
    components = graph["properties"]["spec"]["properties"]["components"]
    found: Tree = components["items"]["properties"][_POD]
    return found


def _templates() -> Iterator[tuple[tuple[str, str, str], tuple[Path, ...]]]:
    for key, places in _TEMPLATES.items():
        yield key, tuple((*place, "spec") for place in places)


def _lists(schema: Tree, name: str) -> Tree | None:
    """The part of a schema that leads to lists with keys; None where none does."""
    if "items" in schema:
        keys = None if name in _REPLACED else schema.get("x-kubernetes-list-map-keys")
        keys = keys or (["name"] if (name in _NAMED and "name" in schema["items"].get("properties", {})) else None)
        inner = _lists(schema["items"], "")
        if not keys and inner is None:
            return None
        found: Tree = {"type": "array", "items": inner or {"type": "object"}}
        return _mark(found, tuple(keys)) if keys else found
    parts = {key: part for key, value in schema.get("properties", {}).items() if (part := _lists(value, key))}
    parts.pop("status", None)
    if parts:
        return {"type": "object", "properties": parts}
    inner = _lists(schema["additionalProperties"], "") if isinstance(schema.get("additionalProperties"), dict) else None
    return {"type": "object", "additionalProperties": inner} if inner else None


def _mark(schema: Tree, keys: tuple[str, ...]) -> Tree:
    """Adds how items are merged: by all keys where kustomize looks at the list type, else by the first."""
    schema.setdefault("items", {"type": "object"})
    schema |= {
        "x-kubernetes-list-map-keys": list(keys),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-patch-merge-key": keys[0],
        "x-kubernetes-patch-strategy": "merge",
    }
    return schema


def _put(schema: Tree, path: Path, part: Tree) -> Tree:
    """Sets the schema at a path, whose steps that end in `[]` go through the items of a list; the schema there."""
    for step in path[:-1]:
        name = step.removesuffix("[]")
        schema = schema.setdefault("properties", {}).setdefault(name, {"type": "array" if name != step else "object"})
        if name != step:
            schema = schema.setdefault("items", {"type": "object"})
    found: Tree = schema.setdefault("properties", {}).setdefault(path[-1], {})
    found.update({**part, **found})
    return found


def _typed(schema: Tree, key: tuple[str, str, str]) -> Tree:
    group, version, kind = key
    named = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": _METADATA}
    return {
        **schema,
        "properties": {
            **named,
            **{name: part for name, part in schema.get("properties", {}).items() if name != "metadata"},
        },
        "x-kubernetes-group-version-kind": [{"group": group, "version": version, "kind": kind}],
    }


_METADATA: Tree = {
    "type": "object",
    "properties": {
        "ownerReferences": _mark({"type": "array"}, ("uid",)),
        "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
    },
}


def _name(group: str, version: str, kind: str) -> str:
    """`com.nvidia.v1beta1.DynamoGraphDeployment`, as in the API server's own document."""
    return ".".join((*reversed((group or "core.api.k8s.io").split(".")), version, kind))


def _leaves(release: str) -> Iterator[tuple[tuple[str, str, str], Path]]:
    """The paths of texts of all kinds that kustomize has no references for."""
    for group, version, kind, schema in _served(release):
        for path in _texts(schema, ()):
            yield (group, version, kind), path
    pod = list(_texts(_pod_template_schema()["properties"]["spec"], ()))
    for key, places in (*_templates(), *_POD_SPECS.items()):
        if "." in key[0]:
            for place in places:
                for path in pod:
                    yield key, (*(step.removesuffix("[]") for step in place), *path)


def _texts(schema: Tree, path: Path) -> Iterator[Path]:
    if path and (path[-1] in ("status", "ephemeralContainers") or path[-1] == _ANY):
        return
    if schema.get("type") == "string":
        yield path
    if "items" in schema:
        yield from _texts(schema["items"], path)
    for name, part in schema.get("properties", {}).items():
        yield from _texts(part, (*path, name))

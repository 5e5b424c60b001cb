"""The objects that a pod names.

Source: k8s.io/api core/v1 types.go; annotations of KAI, Volcano, Grove and Multus.
"""

from __future__ import annotations

from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.requires.reference import (
    CLAIM,
    CLAIM_TEMPLATE,
    CONFIG_MAP,
    CSI_DRIVER,
    ENDPOINTS,
    KAI_QUEUE,
    NETWORK,
    NODE,
    POD_GROUP,
    PRIORITY_CLASS,
    RESOURCE_CLAIM,
    RUNTIME_CLASS,
    SECRET,
    SECRET_PROVIDER,
    SERVICE_ACCOUNT,
    STORAGE_CLASS,
    TRUST_BUNDLE,
    VOLCANO_QUEUE,
    Reference,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.requires.pod_specs import PodSpec

    Tree = dict[str, Any]

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")
_KAI = "kai.scheduler/queue"
_POD_GROUP = "scheduling.k8s.io/group-name"
_QUEUE = "scheduling.volcano.sh/queue-name"
_NETWORKS = "k8s.v1.cni.cncf.io/networks"
#: volumes of storage systems, with the field that names a Secret
_SECRETS_OF_VOLUMES = (
    ("azureFile", "secretName"),
    ("cephfs", "secretRef"),
    ("cinder", "secretRef"),
    ("csi", "nodePublishSecretRef"),
    ("flexVolume", "secretRef"),
    ("iscsi", "secretRef"),
    ("rbd", "secretRef"),
    ("scaleIO", "secretRef"),
    ("storageos", "secretRef"),
)


def pod_references(pod: PodSpec) -> Iterator[Reference]:
    """What a pod names, empty names left out: they mean the default, or nothing."""
    for reference in _all(pod):
        if reference.name:
            yield reference


def _all(pod: PodSpec) -> Iterator[Reference]:
    spec, path = pod.spec, pod.path
    for field in ("serviceAccountName", "serviceAccount"):
        yield Reference(SERVICE_ACCOUNT, text(spec.get(field)), (*path, field))
    yield Reference(PRIORITY_CLASS, text(spec.get("priorityClassName")), (*path, "priorityClassName"), namespace="")
    yield Reference(RUNTIME_CLASS, text(spec.get("runtimeClassName")), (*path, "runtimeClassName"), namespace="")
    yield Reference(NODE, text(spec.get("nodeName")), (*path, "nodeName"), namespace="")
    for at, secret in entries(spec, "imagePullSecrets", path):
        yield Reference(SECRET, text(secret.get("name")), (*at, "name"))
    for at, claim in entries(spec, "resourceClaims", path):
        for field, kind in (("resourceClaimName", RESOURCE_CLAIM), ("resourceClaimTemplateName", CLAIM_TEMPLATE)):
            yield Reference(kind, text(claim.get(field)), (*at, field))
    for at, volume in entries(spec, "volumes", path):
        yield from _volume(volume, at)
    for field in CONTAINER_LISTS:
        for at, container in entries(spec, field, path):
            yield from _environment(container, at)
    yield from _marks(pod)


def _environment(container: Tree, path: Path) -> Iterator[Reference]:
    for at, variable in entries(container, "env", path):
        for field, kind in (("secretKeyRef", SECRET), ("configMapKeyRef", CONFIG_MAP)):
            source = mapping(variable, "valueFrom", field)
            if source:
                yield _named(kind, source, (*at, "valueFrom", field), text(source.get("key")) or None)
    for at, source in entries(container, "envFrom", path):
        for field, kind in (("secretRef", SECRET), ("configMapRef", CONFIG_MAP)):
            if mapping(source, field):
                yield _named(kind, source[field], (*at, field))


def _named(kind: tuple[str, str], source: Tree, path: Path, key: str | None = None) -> Reference:
    optional = source.get("optional") is True
    return Reference(kind, text(source.get("name")), (*path, "name"), optional=optional, key=key)


def _volume(volume: Tree, path: Path) -> Iterator[Reference]:
    claim = mapping(volume, "persistentVolumeClaim")
    yield Reference(CLAIM, text(claim.get("claimName")), (*path, "persistentVolumeClaim", "claimName"))
    yield from _files(volume, "secret", "secretName", SECRET, path)
    yield from _files(volume, "configMap", "name", CONFIG_MAP, path)
    for at, source in entries(mapping(volume, "projected"), "sources", (*path, "projected")):
        yield from _files(source, "secret", "name", SECRET, at)
        yield from _files(source, "configMap", "name", CONFIG_MAP, at)
        bundle = mapping(source, "clusterTrustBundle")
        optional = bundle.get("optional") is True
        where = (*at, "clusterTrustBundle", "name")
        yield Reference(TRUST_BUNDLE, text(bundle.get("name")), where, namespace="", optional=optional)
    for kind, field in _SECRETS_OF_VOLUMES:
        named = mapping(volume, kind).get(field)
        name, where = (mapping(named).get("name"), (*path, kind, field, "name"))
        if isinstance(named, str):
            name, where = named, (*path, kind, field)
        yield Reference(SECRET, text(name), where)
    csi = mapping(volume, "csi")
    yield Reference(CSI_DRIVER, text(csi.get("driver")), (*path, "csi", "driver"), namespace="")
    provider = mapping(csi, "volumeAttributes").get("secretProviderClass")
    yield Reference(SECRET_PROVIDER, text(provider), (*path, "csi", "volumeAttributes", "secretProviderClass"))
    endpoints = mapping(volume, "glusterfs").get("endpoints")
    yield Reference(ENDPOINTS, text(endpoints), (*path, "glusterfs", "endpoints"))
    template = mapping(volume, "ephemeral", "volumeClaimTemplate")
    yield from claim_references(template, (*path, "ephemeral", "volumeClaimTemplate"))


def _files(source: Tree, field: str, name: str, kind: tuple[str, str], path: Path) -> Iterator[Reference]:
    """A Secret or ConfigMap that becomes files; `items` are keys that must be in it."""
    files = mapping(source, field)
    optional, where = files.get("optional") is True, (*path, field, name)
    for key in [text(item.get("key")) for _, item in entries(files, "items")] or [""]:
        yield Reference(kind, text(files.get(name)), where, optional=optional, key=key or None)


def claim_references(claim: Tree, path: Path) -> Iterator[Reference]:
    """What a PersistentVolumeClaim, or a template of one, names."""
    spec, at = mapping(claim, "spec"), (*path, "spec")
    yield Reference(STORAGE_CLASS, text(spec.get("storageClassName")), (*at, "storageClassName"), namespace="")
    yield Reference(("", "PersistentVolume"), text(spec.get("volumeName")), (*at, "volumeName"), namespace="")
    for field in ("dataSource", "dataSourceRef"):
        source = mapping(spec, field)
        kind = (text(source.get("apiGroup")), text(source.get("kind")))
        namespace = text(source.get("namespace")) or None
        yield Reference(kind, text(source.get("name")), (*at, field, "name"), namespace=namespace)


def _marks(pod: PodSpec) -> Iterator[Reference]:
    """What labels and annotations name."""
    at = pod.metadata
    queue = text(pod.labels.get(_KAI))
    yield Reference(KAI_QUEUE, queue, (*at, "labels", _KAI), namespace="")
    yield Reference(POD_GROUP, text(pod.annotations.get(_POD_GROUP)), (*at, "annotations", _POD_GROUP))
    yield Reference(VOLCANO_QUEUE, text(pod.annotations.get(_QUEUE)), (*at, "annotations", _QUEUE), namespace="")
    for namespace, name in _networks(text(pod.annotations.get(_NETWORKS))):
        yield Reference(NETWORK, name, (*at, "annotations", _NETWORKS), namespace=namespace)


def _networks(annotation: str) -> Iterator[tuple[str | None, str]]:
    """Networks as Multus reads them: `ns/name@interface, ...`, or a JSON list of objects."""
    annotation = annotation.strip()
    if annotation.startswith("["):
        from dynamoc.kube.json_data import loads

        try:
            listed = loads(annotation)
        except ValueError:
            return
        for item in listed:
            if isinstance(item, dict):
                yield text(item.get("namespace")) or None, text(item.get("name"))
        return
    for item in annotation.split(","):
        namespace, slash, name = item.strip().partition("@")[0].rpartition("/")
        yield (namespace if slash else None), name

"""What pods name: objects, images, a scheduler, what their nodes must have. Pods of any kind are found by their shape.

Source: k8s.io/api core/v1 types.go; annotations of KAI, Volcano, Grove and Multus.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.analysis.requires import needs
from dynamoc.analysis.requires.needs import Need, Reference
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text
from dynamoc.kube.text import loads

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
        yield Reference(needs.SERVICE_ACCOUNT, text(spec.get(field)), (*path, field))
    yield Reference(
        needs.PRIORITY_CLASS, text(spec.get("priorityClassName")), (*path, "priorityClassName"), namespace=""
    )
    yield Reference(needs.RUNTIME_CLASS, text(spec.get("runtimeClassName")), (*path, "runtimeClassName"), namespace="")
    yield Reference(needs.NODE, text(spec.get("nodeName")), (*path, "nodeName"), namespace="")
    for at, secret in entries(spec, "imagePullSecrets", path):
        yield Reference(needs.SECRET, text(secret.get("name")), (*at, "name"))
    for at, claim in entries(spec, "resourceClaims", path):
        for field, kind in (
            ("resourceClaimName", needs.RESOURCE_CLAIM),
            ("resourceClaimTemplateName", needs.CLAIM_TEMPLATE),
        ):
            yield Reference(kind, text(claim.get(field)), (*at, field))
    for at, volume in entries(spec, "volumes", path):
        yield from _volume(volume, at)
    for field in CONTAINER_LISTS:
        for at, container in entries(spec, field, path):
            yield from _environment(container, at)
    yield from _marks(pod)


def _environment(container: Tree, path: Path) -> Iterator[Reference]:
    for at, variable in entries(container, "env", path):
        for field, kind in (("secretKeyRef", needs.SECRET), ("configMapKeyRef", needs.CONFIG_MAP)):
            source = mapping(variable, "valueFrom", field)
            if source:
                yield _named(kind, source, (*at, "valueFrom", field), text(source.get("key")) or None)
    for at, source in entries(container, "envFrom", path):
        for field, kind in (("secretRef", needs.SECRET), ("configMapRef", needs.CONFIG_MAP)):
            if mapping(source, field):
                yield _named(kind, source[field], (*at, field))


def _named(kind: tuple[str, str], source: Tree, path: Path, key: str | None = None) -> Reference:
    optional = source.get("optional") is True
    return Reference(kind, text(source.get("name")), (*path, "name"), optional=optional, key=key)


def _volume(volume: Tree, path: Path) -> Iterator[Reference]:
    claim = mapping(volume, "persistentVolumeClaim")
    yield Reference(needs.CLAIM, text(claim.get("claimName")), (*path, "persistentVolumeClaim", "claimName"))
    yield from _files(volume, "secret", "secretName", needs.SECRET, path)
    yield from _files(volume, "configMap", "name", needs.CONFIG_MAP, path)
    for at, source in entries(mapping(volume, "projected"), "sources", (*path, "projected")):
        yield from _files(source, "secret", "name", needs.SECRET, at)
        yield from _files(source, "configMap", "name", needs.CONFIG_MAP, at)
        bundle = mapping(source, "clusterTrustBundle")
        optional = bundle.get("optional") is True
        where = (*at, "clusterTrustBundle", "name")
        yield Reference(needs.TRUST_BUNDLE, text(bundle.get("name")), where, namespace="", optional=optional)
    for kind, field in _SECRETS_OF_VOLUMES:
        named = mapping(volume, kind).get(field)
        name, where = (mapping(named).get("name"), (*path, kind, field, "name"))
        if isinstance(named, str):
            name, where = named, (*path, kind, field)
        yield Reference(needs.SECRET, text(name), where)
    csi = mapping(volume, "csi")
    yield Reference(needs.CSI_DRIVER, text(csi.get("driver")), (*path, "csi", "driver"), namespace="")
    provider = mapping(csi, "volumeAttributes").get("secretProviderClass")
    yield Reference(needs.SECRET_PROVIDER, text(provider), (*path, "csi", "volumeAttributes", "secretProviderClass"))
    endpoints = mapping(volume, "glusterfs").get("endpoints")
    yield Reference(needs.ENDPOINTS, text(endpoints), (*path, "glusterfs", "endpoints"))
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
    yield Reference(needs.STORAGE_CLASS, text(spec.get("storageClassName")), (*at, "storageClassName"), namespace="")
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
    yield Reference(needs.KAI_QUEUE, queue, (*at, "labels", _KAI), namespace="")
    yield Reference(needs.POD_GROUP, text(pod.annotations.get(_POD_GROUP)), (*at, "annotations", _POD_GROUP))
    yield Reference(needs.VOLCANO_QUEUE, text(pod.annotations.get(_QUEUE)), (*at, "annotations", _QUEUE), namespace="")
    for namespace, name in _networks(text(pod.annotations.get(_NETWORKS))):
        yield Reference(needs.NETWORK, name, (*at, "annotations", _NETWORKS), namespace=namespace)


def _networks(annotation: str) -> Iterator[tuple[str | None, str]]:
    """Networks as Multus reads them: `ns/name@interface, ...`, or a JSON list of objects."""
    annotation = annotation.strip()
    if annotation.startswith("["):
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


IMAGE, SCHEDULER = "image", "scheduler"
LABEL, HOST_PATH, SECCOMP, APP_ARMOR = "label", "path", "seccomp profile", "AppArmor profile"
NFS = "NFS export"


def named_needs(value: Tree, pod: PodSpec) -> Iterator[tuple[str, str, Need]]:
    """(what, name, need) for all that a pod names and that is not an object of the API; empty names left out."""
    for what, name, path in _names(pod):
        if name:
            yield what, name, Need(value, path)


def _names(pod: PodSpec) -> Iterator[tuple[str, str, Path]]:
    spec, path = pod.spec, pod.path
    yield SCHEDULER, text(spec.get("schedulerName")), (*path, "schedulerName")
    for key, wanted in sorted(mapping(spec, "nodeSelector").items()):
        yield LABEL, f"{key}={wanted}", (*path, "nodeSelector", key)
    yield from _affinity(spec, path)
    yield from _topology_keys(spec, path)
    yield from _profiles(mapping(spec, "securityContext"), (*path, "securityContext"))
    for at, volume in entries(spec, "volumes", path):
        host_path = mapping(volume, "hostPath")
        # Kubernetes makes the others, or takes whatever is there.
        if host_path.get("type") not in ("DirectoryOrCreate", "FileOrCreate"):
            yield HOST_PATH, text(host_path.get("path")), (*at, "hostPath", "path")
        export = mapping(volume, "nfs")
        if export:
            yield NFS, f"{text(export.get('server'))}:{text(export.get('path'))}", (*at, "nfs", "server")
        yield IMAGE, text(mapping(volume, "image").get("reference")), (*at, "image", "reference")
    for field in CONTAINER_LISTS:
        for at, container in entries(spec, field, path):
            yield IMAGE, text(container.get("image")), (*at, "image")
            yield from _profiles(mapping(container, "securityContext"), (*at, "securityContext"))


def _affinity(spec: Tree, path: Path) -> Iterator[tuple[str, str, Path]]:
    """Terms are alternatives: with more than one, no label is needed for certain."""
    required = mapping(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    at = (*path, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = list(entries(required, "nodeSelectorTerms", at))
    for term_at, term in terms if len(terms) == 1 else ():
        for where, rule in entries(term, "matchExpressions", term_at):
            key, values = text(rule.get("key")), [str(value) for value in rule.get("values") or ()]
            if rule.get("operator") == "In":
                yield LABEL, f"{key}={values[0]}" if len(values) == 1 else f"{key} in ({', '.join(values)})", where
            elif rule.get("operator") == "Exists":
                yield LABEL, key, where


def _topology_keys(spec: Tree, path: Path) -> Iterator[tuple[str, str, Path]]:
    """Labels without which a node is no place for the pod: of the domain that it must share, or be spread over."""
    affinity, at = mapping(spec, "affinity", "podAffinity"), (*path, "affinity", "podAffinity")
    for where, term in entries(affinity, "requiredDuringSchedulingIgnoredDuringExecution", at):
        yield LABEL, _unless_everywhere(term), (*where, "topologyKey")
    for where, constraint in entries(spec, "topologySpreadConstraints", path):
        if constraint.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule":
            yield LABEL, _unless_everywhere(constraint), (*where, "topologyKey")


def _unless_everywhere(term: Tree) -> str:
    key = text(term.get("topologyKey"))
    return "" if key == "kubernetes.io/hostname" else key


def _profiles(context: Tree, path: Path) -> Iterator[tuple[str, str, Path]]:
    for field, what in (("seccompProfile", SECCOMP), ("appArmorProfile", APP_ARMOR)):
        profile = mapping(context, field)
        if profile.get("type") == "Localhost":
            yield what, text(profile.get("localhostProfile")), (*path, field, "localhostProfile")


class PodSpec:
    """A PodSpec inside of an object.

    path         where it stands
    labels, annotations  of the pods
    metadata     where these stand
    """

    def __init__(self, path: Path, spec: Tree, metadata: Path, holder: Tree) -> None:
        self.path = path
        self.spec = spec
        self.metadata = metadata
        self.labels: Tree = mapping(holder, "labels")
        self.annotations: Tree = mapping(holder, "annotations")


def pod_specs(value: Tree) -> list[PodSpec]:
    """The pod specs of an object in their order; templates inside of templates count once."""
    return list(_search(value, (), ()))


def _search(value: Any, path: Path, holders: tuple[Tree, ...]) -> Iterator[PodSpec]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _search(item, (*path, index), holders)
    elif isinstance(value, dict):
        if _is_pod_spec(value):
            yield PodSpec(path, value, *_metadata(path, holders))
            return
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _search(item, (*path, key), (*holders, value))


def _is_pod_spec(value: Tree) -> bool:
    containers = value.get("containers")
    return isinstance(containers, list) and bool(containers) and all(_is_container(item) for item in containers)


def _is_container(value: Any) -> bool:
    return isinstance(value, dict) and "name" in value and ("image" in value or "resources" in value or len(value) > 1)


def _metadata(path: Path, holders: tuple[Tree, ...]) -> tuple[Path, Tree]:
    """Where the labels of the pods stand: beside the spec as `metadata`, or those of the clique that it is in."""
    if holders and isinstance(holders[-1].get("metadata"), dict):
        return (*path[:-1], "metadata"), holders[-1]["metadata"]
    if path[-1:] == ("podSpec",) and len(holders) > 1:
        return path[:-2], holders[-2]
    return path, {}


def variables(value: Tree) -> Iterator[tuple[str, str, Path]]:
    """Name, value and place of the variables with a value in an object's containers."""
    for pod in pod_specs(value):
        for field in CONTAINER_LISTS:
            for at, container in entries(pod.spec, field, pod.path):
                for where, variable in entries(container, "env", at):
                    if text(variable.get("value")):
                        yield text(variable.get("name")), variable["value"], (*where, "value")

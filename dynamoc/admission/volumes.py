"""Volumes of pods and where containers mount them (k8s.io/kubernetes/pkg/apis/core/validation)."""

from __future__ import annotations

from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.names import is_dns_label
from dynamoc.kube.quantity import sign
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

#: Fields that a source of a volume cannot go without, in CRDs as in the API server.
REQUIRED = {
    "persistentVolumeClaim": ("claimName",),
    "hostPath": ("path",),
    "nfs": ("path", "server"),
    "csi": ("driver",),
    "iscsi": ("iqn", "lun", "targetPortal"),
    "cephfs": ("monitors",),
    "glusterfs": ("endpoints", "path"),
    "rbd": ("image", "monitors"),
    "azureFile": ("secretName", "shareName"),
    "azureDisk": ("diskName", "diskURI"),
    "awsElasticBlockStore": ("volumeID",),
    "gcePersistentDisk": ("pdName",),
}
#: Names that CRDs leave optional and the API server demands.
_NAMED = {"secret": "secretName", "configMap": "name"}


def check_required(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """Volumes have names, and sources what they cannot go without."""
    for index, volume in enumerate(spec.get("volumes") or ()):
        at = (*path, "volumes", index)
        if not volume.get("name"):
            problems.append(Problem("admission/volume-name", at, "A volume has no name."))
        for source, fields in REQUIRED.items():
            given = volume.get(source)
            if given is not None:
                for field in fields:
                    if given.get(field) in (None, ""):
                        message = f"The volume `{volume.get('name', '')}` needs `{source}.{field}`."
                        problems.append(Problem("admission/volume-source", (*at, source), message))


def check_volumes(spec: Tree, path: Path, problems: list[Problem]) -> set[str]:
    """Names that can be names and are unique, one source each; returns the names."""
    names: set[str] = set()
    for index, volume in enumerate(spec.get("volumes") or ()):
        at = (*path, "volumes", index)
        name = volume.get("name") or ""
        if name and not is_dns_label(name):
            message = f"The volume name `{name}` must be up to 63 lower-case letters, digits and `-`."
            problems.append(Problem("admission/volume-name", (*at, "name"), message))
        if name in names:
            message = f"Two volumes are called `{name}`."
            problems.append(Problem("admission/volume-twice", (*at, "name"), message, None, WARNING))
        names.add(name)
        sources = [key for key, source in volume.items() if key != "name" and source is not None]
        if len(sources) != 1:
            what = f"sources {', '.join(sources)}" if sources else "no source"
            problems.append(Problem("admission/volume-source", at, f"The volume `{name}` has {what}; it takes one."))
        _check_source(name, volume, at, problems)
    return names


def _check_source(name: str, volume: Tree, path: Path, problems: list[Problem]) -> None:
    for source, field in _NAMED.items():
        given = volume.get(source)
        if given is not None and not given.get(field):
            message = f"The volume `{name}` needs `{source}.{field}`."
            problems.append(Problem("admission/volume-source", (*path, source), message))
    size = (volume.get("emptyDir") or {}).get("sizeLimit")
    if size is not None and sign(size) < 0:
        message = f"The size limit {size} of the volume `{name}` must not be negative."
        problems.append(Problem("admission/volume-size", (*path, "emptyDir", "sizeLimit"), message))


def check_mount_fields(container: Tree, path: Path, problems: list[Problem]) -> None:
    """A mount names its volume and its path, in CRDs as in the API server."""
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        for field in ("name", "mountPath"):
            if not mount.get(field):
                message = f"A mount of the container `{container.get('name', '')}` needs `{field}`."
                problems.append(Problem("admission/mount-field", (*path, "volumeMounts", index), message))


def check_mounts(container: Tree, volumes: set[str], path: Path, problems: list[Problem]) -> None:
    """A mount refers to a volume of the pod; two mounts have two paths."""
    paths: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        at = (*path, "volumeMounts", index)
        name, mount_path = mount.get("name") or "", mount.get("mountPath") or ""
        if name and name not in volumes:
            message = f"The container `{container.get('name', '')}` mounts `{name}`, but the pod has no such volume."
            problems.append(Problem("admission/mount-volume", (*at, "name"), message, None, WARNING))
        if mount_path in paths:
            message = f"Two volumes are mounted at `{mount_path}` in the container `{container.get('name', '')}`."
            problems.append(Problem("admission/mount-path", (*at, "mountPath"), message, None, WARNING))
        paths.add(mount_path)
        sub_path, expression = mount.get("subPath"), mount.get("subPathExpr")
        if sub_path and expression:
            message = "A mount has `subPath` or `subPathExpr`, not both."
            problems.append(Problem("admission/mount-sub-path", at, message))
        for text in (sub_path, expression):
            if text and (text.startswith("/") or ".." in text.split("/")):
                message = f"The sub path `{text}` must be relative and without `..`."
                problems.append(Problem("admission/mount-sub-path", at, message))

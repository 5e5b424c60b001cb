"""Volumes of pods and where containers mount them (k8s.io/kubernetes/pkg/apis/core/validation)."""

from __future__ import annotations

from dynamoc.apiserver.choices import check_choice
from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.names import is_dns_label
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_PROPAGATIONS = ("None", "HostToContainer", "Bidirectional")


def check_volumes(spec: Tree, path: Path, problems: list[Problem]) -> dict[str, Tree]:
    """Names that can be names and are unique, at most one source each; returns the volumes by name.

    A volume without a source is an `emptyDir`: the API server's default.
    """
    found: dict[str, Tree] = {}
    for index, volume in enumerate(spec.get("volumes") or ()):
        at = (*path, "volumes", index)
        name = volume.get("name") or ""
        _check_volume_name(name, found, at, problems)
        found[name] = volume
        sources = [key for key, source in volume.items() if key != "name" and source is not None]
        if len(sources) > 1:
            message = f"The volume `{name}` has the sources {', '.join(sources)}; it must have exactly one."
            problems.append(Problem("admission/volume-source", at, message))
        if volume.get("image") is not None:
            message = f"The API server drops the volume `{name}` with its mounts: volumes of images are off by default."
            problems.append(Problem("admission/dropped-field", (*at, "image"), message, None, WARNING))
        if sources and sources != ["emptyDir"]:
            from dynamoc.apiserver.volume_sources import check_source

            for source in sources:
                check_source(name, source, volume[source], (*at, source), problems)
        size = (volume.get("emptyDir") or {}).get("sizeLimit")
        if size is not None:
            _check_size(name, size, (*at, "emptyDir", "sizeLimit"), problems)
    return found


def _check_volume_name(name: str, found: dict[str, Tree], path: Path, problems: list[Problem]) -> None:
    if not name:
        problems.append(Problem("admission/volume-name", path, "A volume has no name.", "add `name`"))
    elif not is_dns_label(name):
        message = f"The volume name `{name}` must be up to 63 lower-case letters, digits and `-`."
        problems.append(Problem("admission/volume-name", (*path, "name"), message))
    elif name in found:
        message = f"Two volumes are named `{name}`."
        problems.append(Problem("admission/volume-twice", (*path, "name"), message))


def _check_size(name: str, size: str | int | float, path: Path, problems: list[Problem]) -> None:
    from dynamoc.golang.quantity import sign

    if sign(size) < 0:
        message = f"The size limit {size} of the volume `{name}` must not be negative."
        problems.append(Problem("admission/volume-size", path, message))


def check_mounts(container: Tree, volumes: dict[str, Tree], path: Path, problems: list[Problem]) -> None:
    """A mount refers to a volume of the pod; two mounts have two paths; block devices likewise."""
    paths: set[str] = set()
    mounted = {mount.get("name") for mount in container.get("volumeMounts") or ()}
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        at = (*path, "volumeMounts", index)
        _check_reference(container, mount, "mounts", volumes, at, problems)
        mount_path = mount.get("mountPath") or ""
        if not mount_path:
            message = f"A mount of the container `{container.get('name', '')}` needs `mountPath`."
            problems.append(Problem("admission/mount-field", at, message))
        elif mount_path in paths:
            message = f"Two volumes are mounted at `{mount_path}` in the container `{container.get('name', '')}`."
            problems.append(Problem("admission/mount-path", (*at, "mountPath"), message))
        paths.add(mount_path)
        _check_mount(container, mount, at, problems)
    for index, device in enumerate(container.get("volumeDevices") or ()):
        at = (*path, "volumeDevices", index)
        if device.get("name") in mounted:
            message = f"The volume `{device['name']}` is mounted already: it cannot be a block device, too."
            problems.append(Problem("admission/device", at, message))
        _check_device(container, device, volumes, paths, at, problems)


def _check_reference(
    container: Tree, mount: Tree, verb: str, volumes: dict[str, Tree], path: Path, problems: list[Problem]
) -> None:
    name = mount.get("name") or ""
    if not name:
        message = f"The container `{container.get('name', '')}` {verb} a volume without a name."
        problems.append(Problem("admission/mount-field", path, message, "add `name`"))
    elif name not in volumes:
        message = f"The container `{container.get('name', '')}` {verb} `{name}`, but the pod does not have this volume."
        problems.append(Problem("admission/mount-volume", (*path, "name"), message))


def _check_mount(container: Tree, mount: Tree, path: Path, problems: list[Problem]) -> None:
    check_choice(mount, "mountPropagation", _PROPAGATIONS, "admission/mount-propagation", path, problems)
    privileged = (container.get("securityContext") or {}).get("privileged")
    if mount.get("mountPropagation") == "Bidirectional" and not privileged:
        message = "`mountPropagation: Bidirectional` needs a privileged container."
        problems.append(Problem("admission/mount-propagation", (*path, "mountPropagation"), message))
    _check_read_only(mount, path, problems)
    sub_path, expression = mount.get("subPath"), mount.get("subPathExpr")
    if sub_path and expression:
        message = "A mount can have `subPath` or `subPathExpr`, not both."
        problems.append(Problem("admission/mount-sub-path", path, message))
    for text in (sub_path, expression):
        if text and (text.startswith("/") or ".." in text.split("/")):
            message = f"The sub path `{text}` must be relative, without `..`."
            problems.append(Problem("admission/mount-sub-path", path, message))


def _check_read_only(mount: Tree, path: Path, problems: list[Problem]) -> None:
    slug: ErrorSlug = "admission/mount-read-only"
    recursive = mount.get("recursiveReadOnly")
    check_choice(mount, "recursiveReadOnly", ("Disabled", "IfPossible", "Enabled"), slug, path, problems)
    if recursive not in ("IfPossible", "Enabled"):
        return
    if not mount.get("readOnly"):
        message = f"`recursiveReadOnly: {recursive}` needs `readOnly: true`."
        problems.append(Problem(slug, (*path, "recursiveReadOnly"), message))
    if mount.get("mountPropagation") not in (None, "", "None"):
        message = (
            f"`recursiveReadOnly: {recursive}` cannot be combined with `mountPropagation: {mount['mountPropagation']}`."
        )
        problems.append(Problem(slug, (*path, "recursiveReadOnly"), message))


def _check_device(
    container: Tree, device: Tree, volumes: dict[str, Tree], paths: set[str], path: Path, problems: list[Problem]
) -> None:
    _check_reference(container, device, "maps", volumes, path, problems)
    volume, device_path = volumes.get(device.get("name") or ""), device.get("devicePath") or ""
    if volume is not None and not (volume.get("persistentVolumeClaim") or volume.get("ephemeral")):
        message = f"The volume `{device.get('name')}` is not a claim: only a claim can be a block device."
        problems.append(Problem("admission/device", path, message))
    if not device_path:
        problems.append(Problem("admission/device", path, "A block device needs `devicePath`."))
    elif device_path in paths:
        message = f"The device path `{device_path}` is already in use in the container `{container.get('name', '')}`."
        problems.append(Problem("admission/device", (*path, "devicePath"), message))
    elif ".." in device_path.split("/"):
        problems.append(Problem("admission/device", (*path, "devicePath"), f"`{device_path}` must not have `..`."))
    paths.add(device_path)

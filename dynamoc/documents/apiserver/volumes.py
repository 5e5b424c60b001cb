"""Volumes of pods and where containers mount them (k8s.io/kubernetes/pkg/apis/core/validation).

Sources of volumes (k8s.io/kubernetes/pkg/apis/core/validation, validateVolumeSource).
"""

from __future__ import annotations

from dynamoc.documents.apiserver.fields import check_annotations, check_choice, check_labels
from dynamoc.documents.apiserver.scheduling import check_claim_spec
from dynamoc.documents.apiserver.variables import check_field_ref, check_resource_ref
from dynamoc.documents.findings.finding import WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_dns_subdomain
from dynamoc.kube.quantity import sign
from dynamoc.reference.slugs import ErrorSlug

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


#: Fields that a source cannot go without. A number of a LUN may be 0; a text may not be empty.
_REQUIRED = {
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "configMap": ("name",),
    "csi": ("driver",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "hostPath": ("path",),
    "iscsi": ("targetPortal", "iqn"),
    "nfs": ("server", "path"),
    "persistentVolumeClaim": ("claimName",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "quobyte": ("registry", "volume"),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "secret": ("secretName",),
    "vsphereVolume": ("volumePath",),
}
_HOST_PATHS = (
    "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice",
)  # fmt: skip
_PROJECTIONS = ("secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle")
_SLUG: ErrorSlug = "admission/volume-source"


def check_source(name: str, source: str, given: Tree, path: Path, problems: list[Problem]) -> None:
    """One source of the volume `name`."""
    problems += [
        Problem(_SLUG, path, f"The volume `{name}` needs `{source}.{field}`.")
        for field in _REQUIRED.get(source, ())
        if not given.get(field)
    ]
    if source in ("secret", "configMap", "downwardAPI", "projected"):
        _check_mode(given, "defaultMode", path, problems)
    if source in ("secret", "configMap"):
        _check_items(given, path, problems)
    check = _CHECKS.get(source)
    if check is not None:
        check(given, path, problems)


def _check_mode(given: Tree, field: str, path: Path, problems: list[Problem]) -> None:
    mode = given.get(field)
    if mode is not None and not 0 <= mode <= 0o777:
        message = f"`{field}: {mode}` must be between 0 and 511 (octal 0777)."
        problems.append(Problem("admission/volume-mode", (*path, field), message))


def _check_items(given: Tree, path: Path, problems: list[Problem]) -> None:
    """Keys of a Secret or ConfigMap and the files that they become."""
    for index, item in enumerate(given.get("items") or ()):
        at = (*path, "items", index)
        if not item.get("key"):
            problems.append(Problem(_SLUG, at, "An item of a volume needs `key`."))
        _check_file(item.get("path") or "", at, problems)
        _check_mode(item, "mode", at, problems)


def _check_file(file: str, path: Path, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidateLocalNonReservedPath"""
    message = None
    if not file:
        message = "A file of a volume needs `path`."
    elif file.startswith("/"):
        message = f"`path: {file}` must be relative."
    elif file.startswith("..") or ".." in file.split("/"):
        message = f"`path: {file}` must not have `..`."
    if message is not None:
        problems.append(Problem("admission/volume-path", (*path, "path") if file else path, message))


def _check_host_path(given: Tree, path: Path, problems: list[Problem]) -> None:
    if ".." in (given.get("path") or "").split("/"):
        problems.append(
            Problem("admission/volume-path", (*path, "path"), f"`path: {given['path']}` must not have `..`.")
        )
    check_choice(given, "type", _HOST_PATHS, _SLUG, path, problems)


def _check_nfs(given: Tree, path: Path, problems: list[Problem]) -> None:
    if given.get("path") and not given["path"].startswith("/"):
        problems.append(Problem("admission/volume-path", (*path, "path"), f"`path: {given['path']}` must be absolute."))


def _check_git(given: Tree, path: Path, problems: list[Problem]) -> None:
    directory = given.get("directory") or ""
    if directory.startswith("/") or ".." in directory.split("/"):
        message = f"`directory: {directory}` must be a relative path without `..`."
        problems.append(Problem("admission/volume-path", (*path, "directory"), message))


def _check_iscsi(given: Tree, path: Path, problems: list[Problem]) -> None:
    name = given.get("iqn") or ""
    if name and not name.startswith(("iqn.", "eui.", "naa.")):
        message = f"`iqn: {name}` must start with `iqn.`, `eui.` or `naa.`."
        problems.append(Problem(_SLUG, (*path, "iqn"), message))
    if not 0 <= (given.get("lun") or 0) <= 255:
        problems.append(Problem(_SLUG, (*path, "lun"), f"`lun: {given['lun']}` must be between 0 and 255."))


def _check_csi(given: Tree, path: Path, problems: list[Problem]) -> None:
    driver = given.get("driver") or ""
    if driver and (len(driver) > 63 or not is_dns_subdomain(driver.lower())):
        message = f"`driver: {driver}` must be a DNS subdomain of up to 63 characters."
        problems.append(Problem(_SLUG, (*path, "driver"), message))
    reference = given.get("nodePublishSecretRef")
    if reference is not None and not reference.get("name"):
        problems.append(Problem(_SLUG, (*path, "nodePublishSecretRef"), "`nodePublishSecretRef` needs `name`."))


def _check_ebs(given: Tree, path: Path, problems: list[Problem]) -> None:
    if not 0 <= (given.get("partition") or 0) <= 255:
        message = f"`partition: {given['partition']}` must be between 0 and 255."
        problems.append(Problem(_SLUG, (*path, "partition"), message))


def _check_azure_disk(given: Tree, path: Path, problems: list[Problem]) -> None:
    check_choice(given, "cachingMode", ("None", "ReadOnly", "ReadWrite"), _SLUG, path, problems)
    check_choice(given, "kind", ("Dedicated", "Managed", "Shared"), _SLUG, path, problems)


def _check_fibre_channel(given: Tree, path: Path, problems: list[Problem]) -> None:
    if bool(given.get("targetWWNs")) == bool(given.get("wwids")):
        problems.append(Problem(_SLUG, path, "`fc` needs either `targetWWNs` or `wwids`."))
    elif given.get("targetWWNs") and given.get("lun") is None:
        problems.append(Problem(_SLUG, path, "`fc.targetWWNs` needs `lun`."))


def _check_downward(given: Tree, path: Path, problems: list[Problem]) -> None:
    for index, item in enumerate(given.get("items") or ()):
        at = (*path, "items", index)
        _check_file(item.get("path") or "", at, problems)
        _check_mode(item, "mode", at, problems)
        field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
        if (field is None) == (resource is None):
            message = "A file of a `downwardAPI` volume must have either `fieldRef` or `resourceFieldRef`."
            problems.append(Problem(_SLUG, at, message))
        if field is not None:
            check_field_ref(field, (*at, "fieldRef"), problems, volume=True)
        if resource is not None:
            check_resource_ref(resource, (*at, "resourceFieldRef"), problems, volume=True)


def _check_projected(given: Tree, path: Path, problems: list[Problem]) -> None:
    for index, source in enumerate(given.get("sources") or ()):
        at = (*path, "sources", index)
        kinds = [kind for kind, value in source.items() if value is not None]
        if len(kinds) > 1:
            message = f"An entry of `sources` has {len(kinds)} sources; it must have at most one."
            problems.append(Problem(_SLUG, at, message, f"write one of {', '.join(_PROJECTIONS)}"))
        for kind in kinds:
            _check_projection(kind, source[kind], (*at, kind), problems)


def _check_projection(kind: str, given: Tree, path: Path, problems: list[Problem]) -> None:
    if kind in ("secret", "configMap"):
        if not given.get("name"):
            problems.append(Problem(_SLUG, path, f"`{kind}` needs `name`."))
        _check_items(given, path, problems)
    elif kind == "downwardAPI":
        _check_downward(given, path, problems)
    elif kind == "serviceAccountToken":
        seconds = given.get("expirationSeconds")
        if seconds is not None and not 600 <= seconds <= 1 << 32:
            message = f"`expirationSeconds: {seconds}` must be at least 600 (10 minutes)."
            problems.append(Problem(_SLUG, (*path, "expirationSeconds"), message))
        _check_file(given.get("path") or "", path, problems)


def _check_ephemeral(given: Tree, path: Path, problems: list[Problem]) -> None:
    template = given.get("volumeClaimTemplate")
    if template is None:
        problems.append(Problem(_SLUG, path, "`ephemeral` needs `volumeClaimTemplate`."))
    else:
        at = (*path, "volumeClaimTemplate")
        check_claim_spec(template.get("spec") or {}, (*at, "spec"), problems)
        metadata = template.get("metadata") or {}
        check_labels(metadata.get("labels"), (*at, "metadata", "labels"), problems)
        check_annotations(metadata.get("annotations"), (*at, "metadata", "annotations"), problems)
        problems += [
            Problem(_SLUG, (*at, "metadata", field), f"The claim of `ephemeral` cannot have `metadata.{field}`.")
            for field, given_value in metadata.items()
            if field not in ("labels", "annotations") and given_value
        ]


_CHECKS = {
    "awsElasticBlockStore": _check_ebs,
    "azureDisk": _check_azure_disk,
    "csi": _check_csi,
    "downwardAPI": _check_downward,
    "ephemeral": _check_ephemeral,
    "fc": _check_fibre_channel,
    "gitRepo": _check_git,
    "hostPath": _check_host_path,
    "iscsi": _check_iscsi,
    "nfs": _check_nfs,
    "projected": _check_projected,
}

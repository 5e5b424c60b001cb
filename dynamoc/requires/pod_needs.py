"""What a pod needs from its node: resources, labels, files; and what a pod is made of: images, a scheduler."""

from __future__ import annotations

from dynamoc.compare.pod_counts import is_gpu
from dynamoc.golang import quantity
from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.requires.needs import Need
from dynamoc.requires.pod_references import CONTAINER_LISTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.requires.pod_specs import PodSpec

    Tree = dict[str, Any]

IMAGE, SCHEDULER = "image", "scheduler"
LABEL, HOST_PATH, SECCOMP, APP_ARMOR = "label", "path", "seccomp profile", "AppArmor profile"
NFS = "NFS export"


def named_needs(value: Tree, pod: PodSpec) -> Iterator[tuple[str, str, Need]]:
    """(what, name, need) for all that a pod names and that is no object of the API; empty names left out."""
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


def pod_resources(spec: Tree) -> dict[str, int]:
    """Extended resources of one pod: what its containers hold together, or the most that it holds while it starts.

    Source: k8s.io/component-helpers resource PodRequests: sidecars count on, other init containers run alone.
    """
    running: dict[str, int] = {}
    peak: dict[str, int] = {}
    for _, container in entries(spec, "initContainers"):
        own = _extended(container)
        if container.get("restartPolicy") == "Always":
            running = _sum(running, own)
            own = {}
        peak = _most(peak, _sum(running, own))
    for _, container in entries(spec, "containers"):
        running = _sum(running, _extended(container))
    return _most(peak, running)


def _extended(container: Tree) -> dict[str, int]:
    """Limits: an extended resource has no other request."""
    found = {}
    for name, amount in mapping(container, "resources", "limits").items():
        if "/" in name or is_gpu(name):
            try:
                number = quantity.value(amount)
            except ValueError:
                continue
            if number > 0:
                found[name] = number
    return found


def _sum(left: dict[str, int], right: dict[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in (*left, *right)}


def _most(left: dict[str, int], right: dict[str, int]) -> dict[str, int]:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in (*left, *right)}

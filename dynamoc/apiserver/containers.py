"""Containers of generated pods (k8s.io/kubernetes/pkg/apis/core/validation, ValidateContainers)."""

from __future__ import annotations

from dynamoc.apiserver.choices import check_choice
from dynamoc.apiserver.env import check_env
from dynamoc.apiserver.probes import PROBES, check_lifecycle, check_probe, port_name_message
from dynamoc.apiserver.resources import check_resources
from dynamoc.apiserver.security import check_container_security
from dynamoc.apiserver.volumes import check_mounts
from dynamoc.diagnostics.finding import ERROR, WARNING
from dynamoc.kube.names import is_dns_label, is_port_name
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

LISTS = ("initContainers", "containers")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_PROTOCOLS = ("TCP", "UDP", "SCTP")
_MESSAGES = ("File", "FallbackToLogsOnError")
#: seconds; the API server's default
_DEFAULT_GRACE = 30


def check_containers(
    spec: Tree, volumes: dict[str, Tree], claims: frozenset[str], path: Path, problems: list[Problem]
) -> None:
    """All containers of a pod; volumes and resource claims are those that the pod has."""
    names: set[str] = set()
    for field in LISTS:
        for index, container in enumerate(spec.get(field) or ()):
            at = (*path, field, index)
            _check_name(container, names, at, problems)
            _check_container(container, spec, at, problems)
            _check_order(field, container, at, problems)
            check_mounts(container, volumes, at, problems)
            check_resources(container.get("resources") or {}, claims, (*at, "resources"), problems)
    _check_host_ports(spec, path, problems)


def _check_name(container: Tree, names: set[str], path: Path, problems: list[Problem]) -> None:
    name = container.get("name") or ""
    if not name:
        problems.append(Problem("admission/container-name", path, "A container has no name.", "add `name`"))
    elif not is_dns_label(name):
        message = f"The container name `{name}` must be up to 63 lower-case letters, digits and `-`."
        problems.append(Problem("admission/container-name", (*path, "name"), message))
    if name and name in names:
        message = f"Two containers are named `{name}`."
        problems.append(Problem("admission/container-name", (*path, "name"), message))
    names.add(name)


def _check_container(container: Tree, spec: Tree, path: Path, problems: list[Problem]) -> None:
    check_env(container, path, problems)
    _check_ports(container.get("ports") or (), (*path, "ports"), problems)
    for name in PROBES:
        probe = container.get(name)
        if probe is not None:
            check_probe(name, probe, (*path, name), problems)
    if container.get("lifecycle"):
        grace = spec.get("terminationGracePeriodSeconds")
        check_lifecycle(
            container["lifecycle"], _DEFAULT_GRACE if grace is None else grace, (*path, "lifecycle"), problems
        )
    check_choice(container, "imagePullPolicy", _PULL_POLICIES, "admission/pull-policy", path, problems)
    check_choice(container, "terminationMessagePolicy", _MESSAGES, "admission/termination-message", path, problems)
    if not container.get("image"):
        message = f"The container `{container.get('name', '')}` has no image."
        problems.append(Problem("admission/image", path, message, "add `image`"))
    elif container["image"] != container["image"].strip():
        # A template may have it, and the pods that are made of it are refused.
        message = f"The image {container['image']!r} has leading or trailing spaces: its pods would be rejected."
        problems.append(Problem("admission/image", (*path, "image"), message, "delete the spaces", WARNING))
    _check_resize(container.get("resizePolicy") or (), (*path, "resizePolicy"), problems)
    check_container_security(container, spec, path, problems)


def _check_resize(policies: list[Tree] | tuple[()], path: Path, problems: list[Problem]) -> None:
    names: set[str] = set()
    for index, policy in enumerate(policies):
        slug: ErrorSlug = "admission/resize-policy"
        at = (*path, index)
        problems += [
            Problem(slug, at, f"An entry of `resizePolicy` needs `{field}`.")
            for field in ("resourceName", "restartPolicy")
            if not policy.get(field)
        ]
        name = policy.get("resourceName") or ""
        if name in names:
            problems.append(Problem(slug, at, f"Two entries of `resizePolicy` are for `{name}`."))
        names.add(name)
        check_choice(policy, "resourceName", ("cpu", "memory"), slug, at, problems)
        check_choice(policy, "restartPolicy", ("NotRequired", "RestartContainer"), slug, at, problems)


def _check_ports(ports: list[Tree] | tuple[()], path: Path, problems: list[Problem]) -> None:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at = (*path, index)
        if not port.get("containerPort"):
            message = "A port of a container has no number."
            problems.append(Problem("admission/port-number", at, message, "add `containerPort`"))
        for field in ("containerPort", "hostPort"):
            number = port.get(field) or 0
            if not 0 <= number < 65536:
                message = f"`{field}: {number}` does not exist; ports go from 1 to 65535."
                problems.append(Problem("admission/port-number", (*at, field), message, "write a port from 1 to 65535"))
        name = port.get("name")
        if name and not is_port_name(name):
            problems.append(Problem("admission/port-name", (*at, "name"), port_name_message(name)))
        elif name and name in names:
            message = f"Two ports of the container are named `{name}`."
            problems.append(Problem("admission/port-name", (*at, "name"), message))
        names.add(name or "")
        check_choice(port, "protocol", _PROTOCOLS, "admission/port-protocol", at, problems)


def _check_host_ports(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """A port of the node belongs to one container; in the node's network it is the container's own.

    There, `hostPort` defaults to `containerPort` when the pod is made, not in the template.
    """
    taken: set[tuple[str, str, int]] = set()
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            written = port.get("hostPort")
            host_port = written or (port.get("containerPort") if spec.get("hostNetwork") else None)
            if not host_port:
                continue
            at = (*path, "containers", index, "ports", number, "hostPort" if written else "containerPort")
            key = (port.get("hostIP") or "", port.get("protocol") or "TCP", host_port)
            if key in taken:
                message = f"Two containers use the port {host_port} of the node."
                severity = ERROR if written else WARNING
                problems.append(Problem("admission/host-port", at, message, None, severity))
            taken.add(key)
            if spec.get("hostNetwork") and host_port != port.get("containerPort"):
                message = "With `hostNetwork`, `hostPort` must equal `containerPort`."
                problems.append(Problem("admission/host-port", at, message, "delete `hostPort`"))


def _check_order(field: str, container: Tree, path: Path, problems: list[Problem]) -> None:
    """Init containers end before the pod starts: no probes and hooks, unless they stay as sidecars.

    Any other restart policy is dropped where the feature gate ContainerRestartRules is off, as it is by default.
    """
    restart = container.get("restartPolicy")
    if restart is not None and (field == "containers" or restart != "Always"):
        which = "a container" if field == "containers" else "an init container"
        message = f"The API server drops `restartPolicy: {restart}` of {which}: it has no effect."
        hint = "delete it" if field == "containers" else "write `restartPolicy: Always`, or delete it"
        problems.append(Problem("admission/container-restart", (*path, "restartPolicy"), message, hint, WARNING))
    if field == "initContainers" and restart != "Always":
        for name in (*PROBES, "lifecycle"):
            if container.get(name) is not None:
                message = f"An init container has no `{name}`."
                hint = "write `restartPolicy: Always` to keep it running alongside the others"
                problems.append(Problem("admission/init-container", (*path, name), message, hint))

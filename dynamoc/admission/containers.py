"""Containers of generated pods.

`check_fields` asks what a CRD's schema demands as much as the API server does, `check_containers` what the API server
demands of pods it validates itself. Source: k8s.io/kubernetes/pkg/apis/core/validation.
"""

from __future__ import annotations

from dynamoc.admission.formats import is_config_key
from dynamoc.admission.probes import PROBES, check_lifecycle, check_probe, check_probe_ports, port_name_message
from dynamoc.admission.resources import check_resources
from dynamoc.admission.volumes import check_mount_fields, check_mounts
from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.names import is_dns_label, is_env_var_name, is_port_name
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

LISTS = ("initContainers", "containers")
_PULL_POLICIES = (None, "", "Always", "IfNotPresent", "Never")
_PROTOCOLS = (None, "", "TCP", "UDP", "SCTP")


def check_fields(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """Containers, variables, ports and mounts have the fields they cannot go without."""
    for field in LISTS:
        for index, container in enumerate(spec.get(field) or ()):
            at = (*path, field, index)
            if not container.get("name"):
                problems.append(Problem("admission/container-name", at, "A container has no name.", "add `name`"))
            for number, variable in enumerate(container.get("env") or ()):
                if not variable.get("name"):
                    message = "A variable of the environment has no name."
                    problems.append(Problem("admission/env-name", (*at, "env", number), message, "add `name`"))
            for number, port in enumerate(container.get("ports") or ()):
                if not port.get("containerPort"):
                    message = "A port of a container has no number."
                    problems.append(Problem("admission/port-number", (*at, "ports", number), message))
            check_probe_ports(container, at, problems)
            check_mount_fields(container, at, problems)


def check_containers(
    spec: Tree, volumes: set[str], claims: frozenset[str], path: Path, problems: list[Problem]
) -> None:
    """All containers of a pod that the API server validates itself; their required fields are checked already."""
    names: set[str] = set()
    for field in LISTS:
        for index, container in enumerate(spec.get(field) or ()):
            at = (*path, field, index)
            _check_name(container, names, at, problems)
            _check_container(container, at, problems)
            _check_order(field, container, at, problems)
            check_mounts(container, volumes, at, problems)
            check_resources(container.get("resources") or {}, claims, (*at, "resources"), problems)
    _check_host_ports(spec, path, problems)


def _check_name(container: Tree, names: set[str], path: Path, problems: list[Problem]) -> None:
    name = container.get("name") or ""
    if name and not is_dns_label(name):
        message = f"The container name `{name}` must be up to 63 lower-case letters, digits and `-`."
        problems.append(Problem("admission/container-name", (*path, "name"), message))
    if name and name in names:
        message = f"Two containers are called `{name}`."
        problems.append(Problem("admission/container-name", (*path, "name"), message))
    names.add(name)


def _check_container(container: Tree, path: Path, problems: list[Problem]) -> None:
    for index, variable in enumerate(container.get("env") or ()):
        if variable.get("name"):
            _check_variable(variable, (*path, "env", index), problems)
    for index, source in enumerate(container.get("envFrom") or ()):
        _check_env_source(source, (*path, "envFrom", index), problems)
    _check_ports(container.get("ports") or (), (*path, "ports"), problems)
    for name in PROBES:
        probe = container.get(name)
        if probe is not None:
            check_probe(name, probe, (*path, name), problems)
    if container.get("lifecycle"):
        check_lifecycle(container["lifecycle"], (*path, "lifecycle"), problems)
    if container.get("imagePullPolicy") not in _PULL_POLICIES:
        message = f"`imagePullPolicy: {container['imagePullPolicy']}` must be Always, IfNotPresent or Never."
        problems.append(Problem("admission/pull-policy", (*path, "imagePullPolicy"), message))
    image = container.get("image") or ""
    if not image:
        message = f"The container `{container.get('name', '')}` has no image."
        problems.append(Problem("admission/image", path, message, "add `image`", WARNING))
    if image != image.strip():
        message = f"The image {image!r} has blanks at its ends."
        problems.append(Problem("admission/image", (*path, "image"), message))
    _check_security(container.get("securityContext") or {}, (*path, "securityContext"), problems)


def _check_variable(variable: Tree, path: Path, problems: list[Problem]) -> None:
    name, source = variable["name"], variable.get("valueFrom")
    if not is_env_var_name(name):
        message = f"The variable name {name!r} must be printable ASCII without `=`."
        problems.append(Problem("admission/env-name", (*path, "name"), message))
    if source is None:
        return
    if variable.get("value"):
        message = f"The variable `{name}` has both `value` and `valueFrom`."
        problems.append(Problem("admission/env-value", path, message, "delete one of them"))
    kinds = [kind for kind, reference in source.items() if reference is not None]
    if len(kinds) != 1:
        message = f"`valueFrom` of the variable `{name}` has {len(kinds)} sources; it takes one."
        problems.append(Problem("admission/env-value", (*path, "valueFrom"), message))
    for kind in ("secretKeyRef", "configMapKeyRef"):
        reference = source.get(kind)
        if reference is not None and not (reference.get("name") and is_config_key(reference.get("key") or "")):
            message = f"`{kind}` of the variable `{name}` needs `name` and `key`."
            problems.append(Problem("admission/env-value", (*path, "valueFrom", kind), message))


def _check_env_source(source: Tree, path: Path, problems: list[Problem]) -> None:
    kinds = [kind for kind in ("configMapRef", "secretRef") if source.get(kind) is not None]
    if len(kinds) != 1:
        message = f"An entry of `envFrom` has {len(kinds)} sources; it takes one."
        problems.append(Problem("admission/env-source", path, message))
    problems += [
        Problem("admission/env-source", (*path, kind), f"`{kind}` needs `name`.")
        for kind in kinds
        if not source[kind].get("name")
    ]


def _check_ports(ports: list[Tree] | tuple[()], path: Path, problems: list[Problem]) -> None:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at = (*path, index)
        for field in ("containerPort", "hostPort"):
            number = port.get(field) or 0
            if not 0 <= number < 65536:
                message = f"`{field}: {number}` does not exist; ports go from 1 to 65535."
                problems.append(Problem("admission/port-number", (*at, field), message))
        name = port.get("name")
        if name and not is_port_name(name):
            problems.append(Problem("admission/port-name", (*at, "name"), port_name_message(name)))
        elif name and name in names:
            message = f"Two ports of the container are called `{name}`."
            problems.append(Problem("admission/port-name", (*at, "name"), message))
        names.add(name or "")
        if port.get("protocol") not in _PROTOCOLS:
            message = f"`protocol: {port['protocol']}` must be TCP, UDP or SCTP."
            problems.append(Problem("admission/port-protocol", (*at, "protocol"), message))


def _check_host_ports(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """A port of the node belongs to one container; in the node's network it is the container's own."""
    taken: set[tuple[str, str, int]] = set()
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            host_port = port.get("hostPort")
            if not host_port:
                continue
            at = (*path, "containers", index, "ports", number, "hostPort")
            key = (port.get("hostIP") or "", port.get("protocol") or "TCP", host_port)
            if key in taken:
                message = f"Two containers want the port {host_port} of the node."
                problems.append(Problem("admission/host-port", at, message))
            taken.add(key)
            if spec.get("hostNetwork") and host_port != port.get("containerPort"):
                message = "In the node's network, `hostPort` must equal `containerPort`."
                problems.append(Problem("admission/host-port", at, message, "delete `hostPort`"))


def _check_order(field: str, container: Tree, path: Path, problems: list[Problem]) -> None:
    """Init containers end before the pod starts: no probes and hooks, unless they stay as sidecars."""
    restart = container.get("restartPolicy")
    if field == "containers":
        if restart is not None:
            message = "`restartPolicy` of a container is for init containers."
            problems.append(Problem("admission/container-restart", (*path, "restartPolicy"), message))
        return
    if restart is not None and restart != "Always":
        message = f"`restartPolicy: {restart}` of an init container must be Always."
        problems.append(Problem("admission/container-restart", (*path, "restartPolicy"), message))
    if restart != "Always":
        for name in (*PROBES, "lifecycle"):
            if container.get(name) is not None:
                message = f"An init container has no `{name}`."
                hint = "write `restartPolicy: Always` to keep it running beside the others"
                problems.append(Problem("admission/init-container", (*path, name), message, hint))


def _check_security(context: Tree, path: Path, problems: list[Problem]) -> None:
    escalation = context.get("allowPrivilegeEscalation")
    # Not `is False`: a traced value is equal to it, but another object.
    if escalation is not None and not escalation:
        capabilities = (context.get("capabilities") or {}).get("add") or ()
        if context.get("privileged") or "CAP_SYS_ADMIN" in capabilities:
            message = "`allowPrivilegeEscalation: false` contradicts a container that is privileged."
            problems.append(Problem("admission/privileges", path, message))
    problems += [
        Problem("admission/user-id", (*path, field), f"`{field}` must not be negative.")
        for field in ("runAsUser", "runAsGroup")
        if (context.get(field) or 0) < 0
    ]

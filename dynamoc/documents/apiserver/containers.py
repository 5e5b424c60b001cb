"""Containers of generated pods (k8s.io/kubernetes/pkg/apis/core/validation, ValidateContainers).

Probes and lifecycle hooks of containers (k8s.io/kubernetes/pkg/apis/core/validation).
"""

from __future__ import annotations

from dynamoc.documents.apiserver.fields import check_choice
from dynamoc.documents.apiserver.pod_settings import check_container_security
from dynamoc.documents.apiserver.variables import check_env, check_resources
from dynamoc.documents.apiserver.volumes import check_mounts
from dynamoc.documents.findings.finding import ERROR, WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_port_name
from dynamoc.reference.slugs import ErrorSlug

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("httpGet", "tcpSocket", "grpc", "exec")
_HEADER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
_TIMES = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def check_probe(name: str, probe: Tree, path: Path, problems: list[Problem]) -> None:
    """One handler, a port that can be one, and no negative times."""
    handlers = [handler for handler in _HANDLERS if probe.get(handler) is not None]
    if len(handlers) != 1:
        what = "no handler" if not handlers else f"{len(handlers)} handlers: {', '.join(handlers)}"
        message = f"The {name} has {what}."
        hint = f"give one of {', '.join(_HANDLERS)}"
        problems.append(Problem("admission/probe-handler", path, message, hint))
    for handler in handlers:
        _check_handler(handler, probe[handler], (*path, handler), problems)
    for field in _TIMES:
        if (probe.get(field) or 0) < 0:
            message = f"`{field}` of the {name} must not be negative."
            problems.append(Problem("admission/probe-time", (*path, field), message))
    if name != "readinessProbe" and (probe.get("successThreshold") or 1) != 1:
        message = f"`successThreshold` of a {name} must be 1."
        problems.append(Problem("admission/probe-time", (*path, "successThreshold"), message))
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and (name == "readinessProbe" or grace <= 0):
        what = "is not allowed in a readinessProbe" if name == "readinessProbe" else f"must be at least 1, not {grace}"
        message = f"`terminationGracePeriodSeconds` {what}."
        problems.append(Problem("admission/probe-time", (*path, "terminationGracePeriodSeconds"), message))


def check_lifecycle(lifecycle: Tree, grace: int, path: Path, problems: list[Problem]) -> None:
    """Each hook has one handler; a sleep ends within the pod's grace period, in seconds."""
    if lifecycle.get("stopSignal"):
        message = f"The API server drops `stopSignal: {lifecycle['stopSignal']}`: it has no effect."
        problems.append(
            Problem("admission/dropped-field", (*path, "stopSignal"), message, "set STOPSIGNAL in the image", WARNING)
        )
    for hook in ("postStart", "preStop"):
        handler = lifecycle.get(hook)
        if handler is None:
            continue
        given = [name for name in ("exec", "httpGet", "tcpSocket", "sleep") if handler.get(name) is not None]
        if len(given) != 1:
            message = f"The hook `{hook}` has {len(given)} handlers; it must have exactly one."
            problems.append(Problem("admission/lifecycle-handler", (*path, hook), message))
        for name in given:
            at = (*path, hook, name)
            if name == "sleep":
                _check_sleep(handler[name].get("seconds") or 0, grace, at, problems)
            else:
                _check_handler(name, handler[name], at, problems)


def _check_sleep(seconds: int, grace: int, path: Path, problems: list[Problem]) -> None:
    if not 0 <= seconds <= grace:
        message = f"`sleep` of {seconds} seconds must lie between 0 and the pod's grace period of {grace} seconds."
        problems.append(Problem("admission/lifecycle-sleep", path, message, "raise `terminationGracePeriodSeconds`"))


def _check_handler(handler: str, action: Tree, path: Path, problems: list[Problem]) -> None:
    if handler == "exec":
        if not action.get("command"):
            problems.append(Problem("admission/probe-command", path, "`exec` has no command."))
        return
    _check_port(handler, action.get("port"), path, problems)
    if handler == "httpGet":
        check_choice(action, "scheme", ("HTTP", "HTTPS"), "admission/probe-scheme", path, problems)
        for index, header in enumerate(action.get("httpHeaders") or ()):
            name = header.get("name") or ""
            if not name or name.strip(_HEADER):
                message = f"The header name {name!r} must be letters, digits and `-`."
                problems.append(Problem("admission/probe-header", (*path, "httpHeaders", index), message))


def _check_port(handler: str, port: int | str | None, path: Path, problems: list[Problem]) -> None:
    # Go writes a missing port as 0, or as "" where it may be a name.
    if port in (None, "", 0):
        problems.append(Problem("admission/probe-port", path, f"`{handler}` has no port.", "add `port`"))
    elif isinstance(port, int) and not 0 < port < 65536:
        message = f"The port {port} does not exist; ports go from 1 to 65535."
        problems.append(Problem("admission/port-number", (*path, "port"), message))
    elif isinstance(port, str) and not is_port_name(port):
        problems.append(Problem("admission/port-name", (*path, "port"), port_name_message(port)))


def port_name_message(name: str) -> str:
    return (
        f"The port name `{name}` must be up to 15 lower-case letters, digits and single `-`, with at least one letter "
        "and no `-` at its ends."
    )


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

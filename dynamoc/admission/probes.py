"""Probes and lifecycle hooks of containers (k8s.io/kubernetes/pkg/apis/core/validation)."""

from __future__ import annotations

from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.names import is_port_name
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("httpGet", "tcpSocket", "grpc", "exec")
_TIMES = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def check_probe_ports(container: Tree, path: Path, problems: list[Problem]) -> None:
    """A probe that asks a port names it; CRDs demand that as well as the API server."""
    for name in PROBES:
        probe = container.get(name)
        if not probe:
            continue
        for handler in ("httpGet", "tcpSocket", "grpc"):
            action = probe.get(handler)
            # Go writes a missing port as 0, or as "" where it may be a name.
            if action is not None and action.get("port") in (None, "", 0):
                message = f"The {name} asks no port."
                hint = f"add `port` to `{handler}`"
                problems.append(Problem("admission/probe-port", (*path, name, handler), message, hint))


def check_probe(name: str, probe: Tree, path: Path, problems: list[Problem]) -> None:
    """One handler, a port that can be one, and no negative times."""
    handlers = [handler for handler in _HANDLERS if probe.get(handler) is not None]
    if len(handlers) != 1:
        what = "no handler" if not handlers else f"{len(handlers)} handlers: {', '.join(handlers)}"
        message = f"The {name} has {what}."
        hint = f"give one of {', '.join(_HANDLERS)}"
        problems.append(Problem("admission/probe-handler", path, message, hint, WARNING))
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
        message = "A readiness probe has no grace period." if name == "readinessProbe" else "It must be positive."
        problems.append(Problem("admission/probe-time", (*path, "terminationGracePeriodSeconds"), message))


def check_lifecycle(lifecycle: Tree, path: Path, problems: list[Problem]) -> None:
    """Each hook has one handler."""
    for hook in ("postStart", "preStop"):
        handler = lifecycle.get(hook)
        if handler is None:
            continue
        given = [name for name in ("exec", "httpGet", "tcpSocket", "sleep") if handler.get(name) is not None]
        if len(given) != 1:
            message = f"The hook `{hook}` has {len(given)} handlers; it takes one."
            problems.append(Problem("admission/lifecycle-handler", (*path, hook), message))
        for name in given:
            _check_handler(name, handler[name], (*path, hook, name), problems)


def _check_handler(handler: str, action: Tree, path: Path, problems: list[Problem]) -> None:
    if handler == "exec":
        if not action.get("command"):
            problems.append(Problem("admission/probe-command", path, "`exec` has no command."))
    elif handler != "sleep":
        port = action.get("port")
        if isinstance(port, int) and port != 0 and not 0 < port < 65536:
            message = f"The port {port} does not exist; ports go from 1 to 65535."
            problems.append(Problem("admission/port-number", (*path, "port"), message))
        elif isinstance(port, str) and port and not is_port_name(port):
            problems.append(Problem("admission/port-name", (*path, "port"), port_name_message(port)))


def port_name_message(name: str) -> str:
    return (
        f"The port name `{name}` must be up to 15 lower-case letters, digits and single `-`, with at least one letter "
        "and no `-` at its ends."
    )

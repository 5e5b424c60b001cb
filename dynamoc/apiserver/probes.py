"""Probes and lifecycle hooks of containers (k8s.io/kubernetes/pkg/apis/core/validation)."""

from __future__ import annotations

from dynamoc.apiserver.choices import check_choice
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

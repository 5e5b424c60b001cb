"""Probes, times and variables of containers."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.confidential import names_a_secret
from dynamoc.kube.lenient import entries, mapping, text, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made, Workload
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

#: of the daemon that mpirun starts the ranks of TensorRT-LLM by (internal/consts/consts.go MpiRunSshPort)
_SSH = 2222
_MODEL_FLAGS = ("--model", "--model-path", "--model-name", "--served-model-name")
#: bytes of a parameter, and bytes a second that a pod reads from a good shared file system
_BYTES, _SPEED = 2, 1_000_000_000


@rule("check/short-startup")
def short_startup(made: Made) -> Iterator[Fault]:
    for component in made.components:
        leader = component.first
        size = _billions(leader)
        if size is None or leader.arguments.engine is None:
            continue
        path, container = leader.main
        field = "startupProbe" if mapping(container, "startupProbe") else "livenessProbe"
        probe = mapping(container, field)
        if not probe:
            continue
        allowed = whole(probe.get("initialDelaySeconds"), 0) + whole(probe.get("periodSeconds"), 10) * whole(
            probe.get("failureThreshold"), 3
        )
        needed = int(size * 1_000_000_000 * _BYTES / _SPEED)
        if allowed < needed:
            message = (
                f"The {field} kills the container after {allowed} s, but the weights of a model of {size:g}B "
                f"parameters take about {needed} s to read at 1 GB/s."
            )
            hint = f"raise `failureThreshold` so that it waits for more than {needed} s"
            yield leader.fault("check/short-startup", (*path, field, "failureThreshold"), message, hint)


def _billions(workload: Workload) -> float | None:
    """The size that the model's name tells."""
    name = next((value for flag in _MODEL_FLAGS if (value := workload.arguments.value(flag))), "")
    words = name.replace("-", " ").replace("_", " ").replace("/", " ").lower().split()
    sizes = [word[:-1] for word in words if word.endswith("b") and word[:-1].replace(".", "", 1).isdecimal()]
    return max(map(float, sizes)) if sizes else None


@rule("check/grace-period")
def grace_period(made: Made) -> Iterator[Fault]:
    for workload in made.workloads:
        grace = whole(workload.template.spec.get("terminationGracePeriodSeconds"), 30)
        for path, container in workload.containers():
            sleep = mapping(container, "lifecycle", "preStop", "sleep")
            if sleep and whole(sleep.get("seconds"), 0) >= grace:
                message = (
                    f"`preStop` waits {sleep['seconds']} s, and the pod is killed after {grace} s: nothing is left for "
                    "requests that are running."
                )
                where = (*path, "lifecycle", "preStop", "sleep", "seconds")
                yield workload.fault("check/grace-period", where, message, "raise `terminationGracePeriodSeconds`")


@rule("check/plain-secret")
def plain_secrets(made: Made) -> Iterator[Fault]:
    for workload in made.workloads:
        for path, container in workload.containers():
            for where, variable in entries(container, "env", path):
                name, value = text(variable.get("name")), text(variable.get("value"))
                if value and "$(" not in value and names_a_secret(name):
                    message = f"The variable `{name}` has its value in the file: whoever reads the pod reads it."
                    hint = "keep it in a Secret, and use `valueFrom.secretKeyRef` or `envFromSecret`"
                    yield workload.fault("check/plain-secret", (*where, "value"), message, hint)


@rule("check/probe-port")
def probe_ports(made: Made) -> Iterator[Fault]:
    for workload in made.workloads:
        path, container = workload.main
        known = _ports(workload, container)
        for field in ("startupProbe", "livenessProbe", "readinessProbe"):
            for kind in ("httpGet", "tcpSocket", "grpc"):
                port = mapping(container, field, kind).get("port")
                if isinstance(port, int) and known and port not in known and port != _SSH:
                    listed = ", ".join(map(str, sorted(known)))
                    message = f"The {field} asks port {port}, but the container names {listed} only."
                    yield workload.fault("check/probe-port", (*path, field, kind, "port"), message, f"use {listed}")


def _ports(workload: Workload, container: Tree) -> set[int]:
    """Ports that the container declares, or is told in flags and variables."""
    found = {port["containerPort"] for _, port in entries(container, "ports") if "containerPort" in port}
    for _, variable in entries(container, "env"):
        value = text(variable.get("value"))
        if text(variable.get("name")).endswith("PORT") and value.isdigit():
            found.add(int(value))
    for flag in ("--port", "--http-port", "--system-port", "--metrics-port"):
        number = workload.arguments.number(flag, default=0)
        if number:
            found.add(number)
    return found - {0}

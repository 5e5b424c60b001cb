"""Probes, times and variables of containers, and objects that are too large for some ways to apply them."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.analysis.check.engines import loading_time, size_of
from dynamoc.analysis.check.rendering import Rendering, Workload, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import one_letter_off
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text, whole
from dynamoc.kube.quantity import value as bytes_of
from dynamoc.kube.secrets import is_plain_secret, secret_arguments, secret_parts
from dynamoc.kube.text import dumps

#: of the daemon that mpirun starts the ranks of TensorRT-LLM by (internal/consts/consts.go MpiRunSshPort)
_SSH = 2222
#: how long Dynamo lets requests end, in seconds: frontends, workers, and workers up to 0.6
#: (docs/kubernetes/fault-tolerance/graceful-shutdown.md; lib/runtime/src/worker.rs)
_DRAINS = (
    "DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS",
    "DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS",
    "DYN_WORKER_GRACEFUL_SHUTDOWN_TIMEOUT",
)
#: bytes in /dev/shm for each GPU: a segment of NCCL has 33 MB, and there are one or two
_SEGMENTS = 64 << 20


@rule("check/short-startup")
def short_startup(rendering: Rendering) -> Iterator[Fault]:
    for component, leader in rendering.leaders():
        size = size_of(component, rendering)
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
        needed = loading_time(size, leader.arguments)
        if allowed < needed:
            message = (
                f"The {field} kills the container after {allowed} s, but the weights of a model of {size:g}B "
                f"parameters take about {needed} s to read at 1 GB/s."
            )
            hint = f"raise `failureThreshold` so that it waits for more than {needed} s"
            yield leader.fault("check/short-startup", (*path, field, "failureThreshold"), message, hint)


@rule("check/grace-period")
def grace_period(rendering: Rendering) -> Iterator[Fault]:
    for workload in rendering.workloads:
        grace = whole(workload.template.spec.get("terminationGracePeriodSeconds"), 30)
        for path, container in workload.containers():
            sleep = mapping(container, "lifecycle", "preStop", "sleep")
            waits = whole(sleep.get("seconds"), 0)
            if sleep and waits >= grace:
                message = (
                    f"`preStop` waits {sleep['seconds']} s, and the pod is killed after {grace} s: nothing is left for "
                    "requests that are running."
                )
                where = (*path, "lifecycle", "preStop", "sleep", "seconds")
                yield workload.fault("check/grace-period", where, message, "raise `terminationGracePeriodSeconds`")
                continue
            for where, variable in entries(container, "env", path):
                drain = text(variable.get("value")) if variable.get("name") in _DRAINS else ""
                if drain.isdecimal() and int(drain) + waits >= grace:
                    message = (
                        f"{variable['name']} lets requests end within {drain} s"
                        + f", after {waits} s of `preStop`" * bool(waits)
                        + f", but the pod is killed after {grace} s."
                    )
                    hint = (
                        f"set `terminationGracePeriodSeconds` to more than {int(drain) + waits}, or lower the variable"
                    )
                    yield workload.fault("check/grace-period", (*where, "value"), message, hint)


@rule("check/small-shared-memory")
def small_shared_memory(rendering: Rendering) -> Iterator[Fault]:
    """NCCL keeps segments of 33 MB in /dev/shm, where a container has 64 MiB if nothing is mounted there."""
    for component, leader in rendering.leaders():
        path, container = leader.main
        spec = leader.template.spec
        if leader.arguments.engine is None or leader.gpus < 2 or spec.get("hostIPC"):
            continue
        mounts = [mount for _, mount in entries(container, "volumeMounts") if mount.get("mountPath") == "/dev/shm"]
        if not mounts:
            message = (
                f"{component.name} runs on {leader.gpus} GPUs, and nothing is mounted at /dev/shm: 64 MiB are too "
                "little for NCCL."
            )
            yield leader.fault(
                "check/small-shared-memory", path, message, "do not disable the component's shared memory"
            )
            continue
        for where, volume in entries(spec, "volumes", leader.template.path):
            limit = mapping(volume, "emptyDir").get("sizeLimit")
            least = leader.gpus * _SEGMENTS
            if volume.get("name") == mounts[0].get("name") and limit and 0 < bytes_of(limit) < least:
                message = (
                    f"{component.name} runs on {leader.gpus} GPUs with {limit} of shared memory; NCCL takes up to "
                    f"{least >> 20} MiB."
                )
                at = (*where, "emptyDir", "sizeLimit")
                yield leader.fault("check/small-shared-memory", at, message, "raise the size of the shared memory")


@rule("check/plain-secret")
def plain_secrets(rendering: Rendering) -> Iterator[Fault]:
    for workload in rendering.workloads:
        for path, container in workload.containers():
            for where, variable in entries(container, "env", path):
                name, value = text(variable.get("name")), text(variable.get("value"))
                if is_plain_secret(name, value) or secret_parts(value):
                    message = f"The variable `{name}` has a secret in the file: whoever reads the pod reads it."
                    hint = "keep it in a Secret, and use `valueFrom.secretKeyRef` or `envFromSecret`"
                    yield workload.fault("check/plain-secret", (*where, "value"), message, hint)
            for field in ("command", "args"):
                items = container.get(field)
                for at, name in secret_arguments(items) if isinstance(items, list) else ():
                    what = f"The argument `{name}` has" if name else f"The {field} has"
                    message = f"{what} a secret in the file: whoever reads the pod, or lists its processes, reads it."
                    hint = "keep it in a Secret, read that into a variable with `valueFrom.secretKeyRef`, and write "
                    hint += "`$(VARIABLE)` here, or let the program read the variable"
                    yield workload.fault("check/plain-secret", (*path, field, at), message, hint)


@rule("check/probe-port")
def probe_ports(rendering: Rendering) -> Iterator[Fault]:
    yield from _port_names(rendering)
    for workload in rendering.workloads:
        path, container = workload.main
        known = _ports(workload, container)
        for field in ("startupProbe", "livenessProbe", "readinessProbe"):
            for kind in ("httpGet", "tcpSocket", "grpc"):
                port = mapping(container, field, kind).get("port")
                if not isinstance(port, int) or not port or not known or port in known or port == _SSH:
                    continue
                if not workload.arguments.names_port(port):
                    listed = ", ".join(map(str, sorted(known)))
                    message = f"The {field} asks port {port}, but the container names {listed} only."
                    yield workload.fault("check/probe-port", (*path, field, kind, "port"), message, f"use {listed}")


def _port_names(rendering: Rendering) -> Iterator[Fault]:
    """A port that the container has no name for: the kubelet never gets an answer (pkg/kubelet/prober)."""
    for workload in rendering.workloads:
        path, container = workload.main
        names = [text(each.get("name")) for _, each in entries(container, "ports") if each.get("name")]
        asked: dict[str, list[Path]] = {}
        for field in ("startupProbe", "readinessProbe", "livenessProbe"):
            port = mapping(container, field, "httpGet").get("port") or mapping(container, field, "tcpSocket").get(
                "port"
            )
            if isinstance(port, str) and not port.isdigit() and port not in names:
                asked.setdefault(port, []).append((*path, field))
        for port, fields in asked.items():
            near = one_letter_off(port, names)
            first = fields[0]
            # What no name resembles is mostly a probe of the operator, whose ports a list of the user replaces.
            kind = "httpGet" if mapping(container, str(first[-1]), "httpGet") else "tcpSocket"
            where = (*first, kind, "port") if near or not names else (*path, "ports")
            # Kubernetes ignores a liveness probe that it cannot ask.
            effect = "it is ignored" if first[-1] == "livenessProbe" else "the pod never gets ready"
            asks = f"The {first[-1]} of {workload.component} asks the port `{port}`"
            message = f"{asks}, and `ports` has no such name: {effect}."
            hint = (
                f"did you mean `{near}`?" if near else f"name `{port}` in `ports`, which replaces the operator's list"
            )
            fault = workload.fault("check/probe-port", where, message, hint)
            fault.problem.severity = WARNING if first[-1] == "livenessProbe" else ERROR
            fault.problem.change = Change("write", near, port) if near else None
            yield fault


def _ports(workload: Workload, container: Tree) -> set[int]:
    """Ports that the container declares, or gets in flags and variables."""
    found = {port["containerPort"] for _, port in entries(container, "ports") if "containerPort" in port}
    for _, variable in entries(container, "env"):
        if text(variable.get("name")).endswith("PORT") and text(variable.get("value")).isdigit():
            found.add(int(variable["value"]))
    for flag in ("--port", "--http-port", "--system-port", "--metrics-port"):
        number = workload.arguments.number(flag, default=0)
        if number:
            found.add(number)
    return found - {0}


#: seconds in which a busy engine may well not answer
_SHORT_ANSWER = 5


@rule("check/impatient-probe")
def impatient_probes(rendering: Rendering) -> Iterator[Problem]:
    """Probes of users that end a container after one slow answer."""
    for name, path, component in rendering.written_components():
        for where, holder in _probe_holders(component, path):
            probe = mapping(holder, "livenessProbe")
            allowed, waits = probe.get("failureThreshold"), whole(probe.get("timeoutSeconds"), 1)
            if allowed == 1 and waits <= _SHORT_ANSWER:
                message = (
                    f"The livenessProbe of {name} kills the container when one answer takes longer than {waits} s, "
                    "which a busy engine does not hold."
                )
                at = (*where, "livenessProbe", "failureThreshold")
                hint = "raise `failureThreshold` to 3, or `timeoutSeconds`"
                yield rendering.problem("check/impatient-probe", at, message, hint)


def _probe_holders(component: Tree, path: Path) -> Iterator[tuple[Path, Tree]]:
    """Where users write the probes of a main container."""
    yield path, component
    yield (*path, "extraPodSpec", "mainContainer"), mapping(component, "extraPodSpec", "mainContainer")
    yield from entries(mapping(component, "podTemplate", "spec"), "containers", (*path, "podTemplate", "spec"))


#: apimachinery pkg/api/validation/objectmeta.go TotalAnnotationSizeLimitB
_ANNOTATIONS = 262_144
#: etcd --max-request-bytes
_ETCD = 1_572_864
#: what is left of that where the API server has added managedFields, which repeat the keys of an object
_STORED = 1_048_576
_MOVE = "move long texts into ConfigMaps that the pods mount"


@rule("check/large-object")
def large_objects(rendering: Rendering) -> Iterator[Fault]:
    for index, item in enumerate(rendering.objects):
        shown = repr(item)
        # JSON takes at most six bytes for what Go escapes, four for another character.
        if 4 * len(shown) + 2 * sum(map(shown.count, "<>&")) <= _ANNOTATIONS:
            continue
        size = len(dumps(item))
        if size <= _ANNOTATIONS:
            continue
        name = ("metadata", "name")
        if size > _STORED:
            message = (
                f"It has {size:,} bytes as JSON. etcd takes at most {_ETCD:,} for an object, with the managedFields "
                "that the API server adds."
            )
            yield Fault(index, item, Problem("check/large-object", name, message, _MOVE))
            continue
        message = (
            f"It has {size:,} bytes as JSON: `kubectl apply` without --server-side cannot keep it in "
            f"an annotation, which takes {_ANNOTATIONS:,}."
        )
        yield Fault(index, item, Problem("check/large-object", name, message, "apply it with --server-side"))

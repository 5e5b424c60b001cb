"""TensorRT-LLM, where mpirun reaches the workers over ssh, and SGLang, one process a node, joined by an address.

Source of NIXL's ports: internal/dynamo/backend_sglang.go reserveNixlExporterPorts of operators 1.5 and 1.6.
"""

from __future__ import annotations

from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.rendering.rules.command import inject_flags, inject_into_text, is_python, joined
from dynamoc.rendering.rules.draft import LEADER, WORKER, Pod
from dynamoc.rendering.rules.multinode import LEADER_ADDRESS, RANK, Backend, drop_probes, uses_aliases
from dynamoc.rendering.rules.resources import container_gpus, node_gpus

_DNS_WAIT = (
    "TIMEOUT=300; START_TIME=$(date +%s); for worker in {workers}; do "
    'echo "Waiting for DNS: $worker"; until getent hosts $worker >/dev/null 2>&1; do CURRENT_TIME=$(date +%s); '
    'if [ $((CURRENT_TIME - START_TIME)) -gt $TIMEOUT ]; then echo "ERROR: Timeout waiting for DNS: $worker"; '
    'exit 1; fi; echo "DNS not ready for $worker, retrying..."; sleep 2; done; '
    'echo "✓ DNS resolved: $worker"; done; echo "All workers DNS ready"'
)


def update_mpi_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_trtllm.go UpdateContainer."""
    if not pod.is_multinode:
        return
    main, release = pod.main, pod.release
    if pod.role == WORKER:
        main.pop("livenessProbe", None)
        main.pop("startupProbe", None)
        main["readinessProbe"] = copy_tree(release["trtllm/worker-readiness"])
    main.setdefault("volumeMounts", []).append(
        {"name": pod.operator.config.mpi.ssh_secret_name, "mountPath": "/ssh-pk", "readOnly": True}
    )
    main.setdefault("env", []).append({"name": "OMPI_MCA_orte_keep_fqdn_hostnames", "value": "1"})
    if pod.component.keeps_launch:
        return
    if pod.role == LEADER:
        _run(main, _leader_commands(pod))
    elif pod.role == WORKER:
        _run(main, _with_port(pod, release["trtllm/worker-setup"]))


def update_mpi_pod(pod: Pod) -> None:
    """Source: internal/dynamo/backend_trtllm.go UpdatePodSpec."""
    if pod.is_multinode:
        name = pod.operator.config.mpi.ssh_secret_name
        if (
            not pod.release.has("mpi/brings-key-pair")
            and pod.operator.cluster.get("Secret", pod.namespace, name) is None
        ):
            effect = "multinode TensorRT-LLM pods do not start without this key pair; create it"
            pod.operator.unknown("Secret", pod.namespace, name, effect, (*pod.component.path, "multinode"))
        volume = {"name": name, "secret": {"secretName": name, "defaultMode": 0o644}}
        pod.spec.setdefault("volumes", []).append(volume)


def _run(main: dict[str, object], commands: list[str]) -> None:
    main["command"] = ["/bin/sh", "-c"]
    main["args"] = [" && ".join(commands)]


def _leader_commands(pod: Pod) -> list[str]:
    hosts = pod.hosts.all(pod.service, pod.nodes)
    commands = _with_port(pod, pod.release["trtllm/leader-setup"])
    if pod.hosts.dns_wait:
        commands.append(_DNS_WAIT.replace("{workers}", " ".join(hosts[1:])))
    gpus = pod.nodes * node_gpus(pod, "requests", "limits")
    (mpirun,) = _with_port(pod, (pod.release["trtllm/mpirun"],))
    for name, value in (("gpus", str(gpus)), ("hosts", ",".join(hosts)), ("env", _env_flags(pod))):
        mpirun = mpirun.replace("{" + name + "}", value)
    return [*commands, mpirun.replace("{command}", _original_command(pod))]


def _with_port(pod: Pod, lines: tuple[str, ...]) -> list[str]:
    port = str(pod.release["trtllm/ssh-port"])
    return [line.replace("{port}", port) for line in lines]


def _original_command(pod: Pod) -> str:
    command, args = pod.main.get("command") or [], pod.main.get("args") or []
    if pod.release.has("trtllm/python-command") and is_python(command):
        return joined([*command, *args], pod.release)
    return " ".join(args or command)


def _env_flags(pod: Pod) -> str:
    names = {variable.get("name", "") for variable in pod.main.get("env") or ()}
    names.update(pod.release["trtllm/forwarded-env"])
    return " ".join(f"-x {name}" for name in sorted(names, key=str.encode))


TRTLLM = Backend(update_mpi_container, update_mpi_pod)


_ENABLE, _EXPORTER = "NIXL_TELEMETRY_ENABLE", "NIXL_TELEMETRY_EXPORTER"
_PORT = "NIXL_TELEMETRY_PROMETHEUS_PORT"
_NAME = "nixl"
_MOST, _LAST = 8, 65535
_YES_OR_NO = ("y", "1", "yes", "on", "true", "enable", "n", "0", "no", "off", "false", "disable")


def reserve(pod: Pod) -> None:
    """Declares `nixl-1` and so on behind `nixl`, where telemetry may be on; `nixl` itself follows the user's port."""
    ports = pod.main.get("ports") or []
    first = next((port for port in ports if port.get("name") == _NAME), None)
    certain = _is_on(pod)
    if first is None or certain is None:
        return
    ranks = container_gpus(pod)
    given = _base_port(pod)
    base = first["containerPort"] if given is None else given
    if ranks > _MOST:
        if certain:
            message = f"{ranks} GPUs need one port each for the telemetry of NIXL, but only {_MOST} are declared; "
            raise _refusal(pod, message + "the operator fails to render the pod.")
        ranks = _MOST
    if base + ranks - 1 > _LAST:
        raise _refusal(
            pod, f"{ranks} ports starting at {base} end above {_LAST}; the operator fails to render the pod."
        )
    first["containerPort"] = base
    for rank in range(1, ranks):
        _declare(ports, f"{_NAME}-{rank}", base + rank)


def _is_on(pod: Pod) -> bool | None:
    """Whether each GPU opens a port for certain; None where none does. What `valueFrom` holds may be anything."""
    enable, exporter = _variable(pod, _ENABLE), _variable(pod, _EXPORTER)
    if enable is None:
        return None
    as_nixl = pod.release.has("sglang/nixl-words")
    certain = enable.get("valueFrom") is None
    if certain and not (_is_yes(pod, enable.get("value", "")) if as_nixl else _word(enable) == "y"):
        return None
    if exporter is None:
        return None if as_nixl else certain
    if exporter.get("valueFrom") is not None:
        return False
    if (exporter.get("value", "") if as_nixl else _word(exporter)) != "prometheus":
        return None
    return certain


def _is_yes(pod: Pod, text: str) -> bool:
    """`y` opens ports, since 1.6; other words for yes do not, so that pods of before stay as they are."""
    if text.lower() not in _YES_OR_NO:
        raise _refusal(pod, f"{_ENABLE} is {text!r}, which NIXL reads as neither yes nor no; the operator fails.")
    return text.lower() == "y"


def _word(variable: Tree) -> str:
    return str(variable.get("value", "")).strip().lower()


def _base_port(pod: Pod) -> int | None:
    variable = _variable(pod, _PORT)
    if variable is None:
        return None
    if variable.get("valueFrom") is not None:
        raise _refusal(pod, f"{_PORT} uses valueFrom, so the operator cannot declare the ports; it fails.")
    text = variable.get("value", "")
    if pod.release.has("sglang/nixl-words"):
        return _checked(pod, text, _unsigned(text))
    text = text.strip()
    digits = text[1:] if text[:1] in ("+", "-") else text
    return _checked(pod, text, int(text) if digits.isascii() and digits.isdecimal() else None)


def _unsigned(text: str) -> int | None:
    """A number as NIXL reads it: decimal, or hexadecimal behind `0x`."""
    is_hex = text[:2] in ("0x", "0X")
    digits = text[2:] if is_hex else text
    if not digits or digits.strip("0123456789abcdefABCDEF" if is_hex else "0123456789"):
        return None
    return int(digits, 16 if is_hex else 10)


def _checked(pod: Pod, text: str, number: int | None) -> int:
    if number is None or not 1 <= number <= _LAST:
        raise _refusal(pod, f"{_PORT} must be a port, not {text!r}; the operator fails to render the pod.")
    return number


def _declare(ports: list[Tree], name: str, number: int) -> None:
    known = next((port for port in ports if port.get("name") == name), None)
    if known is None:
        ports.append({"name": name, "containerPort": number, "protocol": "TCP"})
    else:
        known["containerPort"] = number


def _variable(pod: Pod, name: str) -> Tree | None:
    return next((variable for variable in pod.main.get("env") or () if variable.get("name") == name), None)


def _refusal(pod: Pod, message: str) -> Refusal:
    hint = f"Run at most {_MOST} GPUs in a container, or set {_ENABLE}=n."
    return Refusal("sglang/nixl-ports", message, (*pod.component.main_path, "env"), hint)


def update_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_sglang.go UpdateContainer."""
    if pod.release.has("sglang/nixl-ports"):
        reserve(pod)
    if not pod.is_multinode:
        return
    if pod.role == WORKER:
        drop_probes(pod.main)
    if pod.component.keeps_launch:
        return
    needs_shell = pod.role != LEADER and pod.hosts.rank_needs_shell and not uses_aliases(pod)
    inject_flags(pod.main, multinode_flags(pod), pod.release, needs_shell=needs_shell, framework="sglang")


def multinode_flags(pod: Pod) -> str:
    rank = "0" if pod.role == LEADER else pod.hosts.node_rank
    leader = pod.hosts.leader(pod.service)
    if uses_aliases(pod):
        leader, rank = LEADER_ADDRESS, RANK
    address = f"{leader}:{pod.release['sglang/port']}"
    return f"--dist-init-addr {address} --nnodes {pod.nodes} --node-rank {rank}"


def update_pod(pod: Pod) -> None:
    """SGLang needs nothing around its container."""


SGLANG = Backend(update_container, update_pod)


def update_text_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_sglang.go UpdateContainer, injectFlagsIntoPythonCommand."""
    if not pod.is_multinode:
        return
    main = pod.main
    if pod.role == WORKER:
        drop_probes(main)
    text = " ".join(main.get("args") or ())
    changed = inject_into_text(text, multinode_flags(pod), "sglang")
    if changed == text:
        _warn_of_one_node(pod)
    if main.get("args"):
        main["args"] = [changed]


def update_text_pod(pod: Pod) -> None:
    """SGLang needs nothing around its container."""


def _warn_of_one_node(pod: Pod) -> None:
    pod.operator.warn(
        "sglang/no-flags",
        f"The operator finds no `python … sglang` in the arguments of {pod.component.name}, so it adds no "
        "multinode flags.",
        (*pod.component.main_path, "args"),
        "Remove the command, and write the whole command line as the only argument.",
    )


SGLANG_TEXT = Backend(update_text_container, update_text_pod)

"""TensorRT-LLM: mpirun on the leader reaches the workers over ssh."""

from __future__ import annotations

from dynamoc.kube.tree import copy_tree
from dynamoc.rendering.rules.backend_parts import Backend
from dynamoc.rendering.rules.command import is_python, joined
from dynamoc.rendering.rules.draft import LEADER, WORKER, Pod
from dynamoc.rendering.rules.resources import node_gpus

_DNS_WAIT = (
    "TIMEOUT=300; START_TIME=$(date +%s); for worker in {workers}; do "
    'echo "Waiting for DNS: $worker"; until getent hosts $worker >/dev/null 2>&1; do CURRENT_TIME=$(date +%s); '
    'if [ $((CURRENT_TIME - START_TIME)) -gt $TIMEOUT ]; then echo "ERROR: Timeout waiting for DNS: $worker"; '
    'exit 1; fi; echo "DNS not ready for $worker, retrying..."; sleep 2; done; '
    'echo "✓ DNS resolved: $worker"; done; echo "All workers DNS ready"'
)


def update_container(pod: Pod) -> None:
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


def update_pod(pod: Pod) -> None:
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


TRTLLM = Backend(update_container, update_pod)

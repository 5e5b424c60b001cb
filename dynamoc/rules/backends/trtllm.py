"""TensorRT-LLM: mpirun on the leader reaches the workers over ssh."""

from __future__ import annotations

from dynamoc.kube.tree import copy_tree
from dynamoc.rules.backends.command import is_python, quoted
from dynamoc.rules.draft import LEADER, WORKER
from dynamoc.rules.resources import node_gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod

_KEYS = (
    "ls -la /ssh-pk/",
    "cp /ssh-pk/private.key $HOME/.ssh/id_rsa",
    "cp /ssh-pk/private.key.pub $HOME/.ssh/id_rsa.pub",
    "cp /ssh-pk/private.key.pub $HOME/.ssh/authorized_keys",
    "chmod 600 $HOME/.ssh/id_rsa $HOME/.ssh/authorized_keys",
    "chmod 644 $HOME/.ssh/id_rsa.pub",
    "printf 'Host *\\nIdentityFile '$HOME'/.ssh/id_rsa\\nStrictHostKeyChecking no\\nPort {port}\\n' "
    "> $HOME/.ssh/config",
)
_SSHD = (
    "ssh-keygen -t rsa -f $HOME/.ssh/host_keys/ssh_host_rsa_key -N ''",
    "ssh-keygen -t ecdsa -f $HOME/.ssh/host_keys/ssh_host_ecdsa_key -N ''",
    "ssh-keygen -t ed25519 -f $HOME/.ssh/host_keys/ssh_host_ed25519_key -N ''",
    "printf 'Port {port}\\nHostKey '$HOME'/.ssh/host_keys/ssh_host_rsa_key\\n"
    "HostKey '$HOME'/.ssh/host_keys/ssh_host_ecdsa_key\\nHostKey '$HOME'/.ssh/host_keys/ssh_host_ed25519_key\\n"
    "PidFile '$HOME'/.ssh/run/sshd.pid\\nStrictModes no\\nPermitRootLogin yes\\nPasswordAuthentication no\\n"
    "PubkeyAuthentication yes\\nAuthorizedKeysFile '$HOME'/.ssh/authorized_keys\\n' > $HOME/.ssh/sshd_config",
    "/usr/sbin/sshd -D -f $HOME/.ssh/sshd_config",
)
_DNS_WAIT = (
    "TIMEOUT=300; START_TIME=$(date +%s); for worker in {workers}; do "
    'echo "Waiting for DNS: $worker"; until getent hosts $worker >/dev/null 2>&1; do CURRENT_TIME=$(date +%s); '
    'if [ $((CURRENT_TIME - START_TIME)) -gt $TIMEOUT ]; then echo "ERROR: Timeout waiting for DNS: $worker"; '
    'exit 1; fi; echo "DNS not ready for $worker, retrying..."; sleep 2; done; '
    'echo "✓ DNS resolved: $worker"; done; echo "All workers DNS ready"'
)
_MPIRUN = (
    'mpirun $([ "$(id -u)" = "0" ] && echo --allow-run-as-root) --oversubscribe -n {gpus} -H {hosts} --mca pml ob1 '
    '--mca plm_rsh_args "-p {port} -o StrictHostKeyChecking=no -i $HOME/.ssh/id_rsa" {env} '
    "bash -c 'trtllm-llmapi-launch {command}'"
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
    if pod.role == LEADER:
        _run(main, _leader_commands(pod))
    elif pod.role == WORKER:
        directories = "mkdir -p $HOME/.ssh $HOME/.ssh/host_keys $HOME/.ssh/run"
        port = str(release["trtllm/ssh-port"])
        _run(main, [directories, *(line.replace("{port}", port) for line in (*_KEYS, *_SSHD))])


def update_pod(pod: Pod) -> None:
    """Source: internal/dynamo/backend_trtllm.go UpdatePodSpec."""
    if pod.is_multinode:
        name = pod.operator.config.mpi.ssh_secret_name
        volume = {"name": name, "secret": {"secretName": name, "defaultMode": 0o644}}
        pod.spec.setdefault("volumes", []).append(volume)


def _run(main: dict[str, object], commands: list[str]) -> None:
    main["command"] = ["/bin/sh", "-c"]
    main["args"] = [" && ".join(commands)]


def _leader_commands(pod: Pod) -> list[str]:
    hosts = pod.hosts.all(pod.service, pod.nodes)
    port = str(pod.release["trtllm/ssh-port"])
    commands = ["mkdir -p $HOME/.ssh", *(line.replace("{port}", port) for line in _KEYS)]
    if pod.hosts.dns_wait:
        commands.append(_DNS_WAIT.replace("{workers}", " ".join(hosts[1:])))
    gpus = pod.nodes * node_gpus(pod, "requests", "limits")
    parts = {"gpus": str(gpus), "hosts": ",".join(hosts), "port": port, "env": _env_flags(pod)}
    mpirun = _MPIRUN
    for name, value in parts.items():
        mpirun = mpirun.replace("{" + name + "}", value)
    return [*commands, mpirun.replace("{command}", _original_command(pod))]


def _original_command(pod: Pod) -> str:
    command, args = pod.main.get("command") or [], pod.main.get("args") or []
    if is_python(command):
        return quoted([*command, *args])
    return " ".join(args or command)


def _env_flags(pod: Pod) -> str:
    names = {variable.get("name", "") for variable in pod.main.get("env") or ()}
    names.update(pod.release["trtllm/forwarded-env"])
    return " ".join(f"-x {name}" for name in sorted(names, key=str.encode))

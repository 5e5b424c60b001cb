"""The shell commands by which the nodes of TensorRT-LLM reach each other; variables of a restored process.

`{port}` stands for the port of sshd; `{gpus}`, `{hosts}`, `{env}` and `{command}` for what a replica makes of them.
Source: internal/dynamo/backend_trtllm.go setupLeaderContainer, setupWorkerContainer;
internal/checkpoint/compatibility.go snapshotRestoreEnvironmentNames of operators 1.5 and 1.6.
"""

from __future__ import annotations

_TILDE_KEYS = (
    "ls -la /ssh-pk/",
    "cp /ssh-pk/private.key ~/.ssh/id_rsa",
    "cp /ssh-pk/private.key.pub ~/.ssh/id_rsa.pub",
    "cp /ssh-pk/private.key.pub ~/.ssh/authorized_keys",
    "chmod 600 ~/.ssh/id_rsa ~/.ssh/authorized_keys",
    "chmod 644 ~/.ssh/id_rsa.pub ~/.ssh/authorized_keys",
    "printf 'Host *\\nIdentityFile ~/.ssh/id_rsa\\nStrictHostKeyChecking no\\nPort {port}\\n' > ~/.ssh/config",
)
_HOME_KEYS = (
    "ls -la /ssh-pk/",
    "cp /ssh-pk/private.key $HOME/.ssh/id_rsa",
    "cp /ssh-pk/private.key.pub $HOME/.ssh/id_rsa.pub",
    "cp /ssh-pk/private.key.pub $HOME/.ssh/authorized_keys",
    "chmod 600 $HOME/.ssh/id_rsa $HOME/.ssh/authorized_keys",
    "chmod 644 $HOME/.ssh/id_rsa.pub",
    "printf 'Host *\\nIdentityFile '$HOME'/.ssh/id_rsa\\nStrictHostKeyChecking no\\nPort {port}\\n' "
    "> $HOME/.ssh/config",
)

#: up to 0.6: files below `~`
TILDE_LEADER = ("mkdir -p ~/.ssh", *_TILDE_KEYS)
TILDE_WORKER = (
    "mkdir -p ~/.ssh ~/.ssh/host_keys ~/.ssh/run",
    *_TILDE_KEYS,
    "ssh-keygen -t rsa -f ~/.ssh/host_keys/ssh_host_rsa_key -N ''",
    "ssh-keygen -t ecdsa -f ~/.ssh/host_keys/ssh_host_ecdsa_key -N ''",
    "ssh-keygen -t ed25519 -f ~/.ssh/host_keys/ssh_host_ed25519_key -N ''",
    "printf 'Port {port}\\nHostKey ~/.ssh/host_keys/ssh_host_rsa_key\\nHostKey ~/.ssh/host_keys/ssh_host_ecdsa_key\\n"
    "HostKey ~/.ssh/host_keys/ssh_host_ed25519_key\\nPidFile ~/.ssh/run/sshd.pid\\nPermitRootLogin yes\\n"
    "PasswordAuthentication no\\nPubkeyAuthentication yes\\nAuthorizedKeysFile ~/.ssh/authorized_keys\\n' "
    "> ~/.ssh/sshd_config",
    "mkdir -p /run/sshd",
    "/usr/sbin/sshd -D -f ~/.ssh/sshd_config",
)
_TILDE_RUN = (
    "--oversubscribe -n {gpus} -H {hosts} --mca pml ob1 "
    '--mca plm_rsh_args "-p {port} -o StrictHostKeyChecking=no -i ~/.ssh/id_rsa" {env} '
)
#: 0.4, 0.5: not as root, and in the virtual environment that images had
ACTIVATED_RUN = f"mpirun {_TILDE_RUN}bash -c 'source /opt/dynamo/venv/bin/activate && trtllm-llmapi-launch {{command}}'"
TILDE_RUN = f"mpirun --allow-run-as-root {_TILDE_RUN}bash -c 'trtllm-llmapi-launch {{command}}'"

#: since 1.0: files below `$HOME`, for users other than root too
HOME_LEADER = ("mkdir -p $HOME/.ssh", *_HOME_KEYS)
HOME_WORKER = (
    "mkdir -p $HOME/.ssh $HOME/.ssh/host_keys $HOME/.ssh/run",
    *_HOME_KEYS,
    "ssh-keygen -t rsa -f $HOME/.ssh/host_keys/ssh_host_rsa_key -N ''",
    "ssh-keygen -t ecdsa -f $HOME/.ssh/host_keys/ssh_host_ecdsa_key -N ''",
    "ssh-keygen -t ed25519 -f $HOME/.ssh/host_keys/ssh_host_ed25519_key -N ''",
    "printf 'Port {port}\\nHostKey '$HOME'/.ssh/host_keys/ssh_host_rsa_key\\n"
    "HostKey '$HOME'/.ssh/host_keys/ssh_host_ecdsa_key\\nHostKey '$HOME'/.ssh/host_keys/ssh_host_ed25519_key\\n"
    "PidFile '$HOME'/.ssh/run/sshd.pid\\nStrictModes no\\nPermitRootLogin yes\\nPasswordAuthentication no\\n"
    "PubkeyAuthentication yes\\nAuthorizedKeysFile '$HOME'/.ssh/authorized_keys\\n' > $HOME/.ssh/sshd_config",
    "/usr/sbin/sshd -D -f $HOME/.ssh/sshd_config",
)
HOME_RUN = (
    'mpirun $([ "$(id -u)" = "0" ] && echo --allow-run-as-root) --oversubscribe -n {gpus} -H {hosts} --mca pml ob1 '
    '--mca plm_rsh_args "-p {port} -o StrictHostKeyChecking=no -i $HOME/.ssh/id_rsa" {env} '
    "bash -c 'trtllm-llmapi-launch {command}'"
)


REFRESHED = frozenset(
    (
        "CONTAINER_NAME",
        "DYN_COMPONENT",
        "DYN_DISCOVERY_BACKEND",
        "DYN_EVENT_PLANE",
        "DYN_EVENT_PLANE_HOST",
        "DYN_GMS_USE_V1",
        "DYN_HEALTH_CHECK_ENABLED",
        "DYN_KUBE_DISCOVERY_MODE",
        "DYN_NAMESPACE",
        "DYN_NAMESPACE_WORKER_SUFFIX",
        "DYN_PARENT_DGD_K8S_NAME",
        "DYN_PARENT_DGD_K8S_NAMESPACE",
        "DYN_REQUEST_PLANE",
        "DYN_SYSTEM_HEALTH_PATH",
        "DYN_SYSTEM_HOST",
        "DYN_SYSTEM_LIVE_PATH",
        "DYN_SYSTEM_PORT",
        "DYN_SYSTEM_STARTING_HEALTH_STATUS",
        "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
        "DYN_TCP_RESPONSE_STREAM_HOST",
        "DYN_TCP_RESPONSE_STREAM_PORT",
        "DYN_TCP_RPC_HOST",
        "DYN_TCP_RPC_PORT",
        "DYN_VLLM_GMS_SHADOW_MODE",
        "ENGINE_ID",
        "ETCD_ENDPOINTS",
        "FAILOVER_LOCK_PATH",
        "MODEL_EXPRESS_URL",
        "NATS_SERVER",
        "POD_NAME",
        "POD_NAMESPACE",
        "POD_UID",
        "PROMETHEUS_ENDPOINT",
    )
)
REFRESHED_1_6 = REFRESHED | {"DYN_TCP_LISTEN_BACKLOG"}

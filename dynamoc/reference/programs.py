"""Programs that run inside of the objects (`scripts/`): dynamoc's own, with the contract of those of the operator.

What each is given (environment, mounts, arguments) and how it ends is the operator's; the text is not. `dynamoc diff`
takes the operator's for equal (compare/own_programs.py).
"""

from __future__ import annotations

from dynamoc.reference.features import read_data

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
REFRESHED = frozenset((
    "CONTAINER_NAME", "DYN_COMPONENT", "DYN_DISCOVERY_BACKEND", "DYN_EVENT_PLANE", "DYN_EVENT_PLANE_HOST",
    "DYN_GMS_USE_V1", "DYN_HEALTH_CHECK_ENABLED", "DYN_KUBE_DISCOVERY_MODE", "DYN_NAMESPACE",
    "DYN_NAMESPACE_WORKER_SUFFIX", "DYN_PARENT_DGD_K8S_NAME", "DYN_PARENT_DGD_K8S_NAMESPACE", "DYN_REQUEST_PLANE",
    "DYN_SYSTEM_HEALTH_PATH", "DYN_SYSTEM_HOST", "DYN_SYSTEM_LIVE_PATH", "DYN_SYSTEM_PORT",
    "DYN_SYSTEM_STARTING_HEALTH_STATUS", "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", "DYN_TCP_RESPONSE_STREAM_HOST",
    "DYN_TCP_RESPONSE_STREAM_PORT", "DYN_TCP_RPC_HOST", "DYN_TCP_RPC_PORT", "DYN_VLLM_GMS_SHADOW_MODE",
    "ENGINE_ID", "ETCD_ENDPOINTS", "FAILOVER_LOCK_PATH", "MODEL_EXPRESS_URL", "NATS_SERVER", "POD_NAME",
    "POD_NAMESPACE", "POD_UID", "PROMETHEUS_ENDPOINT",
))  # fmt: skip
REFRESHED_1_6 = REFRESHED | {"DYN_TCP_LISTEN_BACKLOG"}

#: ends with 0 once the leader at LEADER_HOST, as the API server sees it, runs and takes connections at LEADER_PORT; the
#: pod's account need not be allowed to list pods: then the connection alone decides
WAIT_FOR_LEADER = read_data("scripts/wait-for-leader.txt")
#: the same for 1.0, by the connection alone; `{host}` and `{port}` are filled in
WAIT_FOR_PORT = read_data("scripts/wait-for-port.txt")
#: serves weights to the pods that share the directory `{directory}`: sockets that an earlier server left are removed,
#: and the container ends as the server does, or with 1 after a signal to stop; `{module}` is the server
SERVE_WEIGHTS = read_data("scripts/serve-weights.txt")
#: what runs under `cuda-checkpoint --launch-job`: it keeps the driver's job file where the snapshot agent finds it, at
#: the path in its first argument, and becomes the program of the other arguments; 1 where the driver gives no file
KEEP_JOB_FILE = read_data("scripts/keep-job-file.txt")

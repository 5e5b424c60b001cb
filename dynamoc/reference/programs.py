"""Programs that run inside of the objects: dynamoc's own, with the contract of those that the operator ships.

What each is given (environment, mounts, arguments) and how it ends is the operator's; the text is not. `dynamoc diff`
takes the operator's for equal (compare/own_programs.py).
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

_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
_API = "https://kubernetes.default.svc"

#: Ends with 0 once the leader at LEADER_HOST, as the API server sees it, runs and takes connections at LEADER_PORT.
#: The pod's account need not be allowed to list pods: then the connection alone decides.
WAIT_FOR_LEADER = f'''\
"""Ends once the leader of this replica runs and takes connections."""
import json
import os
import socket
import ssl
import time
from urllib.parse import quote
from urllib.request import Request, urlopen

ACCOUNT = "{_ACCOUNT}"
API = "{_API}"
PAUSE = 5
REMARK_EVERY = 30


def content(name):
    with open(os.path.join(ACCOUNT, name)) as stream:
        return stream.read().strip()


def addresses(host):
    """The addresses behind a name, those of IPv4 first."""
    found = {{entry[4][0] for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}}
    return sorted(found, key=lambda address: (":" in address, address))


def pods_at(address):
    """The pods with an address; None where the API server does not tell."""
    try:
        path = "/api/v1/namespaces/" + content("namespace") + "/pods?fieldSelector=status.podIP=" + quote(address)
        request = Request(API + path, headers={{"Authorization": "Bearer " + content("token")}})
        trust = ssl.create_default_context(cafile=os.path.join(ACCOUNT, "ca.crt"))
        with urlopen(request, context=trust, timeout=5) as answer:
            return json.load(answer).get("items") or []
    except Exception:
        return None


def obstacle(host, port):
    """Why the leader cannot be joined yet, None once it can."""
    try:
        address = addresses(host)[0]
    except OSError as problem:
        return "its name is not known yet: " + str(problem)
    pods = pods_at(address)
    if pods is not None:
        if not pods:
            return "no pod has its address " + address
        metadata, status = pods[0].get("metadata") or {{}}, pods[0].get("status") or {{}}
        if metadata.get("deletionTimestamp"):
            return "its pod is being deleted"
        if status.get("phase") != "Running":
            return "its pod is " + str(status.get("phase"))
    try:
        socket.create_connection((address, port), timeout=2).close()
    except OSError as problem:
        return "port " + str(port) + " at " + address + " is closed: " + str(problem)
    return None


def main():
    host, port = os.environ["LEADER_HOST"], int(os.environ["LEADER_PORT"])
    print("waiting for", host, "port", port, flush=True)
    begin = remarked = time.monotonic()
    time.sleep(PAUSE)
    while (reason := obstacle(host, port)) is not None:
        if time.monotonic() - remarked >= REMARK_EVERY:
            remarked = time.monotonic()
            print("still waiting after", int(remarked - begin), "seconds:", reason, flush=True)
        time.sleep(PAUSE)
    print("the leader is there after", int(time.monotonic() - begin), "seconds", flush=True)


if __name__ == "__main__":
    main()
'''

#: The same for 1.0, by the connection alone; `{host}` and `{port}` are filled in.
WAIT_FOR_PORT = """\
import socket
import time

PLACE = ("{host}", {port})
print("waiting for", PLACE[0], "port", PLACE[1], flush=True)
begin = remarked = time.monotonic()
while True:
    try:
        socket.create_connection(PLACE, timeout=2).close()
        break
    except OSError as problem:
        reason = str(problem)
    if time.monotonic() - remarked >= 30:
        remarked = time.monotonic()
        print("still waiting after", int(remarked - begin), "seconds:", reason, flush=True)
    time.sleep(2)
print("the leader is there after", int(time.monotonic() - begin), "seconds", flush=True)
"""

#: Serves weights to the pods that share the directory `{directory}`: sockets that an earlier server left are removed,
#: and the container ends as the server does, or with 1 when it is told to stop. `{module}` is the server.
SERVE_WEIGHTS = """\
status=1
finish() {{
    # The server's own processes are of this group; this shell is to outlive them.
    trap '' TERM INT
    kill 0 2>/dev/null
    exit "$status"
}}
trap finish TERM INT
rm -f {directory}/gms_*.sock
python3 -m {module} &
server=$!
echo "the weight server is process $server"
wait "$server"
status=$?
echo "the weight server ended with $status"
finish
"""

#: What runs under `cuda-checkpoint --launch-job`: it keeps the driver's job file where the snapshot agent finds it, at
#: the path in its first argument, and becomes the program of the other arguments. 1 where the driver gives no file.
KEEP_JOB_FILE = """\
kept=$1
shift
if [ -z "${CUDA_CHECKPOINT_JOB_FILE-}" ]; then
    echo "the driver gave no CUDA_CHECKPOINT_JOB_FILE: --launch-job needs NVIDIA driver 610 or later" >&2
    exit 1
fi
umask 077
cat -- "$CUDA_CHECKPOINT_JOB_FILE" > "$kept" || exit
CUDA_CHECKPOINT_JOB_FILE=$kept
export CUDA_CHECKPOINT_JOB_FILE
exec "$@"
"""

"""Programs that run inside of the objects: dynamoc's own, with the contract of those that the operator ships.

What each is given (environment, mounts, arguments) and how it ends is the operator's; the text is not. `dynamoc diff`
takes the operator's for equal (compare/own_programs.py).
"""

from __future__ import annotations

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

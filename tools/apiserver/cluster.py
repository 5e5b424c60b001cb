"""An API server on loopback: built, started, asked and stopped.

`servers/` holds etcd, kube-apiserver and the controllers that make pods, as one program of Go modules. Nothing listens
but on 127.0.0.1; everything it writes is in one folder, which is deleted in the end.
"""

import json
import os
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

HERE = Path(__file__).parent
#: the version of the modules in servers/go.mod
KUBERNETES = "v1.34.4"
_MODULE = "k8s.io/component-base/version"
#: seconds; a cold machine needs 20
_START = 180

Tree = dict[str, Any]


def build() -> Path:
    """The servers, from TESTCLUSTER_BIN or built: 15 minutes of CPU where Go has none of it in its cache."""
    given = os.environ.get("TESTCLUSTER_BIN")
    if given:
        return Path(given).resolve()
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "dynamoc"
    cache.mkdir(parents=True, exist_ok=True)
    program = cache / f"servers-{KUBERNETES}"
    _, minor, _ = KUBERNETES.split(".")
    flags = f"-s -w -X {_MODULE}.gitVersion={KUBERNETES} -X {_MODULE}.gitMajor=1 -X {_MODULE}.gitMinor={minor}"
    command = ["nice", "go", "build", "-trimpath", "-mod=readonly", "-buildvcs=false"]
    command += ["-gcflags=all=-l -dwarf=false", "-ldflags", flags, "-o", str(program), "."]
    subprocess.run(command, cwd=HERE / "servers", check=True)
    return program


class Cluster:
    """`with Cluster() as cluster:` starts one and ends it; `cluster.kubectl(…)` and `cluster.send(…)` ask it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dynamoc-cluster-"))
        self.kubeconfig = self.folder / "kubeconfig"
        self._program = build()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._token = secrets.token_hex(16)
        self._server = ""
        self._ssl: ssl.SSLContext | None = None
        self._resources: dict[tuple[str, str], tuple[str, bool]] = {}

    def __enter__(self) -> "Cluster":
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder)

    def kubectl(
        self, *arguments: str, input: str | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        command = ["kubectl", "--kubeconfig", str(self.kubeconfig), *arguments]
        done = subprocess.run(command, input=input, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr or done.stdout}")
        return done

    def create(self, value: Tree, *, dry: bool) -> tuple[int, Tree]:
        """Status and answer of the API server to a new object."""
        version, metadata = value["apiVersion"], value["metadata"]
        plural, namespaced = self._resource(version, value["kind"])
        root = "/api/" if "/" not in version else "/apis/"
        scope = f"/namespaces/{metadata['namespace']}" if namespaced else ""
        return self.send("POST", f"{root}{version}{scope}/{plural}{'?dryRun=All' if dry else ''}", value)

    def send(self, method: str, path: str, body: Tree | None = None) -> tuple[int, Tree]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._server + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self._ssl) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def _resource(self, version: str, kind: str) -> tuple[str, bool]:
        if (version, kind) not in self._resources:
            root = "/api/" if "/" not in version else "/apis/"
            for item in self.send("GET", root + version)[1]["resources"]:
                if "/" not in item["name"]:
                    self._resources[version, item["kind"]] = (item["name"], item["namespaced"])
        return self._resources[version, kind]

    def _start(self) -> None:
        client, peer, port = _free_ports(3)
        certificates = self.folder / "certificates"
        certificates.mkdir()
        key = certificates / "accounts.key"
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f"{self._token},admin,admin,system:masters\n")
        etcd, peers = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
        self._run("etcd", f"--data-dir={self.folder / 'etcd'}", "--name=it", "--unsafe-no-fsync",
                  f"--listen-client-urls={etcd}", f"--advertise-client-urls={etcd}", f"--listen-peer-urls={peers}",
                  f"--initial-advertise-peer-urls={peers}", f"--initial-cluster=it={peers}")  # fmt: skip
        self._run("apiserver", f"--etcd-servers={etcd}", "--bind-address=127.0.0.1", f"--secure-port={port}",
                  "--advertise-address=127.0.0.1", f"--cert-dir={certificates}", f"--token-auth-file={tokens}",
                  "--authorization-mode=RBAC", "--anonymous-auth=false", "--allow-privileged",
                  "--endpoint-reconciler-type=none",
                  # Nothing here lifts the finalizer that it puts on claims.
                  "--disable-admission-plugins=StorageObjectInUseProtection", "--service-cluster-ip-range=10.0.0.0/16",
                  "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={key}",
                  f"--service-account-signing-key-file={key}", "--enable-priority-and-fairness=false")  # fmt: skip
        self._server = f"https://127.0.0.1:{port}"
        self._wait_until_ready(certificates / "apiserver.crt")
        self._write_kubeconfig(self.kubeconfig, self._token)
        self._run("controllers", str(self.kubeconfig))
        self._await(lambda: self.send("GET", "/api/v1/namespaces/default/serviceaccounts/default")[0] == 200)

    def _run(self, *command: str) -> None:
        log = (self.folder / f"{command[0]}.log").open("wb")
        self._processes.append(subprocess.Popen(["nice", str(self._program), *command], stdout=log, stderr=log))

    def _wait_until_ready(self, certificate: Path) -> None:
        def is_ready() -> bool:
            if not certificate.exists() or not certificate.stat().st_size:
                return False
            self._ssl = ssl.create_default_context(cafile=str(certificate))
            request = urllib.request.Request(
                f"{self._server}/readyz", headers={"Authorization": f"Bearer {self._token}"}
            )
            try:
                return bool(urllib.request.urlopen(request, context=self._ssl).status == 200)
            except OSError:
                return False

        self._await(is_ready)

    def _await(self, holds: Any) -> None:
        end = time.monotonic() + _START
        while not holds():
            if time.monotonic() > end or any(process.poll() is not None for process in self._processes):
                logs = "\n".join(path.read_text(errors="replace")[-1000:] for path in self.folder.glob("*.log"))
                raise RuntimeError(f"The servers do not start.\n{logs}")
            time.sleep(0.2)

    def user(self, token: str) -> Path:
        """A kubeconfig for the owner of a token."""
        path = self.folder / "user"
        self._write_kubeconfig(path, token)
        return path

    def _write_kubeconfig(self, path: Path, token: str) -> None:
        certificate = str(self.folder / "certificates" / "apiserver.crt")
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": self._server, "certificate-authority": certificate}}],
            "users": [{"name": "it", "user": {"token": token}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        }
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(config))


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for item in sockets:
        item.bind(("127.0.0.1", 0))
    ports = [item.getsockname()[1] for item in sockets]
    for item in sockets:
        item.close()
    return ports

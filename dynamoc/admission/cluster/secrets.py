"""Secrets that the operator makes or reads: those with the key pair for mpirun, and the index of those for registries.

Source: internal/secret/ssh_key_manager.go; internal/secret/secret_replicator.go of 0.6; internal/secrets/docker.go.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from base64 import b64encode
from binascii import a2b_base64

from dynamoc.admission.cluster.operator_configuration import registry_host
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import loads
from dynamoc.reference.releases import Release

_MADE: dict[str, dict[str, str]] = {}

Index = dict[tuple[str, str], list[str]]
Broken = list[tuple[str, str]]
_LABELS = {"app.kubernetes.io/managed-by": "dynamo-operator"}
TYPE = "kubernetes.io/dockerconfigjson"
_KEY = ".dockerconfigjson"


def has_content(secret: Tree) -> bool:
    """Whether more than the name of a Secret is shown; `dynamoc capture` reads no content."""
    return secret.get("data") is not None or secret.get("stringData") is not None


def copies(source: Tree, namespaces: list[str], *, labelled: bool) -> list[Tree]:
    """Copies of an existing key pair, with its data and type."""
    data = dict(source.get("data") or {})
    for key, text in (source.get("stringData") or {}).items():
        data[key] = b64encode(str(text).encode()).decode()
    kind = {"type": source["type"]} if source.get("type") else {}
    name = source["metadata"]["name"]
    return [{**_secret(name, namespace, data, labelled=labelled), **kind} for namespace in namespaces]


def new(name: str, namespaces: list[str], *, labelled: bool) -> list[Tree]:
    """One new key pair of RSA with 2048 bits, made by ssh-keygen. OSError where that program is missing or fails.

    Graphs that are compiled together share it, as they share the Secret of the operator's namespace.
    """
    if not _MADE:
        private, public = (b64encode(part).decode() for part in _generate())
        # Of several threads, the first one decides.
        _MADE.setdefault("data", {"private.key": private, "private.key.pub": public})
    return [_secret(name, namespace, _MADE["data"], labelled=labelled) for namespace in namespaces]


def _secret(name: str, namespace: str, data: dict[str, str], *, labelled: bool) -> Tree:
    metadata = {"name": name, "namespace": namespace, **({"labels": dict(_LABELS)} if labelled else {})}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": dict(data)}


def _generate() -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "private.key")
        command = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", "", "-f", path]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except subprocess.CalledProcessError as error:
            raise OSError(error.stderr.decode(errors="replace").strip()) from error
        with open(path, "rb") as private, open(f"{path}.pub", "rb") as public:
            return private.read(), public.read()


def index_all_or_nothing(secrets: list[Tree]) -> tuple[Index, Broken]:
    """Up to 1.1: one Secret that cannot be read leaves the whole index empty. A Secret counts once a matching entry."""
    index: Index = {}
    broken: Broken = []
    for secret in secrets:
        try:
            hosts = registry_hosts(secret)
        except ValueError as error:
            broken.append((_label(secret), str(error)))
            continue
        for host in hosts:
            _secret_names(index, secret, host).append(secret["metadata"]["name"])
    return ({} if broken else index), broken


def index_each(secrets: list[Tree]) -> tuple[Index, Broken]:
    """Since 1.3: what cannot be read is skipped, and a Secret counts once."""
    index: Index = {}
    broken: Broken = []
    for secret in secrets:
        try:
            addresses = registry_addresses(secret)
        except ValueError as error:
            broken.append((_label(secret), str(error)))
            continue
        for address in addresses:
            host = registry_host(address)
            if host is None:
                broken.append((_label(secret), f"`{address}` has no registry host"))
                continue
            names = _secret_names(index, secret, host)
            if secret["metadata"]["name"] not in names:
                names.append(secret["metadata"]["name"])
    return index, broken


def index_all_once(secrets: list[Tree]) -> tuple[Index, Broken]:
    """1.2: one Secret that cannot be read still leaves the whole index empty, but a Secret counts once."""
    index, broken = index_each(secrets)
    return ({} if broken else index), broken


def index_of(secrets: list[Tree], release: Release) -> tuple[Index, Broken]:
    """The index as the operator of a release makes it, and Secrets that it cannot read, each with a reason."""
    found: tuple[Index, Broken] = globals()[release["images/pull-secret-index"]](secrets)
    return found


def registry_hosts(secret: Tree) -> list[str]:
    """One host for each entry of `auths`. ValueError where the operator fails on the Secret."""
    hosts = []
    for address in registry_addresses(secret):
        host = registry_host(address)
        if host is None:
            raise ValueError(f"`{address}` has no registry host")
        hosts.append(host)
    return hosts


def registry_addresses(secret: Tree) -> list[str]:
    """The keys of `auths` in the docker config, as written. ValueError where it isn't one."""
    try:
        config = loads(_docker_config(secret).decode())
    except ValueError as error:
        raise ValueError(f"its key {_KEY} is not JSON") from error
    if not isinstance(config, dict):
        raise ValueError(f"its key {_KEY} is not a JSON object")
    # Go matches names of fields without regard to case.
    auths = config.get("auths", next((value for key, value in config.items() if key.lower() == "auths"), None))
    if auths is None:
        return []
    if not isinstance(auths, dict):
        raise ValueError("its `auths` is not an object")
    return list(auths)


def _docker_config(secret: Tree) -> bytes:
    """`stringData` wins over `data`, as in the API server."""
    text = (secret.get("stringData") or {}).get(_KEY)
    if text is not None:
        return str(text).encode()

    return a2b_base64(str((secret.get("data") or {}).get(_KEY) or ""))


def _secret_names(index: Index, secret: Tree, host: str) -> list[str]:
    return index.setdefault((secret["metadata"]["namespace"], host), [])


def _label(secret: Tree) -> str:
    return f"{secret['metadata']['namespace']}/{secret['metadata']['name']}"

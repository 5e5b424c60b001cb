"""The Secrets that hold the key pair for mpirun (internal/secret/ssh_key_manager.go)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_LABELS = {"app.kubernetes.io/managed-by": "dynamo-operator"}


def has_content(secret: Tree) -> bool:
    """Whether more than the name of a Secret is shown; `dynamoc capture` reads no content."""
    return secret.get("data") is not None or secret.get("stringData") is not None


def copies(source: Tree, namespaces: list[str], *, labelled: bool) -> list[Tree]:
    """Copies of an existing key pair, with its data and type."""
    from base64 import b64encode

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
        from base64 import b64encode

        private, public = (b64encode(part).decode() for part in _generate())
        # Of several threads, the first one decides.
        _MADE.setdefault("data", {"private.key": private, "private.key.pub": public})
    return [_secret(name, namespace, _MADE["data"], labelled=labelled) for namespace in namespaces]


_MADE: dict[str, dict[str, str]] = {}


def _secret(name: str, namespace: str, data: dict[str, str], *, labelled: bool) -> Tree:
    metadata = {"name": name, "namespace": namespace, **({"labels": dict(_LABELS)} if labelled else {})}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": dict(data)}


def _generate() -> tuple[bytes, bytes]:
    import os
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "private.key")
        command = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", "", "-f", path]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except subprocess.CalledProcessError as error:
            raise OSError(error.stderr.decode(errors="replace").strip()) from error
        with open(path, "rb") as private, open(f"{path}.pub", "rb") as public:
            return private.read(), public.read()

"""The Secret with the ssh key pair that mpirun uses between the nodes of a replica."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.lower.objects import metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_PRIVATE, _PUBLIC = "private.key", "private.key.pub"


def ssh_secrets(graph: Graph, operator: Operator) -> list[Tree]:
    """The Secret in the operator's namespace and a copy in the graph's, where they don't exist.

    Any multinode component leads to them, whatever its backend. Key material is never made up unasked: without
    `--generate-secrets` a note tells how to create the Secrets. Source: internal/secret/ssh_key_manager.go.
    """
    if not graph.is_multinode:
        return []
    mpi, cluster = operator.config.mpi, operator.cluster
    namespaces = dict.fromkeys((mpi.ssh_secret_namespace, graph.namespace))
    existing = [cluster.get("Secret", namespace, mpi.ssh_secret_name) for namespace in namespaces]
    missing = [namespace for namespace, secret in zip(namespaces, existing, strict=True) if secret is None]
    if not missing:
        return []
    if not operator.generate_secrets:
        operator.note(
            "secret/ssh-keys",
            f"The operator would create Secret {mpi.ssh_secret_name} with a new ssh key pair in namespace "
            f"{' and '.join(missing)}.",
            ("spec",),
            f"Create it once: ssh-keygen -t rsa -b 2048 -m PEM -N '' -f private.key && kubectl -n {missing[-1]} create "
            f"secret generic {mpi.ssh_secret_name} --from-file=private.key --from-file=private.key.pub; "
            "or render with --generate-secrets.",
        )
        return []
    source = existing[0]
    data = source.get("data") if source is not None else None
    data = data or _generated_key_pair()
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata(mpi.ssh_secret_name, namespace, {"app.kubernetes.io/managed-by": "dynamo-operator"}),
            "data": dict(data),
        }
        for namespace in missing
    ]


_KEY_PAIR: dict[str, str] = {}


def _generated_key_pair() -> dict[str, str]:
    """A 2048-bit RSA pair in base64 from ssh-keygen, one for all graphs of a call. Raises `Refusal` without it."""
    if _KEY_PAIR:
        return _KEY_PAIR
    import base64
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/{_PRIVATE}"
        command = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", "", "-f", path]
        try:
            subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Refusal(
                "secret/no-ssh-keygen",
                f"--generate-secrets needs ssh-keygen, which failed: {error}.",
                (),
                "Install OpenSSH, or create the Secret and give it with --context.",
            ) from error
        for key, file in ((_PRIVATE, path), (_PUBLIC, f"{path}.pub")):
            with open(file, "rb") as stream:
                _KEY_PAIR[key] = base64.b64encode(stream.read()).decode()
    return _KEY_PAIR

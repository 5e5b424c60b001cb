"""The Secret with the ssh key pair that mpirun uses between the nodes of a replica."""

from __future__ import annotations

from dynamoc.tracing import ALPHA, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/ssh_keys/ssh-secrets",
    source="internal/secret/ssh_key_manager.go",
    generations=(ALPHA, HUB),
    when="mpi/makes-key-pair",
)
def ssh_secrets(graph: Graph, operator: Operator) -> list[Tree]:
    """The Secret in the operator's namespace and a copy in the graph's, where they don't exist.

    Any multinode component needs them, whatever its backend. Keys are never generated unasked: without
    `--generate-secrets`, a note explains how to create them. Without the operator, pods get the one that they mount.
    """
    if not graph.is_multinode or operator.standalone is not None:
        return []
    mpi, cluster = operator.config.mpi, operator.cluster
    namespaces = dict.fromkeys((mpi.ssh_secret_namespace, graph.namespace))
    missing = [namespace for namespace in namespaces if not cluster.spares("Secret", namespace, mpi.ssh_secret_name)]
    return cluster.key_pair_secrets(operator.report, mpi.ssh_secret_name, missing) if missing else []

"""The key pair by which mpirun reaches the pods of other nodes, where no operator makes it."""

from __future__ import annotations

from dynamoc.cluster import key_pair
from dynamoc.diagnostics.finding import ERROR, WARNING
from dynamoc.lower.standalone.pod_templates import pod_specs
from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/standalone/key_pair/key-pairs", source="internal/secret/ssh_key_manager.go", generations=(EARLY, ALPHA, HUB)
)
def key_pairs(objects: list[Tree], operator: Operator) -> list[Tree]:
    """The Secret with the key pair, in each namespace where pods mount it and it is not in the input or --context.

    A copy where the operator's namespace has one; a new one only with `--generate-secrets`, else a note: keys are never
    generated unasked. The operator's own namespace gets none. Before 0.6 the Secret was the user's own.
    """
    if not operator.release.has("mpi/brings-key-pair"):
        return []
    name, cluster = operator.config.mpi.ssh_secret_name, operator.cluster
    wanted = dict.fromkeys(namespace for namespace, spec in pod_specs(objects) if name and _mounts(spec, name))
    missing = [namespace for namespace in wanted if not cluster.spares("Secret", namespace, name)]
    if not missing:
        return []
    labelled = operator.release.has("mpi/makes-key-pair")
    source = cluster.get("Secret", operator.config.mpi.ssh_secret_namespace, name)
    if source is not None and key_pair.has_content(source):
        return key_pair.copies(source, missing, labelled=labelled)
    if cluster.generate_secrets:
        try:
            return key_pair.new(name, missing, labelled=labelled)
        except OSError as error:
            operator.report(
                ERROR, "context/key-pair", f"ssh-keygen cannot create a key pair: {error}.", (), "install OpenSSH"
            )
            return []
    for namespace in missing:
        operator.report(
            WARNING,
            "standalone/key-pair",
            f"Pods mount the key pair for mpirun from Secret `{namespace}/{name}`, which the operator would "
            "create; they do not start without it.",
            (),
            "Create it once with --generate-secrets, or by hand (docs/standalone.md), and then pass it with --context.",
        )
    return []


def _mounts(spec: Tree, secret: str) -> bool:
    return any((volume.get("secret") or {}).get("secretName") == secret for volume in spec.get("volumes") or ())

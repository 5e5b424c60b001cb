"""Objects that controllers make from others: who brings the other brings them, too.

Source: the APIs of the NVIDIA DRA driver (ComputeDomain), cert-manager, External Secrets and Sealed Secrets.
"""

from __future__ import annotations

from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import mapping, text
from dynamoc.requires.reference import CLAIM_TEMPLATE, SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.kube.identity import Identity

    Tree = dict[str, Any]

#: (group, kind) to what is made, and where its name stands; the object's own name where nothing does
_MADE = {
    ("bitnami.com", "SealedSecret"): (SECRET, ("spec", "template", "metadata", "name")),
    ("cert-manager.io", "Certificate"): (SECRET, ("spec", "secretName")),
    ("external-secrets.io", "ExternalSecret"): (SECRET, ("spec", "target", "name")),
    ("resource.nvidia.com", "ComputeDomain"): (
        CLAIM_TEMPLATE,
        ("spec", "channel", "resourceClaimTemplate", "name"),
    ),
}


def made_from(value: Tree) -> Identity | None:
    """The object that a controller makes from another, in the same namespace; None for objects that stay alone."""
    group, kind, namespace, name = identity(value)
    found = _MADE.get((group, kind))
    if found is None:
        return None
    made, path = found
    return *made, namespace, text(mapping(value, *path[:-1]).get(path[-1])) or name

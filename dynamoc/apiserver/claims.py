"""Claims to volumes, on their own and in ephemeral volumes (k8s.io/kubernetes/pkg/apis/core/validation)."""

from __future__ import annotations

from dynamoc.apiserver.choices import check_choice, either, in_known_case
from dynamoc.apiserver.scheduling import check_selector
from dynamoc.golang.quantity import sign
from dynamoc.kube.names import is_dns_subdomain
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")


def check_claim_spec(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidatePersistentVolumeClaimSpec"""
    modes = spec.get("accessModes") or ()
    if not modes:
        message = "A claim needs at least one of `accessModes`."
        problems.append(Problem("admission/claim-access", (*path, "accessModes"), message, "add `ReadWriteOnce`"))
    for index, mode in enumerate(modes):
        if mode not in _ACCESS_MODES:
            message = f"The access mode `{mode}` must be {either(_ACCESS_MODES)}."
            change, at = in_known_case(mode, _ACCESS_MODES), (*path, "accessModes", index)
            problems.append(Problem("admission/claim-access", at, message, change=change))
        elif mode == "ReadWriteOncePod" and len(modes) > 1:
            message = "`ReadWriteOncePod` cannot be combined with other access modes."
            problems.append(Problem("admission/claim-access", (*path, "accessModes", index), message))
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        message = "A claim needs `resources.requests.storage`."
        problems.append(Problem("admission/claim-size", (*path, "resources"), message))
    elif sign(storage) <= 0:
        message = f"`storage: {storage}` must be more than 0."
        problems.append(Problem("admission/claim-size", (*path, "resources", "requests", "storage"), message))
    check_choice(spec, "volumeMode", ("Block", "Filesystem"), "admission/claim-mode", path, problems)
    name = spec.get("storageClassName")
    if name and not is_dns_subdomain(name):
        message = f"`storageClassName: {name}` must be a DNS subdomain."
        problems.append(Problem("admission/claim-class", (*path, "storageClassName"), message))
    check_selector(spec.get("selector") or {}, (*path, "selector"), problems)

"""Generated ConfigMaps, Secrets, claims and autoscalers."""

from __future__ import annotations

from dynamoc.admission.formats import is_config_key
from dynamoc.kube.names import is_dns_subdomain
from dynamoc.kube.quantity import sign
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

SIZE_LIMIT = 1024 * 1024
_ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")


def check_settings(value: Tree, problems: list[Problem]) -> None:
    """Keys of a ConfigMap or Secret, and the size of all values together."""
    size = 0
    for field in ("data", "binaryData", "stringData"):
        for key, text in (value.get(field) or {}).items():
            if not is_config_key(key):
                message = f"The key `{key}` must be up to 253 letters, digits, `-`, `_` and `.`."
                problems.append(Problem("admission/config-key", (field, key), message))
            size += len(str(text).encode())
    if size > SIZE_LIMIT and value.get("kind") == "ConfigMap":
        message = f"The values hold {size} bytes together; the API server takes {SIZE_LIMIT}."
        problems.append(Problem("admission/config-size", ("data",), message))


def check_claim(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidatePersistentVolumeClaimSpec"""
    spec = value.get("spec") or {}
    modes = spec.get("accessModes") or []
    if not modes:
        problems.append(Problem("admission/claim-access", ("spec", "accessModes"), "A claim needs an access mode."))
    for index, mode in enumerate(modes):
        if mode not in _ACCESS_MODES:
            message = f"The access mode `{mode}` must be one of {', '.join(_ACCESS_MODES)}."
            problems.append(Problem("admission/claim-access", ("spec", "accessModes", index), message))
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        message = "ReadWriteOncePod goes with no other access mode."
        problems.append(Problem("admission/claim-access", ("spec", "accessModes"), message))
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if size is None or sign(size) <= 0:
        message = "A claim needs a size above zero."
        problems.append(Problem("admission/claim-size", ("spec", "resources", "requests"), message))
    name = spec.get("storageClassName")
    if name and not is_dns_subdomain(name):
        message = f"`storageClassName: {name}` must be a DNS subdomain."
        problems.append(Problem("admission/claim-class", ("spec", "storageClassName"), message))


def check_autoscaler(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/autoscaling/validation validateHorizontalPodAutoscalerSpec"""
    spec = value.get("spec") or {}
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        message = f"`minReplicas: {least}` must be at least 1."
        problems.append(Problem("admission/autoscaler-range", ("spec", "minReplicas"), message))
    if most < 1 or (least is not None and most < least):
        message = f"`maxReplicas: {most}` must be at least 1 and no less than `minReplicas`."
        problems.append(Problem("admission/autoscaler-range", ("spec", "maxReplicas"), message))

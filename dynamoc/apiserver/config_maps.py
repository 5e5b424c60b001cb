"""Generated ConfigMaps, Secrets and autoscalers."""

from __future__ import annotations

from dynamoc.apiserver.field_table import at_least, check_table, one_of, required
from dynamoc.apiserver.formats import is_config_key
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.apiserver.field_table import Table

    Tree = dict[str, Any]

_SECRET_KEYS = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
SIZE_LIMIT = 1024 * 1024


def check_settings(value: Tree, problems: list[Problem]) -> None:
    """Keys of a ConfigMap or Secret, and the size of all values together."""
    if value.get("kind") == "Secret":
        _check_type(value, problems)
    for key in {*(value.get("data") or {})} & {*(value.get("binaryData") or {})}:
        message = f"The key `{key}` is in `data` and in `binaryData`."
        problems.append(Problem("admission/config-key", ("binaryData", key), message))
    size = 0
    for field in ("data", "binaryData", "stringData"):
        for key, text in (value.get(field) or {}).items():
            if not is_config_key(key):
                message = f"The key `{key}` must be up to 253 letters, digits, `-`, `_` and `.`."
                problems.append(Problem("admission/config-key", (field, key), message))
            size += len(str(text).encode())
    if size > SIZE_LIMIT and value.get("kind") == "ConfigMap":
        message = f"The values have {size} bytes in total; the API server accepts {SIZE_LIMIT}."
        problems.append(Problem("admission/config-size", ("data",), message))


def _check_type(value: Tree, problems: list[Problem]) -> None:
    """Keys that a type of Secret must have."""
    given = {*(value.get("data") or {}), *(value.get("stringData") or {})}
    problems += [
        Problem("admission/secret-type", ("data",), f"A Secret of the type `{value['type']}` needs the key `{key}`.")
        for key in _SECRET_KEYS.get(value.get("type") or "", ())
        if key not in given
    ]


def check_autoscaler(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/autoscaling/validation validateHorizontalPodAutoscalerSpec"""
    spec = value.get("spec") or {}
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        message = f"`minReplicas: {least}` must be at least 1."
        problems.append(Problem("admission/autoscaler-range", ("spec", "minReplicas"), message))
    if most < 1 or (least is not None and most < least):
        message = f"`maxReplicas: {most}` must be at least 1 and not less than `minReplicas`."
        problems.append(Problem("admission/autoscaler-range", ("spec", "maxReplicas"), message))
    check_table(value, _AUTOSCALER, problems)
    for index, metric in enumerate(spec.get("metrics") or ()):
        target = (metric.get("resource") or {}).get("target") or {}
        if target.get("type") == "Utilization" and target.get("averageUtilization") is None:
            at = ("spec", "metrics", index, "resource", "target")
            message = "A target of the type Utilization needs `averageUtilization`."
            problems.append(Problem("admission/autoscaler-metric", at, message))


_METRICS = ("Resource", "Pods", "Object", "External", "ContainerResource")
_AUTOSCALER: Table = (
    ("admission/autoscaler-target", "spec.scaleTargetRef.kind", required),
    ("admission/autoscaler-target", "spec.scaleTargetRef.name", required),
    ("admission/autoscaler-metric", "spec.metrics[].type", one_of(*_METRICS)),
    ("admission/autoscaler-metric", "spec.metrics[].resource.name", required),
    ("admission/autoscaler-metric", "spec.metrics[].resource.target.averageUtilization", at_least(1)),
    ("admission/autoscaler-behavior", "spec.behavior.scaleUp.stabilizationWindowSeconds", at_least(0, 3600)),
    ("admission/autoscaler-behavior", "spec.behavior.scaleDown.stabilizationWindowSeconds", at_least(0, 3600)),
)

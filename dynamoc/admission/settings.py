"""Generated ConfigMaps, Secrets and autoscalers."""

from __future__ import annotations

from dynamoc.admission.formats import is_config_key
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

SIZE_LIMIT = 1024 * 1024


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
        message = f"The values have {size} bytes in total; the API server accepts {SIZE_LIMIT}."
        problems.append(Problem("admission/config-size", ("data",), message))


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

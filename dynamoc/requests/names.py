"""Names, labels and paths that requests and what is made of them share.

Source: controller/dynamographdeploymentrequest_controller.go, api/v1beta1/dynamographdeploymentrequest_types.go.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

KIND = "DynamoGraphDeploymentRequest"
ACCOUNT = "dgdr-profiling-job"
PROFILER, COPIER, INSTALLER = "profiler", "output-copier", "dgd-override-installer"
OUTPUT_VOLUME, OUTPUT_DIR = "profiling-output", "/data"
CONFIG_VOLUME, CONFIG_DIR, CONFIG_FILE = "profiling-config", "/config", "disagg.yaml"
CACHE_VOLUME, CACHE_DIR = "model-cache", "/opt/model-cache"

APP_LABEL, REQUEST_LABEL = "app", "dgdr"
MANAGED_LABEL, MANAGED = "nvidia.com/managed-by", "dynamo-operator"
NAME_LABEL, NAMESPACE_LABEL = "dgdr.nvidia.com/name", "dgdr.nvidia.com/namespace"
#: labels that a user cannot put on the profiler's pod
PROTECTED_LABELS = (APP_LABEL, REQUEST_LABEL, NAME_LABEL, NAMESPACE_LABEL, MANAGED_LABEL)


def job_name(request: str) -> str:
    return f"profile-{request}"


def output_name(request: str) -> str:
    """The ConfigMap with the profiler's answer."""
    return f"dgdr-output-{request}"


def made_labels(value: Tree) -> dict[str, str]:
    """The labels of what the operator makes of the answer to a request."""
    metadata = value["metadata"]
    return {
        NAME_LABEL: metadata["name"],
        NAMESPACE_LABEL: metadata["namespace"],
        MANAGED_LABEL: MANAGED,
    }

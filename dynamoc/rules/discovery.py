"""Service discovery as a pod needs it."""

from __future__ import annotations

from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


def discovery_account(owner: str) -> str:
    """discovery/resource.go GetK8sDiscoveryServiceAccountName."""
    return f"{owner}-k8s-service-discovery"


def discovery_mode(annotations: dict[str, str]) -> str:
    """`pod`, or `container` where several containers of a pod register (controller_common GetKubeDiscoveryMode)."""
    return annotations.get("nvidia.com/dynamo-kube-discovery-mode", "pod")


@rule("discovery/service-account", source="internal/dynamo/graph.go GenerateBasePodSpec")
def service_account(pod: Pod) -> None:
    """Runs the pod under the graph's discovery account, unless its type or the user names another.

    Only with Kubernetes as the discovery backend: the account may watch EndpointSlices and write worker metadata.
    """
    if pod.operator.kubernetes_discovery(pod.component.steering) and not pod.spec.get("serviceAccountName"):
        pod.spec["serviceAccountName"] = discovery_account(pod.owner)

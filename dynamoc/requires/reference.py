"""One object naming another."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Path


class Reference:
    """An object that is named at `path`.

    namespace  None for the namespace of the object that names it; "" for kinds without one
    key        of a Secret or ConfigMap, None where any will do
    """

    __slots__ = ("group", "key", "kind", "name", "namespace", "optional", "path")

    def __init__(
        self,
        kind: tuple[str, str],
        name: str,
        path: Path,
        *,
        namespace: str | None = None,
        optional: bool = False,
        key: str | None = None,
    ) -> None:
        self.group, self.kind = kind
        self.name = name
        self.path = path
        self.namespace = namespace
        self.optional = optional
        self.key = key


# kinds as (group, kind)
SECRET = ("", "Secret")
CONFIG_MAP = ("", "ConfigMap")
CLAIM = ("", "PersistentVolumeClaim")
VOLUME = ("", "PersistentVolume")
SERVICE = ("", "Service")
SERVICE_ACCOUNT = ("", "ServiceAccount")
ENDPOINTS = ("", "Endpoints")
NODE = ("", "Node")
PRIORITY_CLASS = ("scheduling.k8s.io", "PriorityClass")
RUNTIME_CLASS = ("node.k8s.io", "RuntimeClass")
STORAGE_CLASS = ("storage.k8s.io", "StorageClass")
CSI_DRIVER = ("storage.k8s.io", "CSIDriver")
INGRESS_CLASS = ("networking.k8s.io", "IngressClass")
RESOURCE_CLAIM = ("resource.k8s.io", "ResourceClaim")
CLAIM_TEMPLATE = ("resource.k8s.io", "ResourceClaimTemplate")
DEVICE_CLASS = ("resource.k8s.io", "DeviceClass")
TRUST_BUNDLE = ("certificates.k8s.io", "ClusterTrustBundle")
ROLE_GROUP = "rbac.authorization.k8s.io"
KAI_QUEUE = ("scheduling.run.ai", "Queue")
VOLCANO_QUEUE = ("scheduling.volcano.sh", "Queue")
POD_GROUP = ("scheduling.volcano.sh", "PodGroup")
TOPOLOGY = ("grove.io", "ClusterTopologyBinding")
ISTIO_GATEWAY = ("networking.istio.io", "Gateway")
GATEWAY_GROUP = "gateway.networking.k8s.io"
NETWORK = ("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
SECRET_PROVIDER = ("secrets-store.csi.x-k8s.io", "SecretProviderClass")
GRAPH = ("nvidia.com", "DynamoGraphDeployment")

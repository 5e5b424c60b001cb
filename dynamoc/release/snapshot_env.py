"""Variables that a restored process gets anew: what a snapshot of it may differ in.

Source: internal/checkpoint/compatibility.go snapshotRestoreEnvironmentNames of operators 1.5 and 1.6.
"""

from __future__ import annotations

REFRESHED = frozenset(
    (
        "CONTAINER_NAME",
        "DYN_COMPONENT",
        "DYN_DISCOVERY_BACKEND",
        "DYN_EVENT_PLANE",
        "DYN_EVENT_PLANE_HOST",
        "DYN_GMS_USE_V1",
        "DYN_HEALTH_CHECK_ENABLED",
        "DYN_KUBE_DISCOVERY_MODE",
        "DYN_NAMESPACE",
        "DYN_NAMESPACE_WORKER_SUFFIX",
        "DYN_PARENT_DGD_K8S_NAME",
        "DYN_PARENT_DGD_K8S_NAMESPACE",
        "DYN_REQUEST_PLANE",
        "DYN_SYSTEM_HEALTH_PATH",
        "DYN_SYSTEM_HOST",
        "DYN_SYSTEM_LIVE_PATH",
        "DYN_SYSTEM_PORT",
        "DYN_SYSTEM_STARTING_HEALTH_STATUS",
        "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
        "DYN_TCP_RESPONSE_STREAM_HOST",
        "DYN_TCP_RESPONSE_STREAM_PORT",
        "DYN_TCP_RPC_HOST",
        "DYN_TCP_RPC_PORT",
        "DYN_VLLM_GMS_SHADOW_MODE",
        "ENGINE_ID",
        "ETCD_ENDPOINTS",
        "FAILOVER_LOCK_PATH",
        "MODEL_EXPRESS_URL",
        "NATS_SERVER",
        "POD_NAME",
        "POD_NAMESPACE",
        "POD_UID",
        "PROMETHEUS_ENDPOINT",
    )
)
REFRESHED_1_6 = REFRESHED | {"DYN_TCP_LISTEN_BACKLOG"}

"""Values that the operator writes into objects: one table, and a delta per release.

Trees in this table are shared; rules copy them before they change them.
"""

from __future__ import annotations

_TCP = "TCP"


def _http_probe(path: str, port: str, **timing: int) -> dict[str, object]:
    return {"httpGet": {"path": path, "port": port}, **timing}


def _grpc_probe(**timing: int) -> dict[str, object]:
    return {"grpc": {"port": 9003, "service": "inference-extension"}, **timing}


def _field(path: str) -> dict[str, object]:
    return {"fieldRef": {"fieldPath": path}}


_WORKER_ENV = [
    {"name": "DYN_SYSTEM_ENABLED", "value": "true"},
    {"name": "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", "value": '["generate"]'},
    {"name": "DYN_SYSTEM_PORT", "value": "9090"},
    {"name": "DYN_HEALTH_CHECK_ENABLED", "value": "false"},
    {"name": "NIXL_TELEMETRY_ENABLE", "value": "n"},
    {"name": "NIXL_TELEMETRY_EXPORTER", "value": "prometheus"},
    {"name": "NIXL_TELEMETRY_PROMETHEUS_PORT", "value": "19090"},
]
_WORKER_PROBES = {
    "livenessProbe": _http_probe("/live", "system", periodSeconds=5, timeoutSeconds=4, failureThreshold=1),
    "readinessProbe": _http_probe("/health", "system", periodSeconds=10, timeoutSeconds=4, failureThreshold=3),
    "startupProbe": _http_probe("/live", "system", periodSeconds=10, timeoutSeconds=5, failureThreshold=720),
}
_TRTLLM_ENV = (
    "CUDA_VISIBLE_DEVICES",
    "MODEL_PATH",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HF_ENDPOINT",
    "TOKENIZERS_PARALLELISM",
    "NCCL_DEBUG",
    "NCCL_IB_DISABLE",
    "NCCL_P2P_DISABLE",
    "TENSORRT_LLM_CACHE_DIR",
    "HF_HOME",
    "TRANSFORMERS_CACHE",
    "HF_DATASETS_CACHE",
    "PATH",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "HOME",
    "USER",
    "TRTLLM_USE_UCX_KVCACHE",
)

#: consts.go, component_*.go, discovery/resource.go, backend_*.go of operator 1.0
_1_0: dict[str, object] = {
    # the module below dynamoc.lower that makes objects of a document
    "lower": "dynamoc.lower.document",
    # names and annotations
    "main-container": "main",
    "frontend-sidecar-container": "sidecar-frontend",
    "propagated-annotations": (
        "nvidia.com/enable-metrics",
        "nvidia.com/dynamo-discovery-backend",
        "nvidia.com/dynamo-operator-origin-version",
        "nvidia.com/vllm-distributed-executor-backend",
    ),
    # containers: component_common.go getCommonContainer, component_frontend.go, component_worker.go, …
    "command/default": ["/bin/sh", "-c"],
    "command/frontend": ["python3"],
    "args/frontend": ["-m", "dynamo.frontend"],
    "env/identity": [
        {"name": "POD_NAME", "valueFrom": _field("metadata.name")},
        {"name": "POD_NAMESPACE", "valueFrom": _field("metadata.namespace")},
        {"name": "POD_UID", "valueFrom": _field("metadata.uid")},
    ],
    "env/worker": _WORKER_ENV,
    "env/planner": [{"name": "PLANNER_PROMETHEUS_PORT", "value": "9085"}],
    "env/epp": [
        {"name": "USE_STREAMING", "value": "true"},
        {"name": "RUST_LOG", "value": "debug,dynamo_llm::kv_router=trace"},
    ],
    "ports/frontend": [{"name": "http", "containerPort": 8000, "protocol": _TCP}],
    "ports/worker": [
        {"name": "system", "containerPort": 9090, "protocol": _TCP},
        {"name": "nixl", "containerPort": 19090, "protocol": _TCP},
    ],
    "ports/planner": [{"name": "metrics", "containerPort": 9085, "protocol": _TCP}],
    "ports/epp": [
        {"name": "grpc", "containerPort": 9002, "protocol": _TCP},
        {"name": "grpc-health", "containerPort": 9003, "protocol": _TCP},
        {"name": "metrics", "containerPort": 9090, "protocol": _TCP},
    ],
    "probes/planner": {},
    "probes/frontend": {
        "livenessProbe": _http_probe(
            "/live", "http", initialDelaySeconds=15, periodSeconds=10, timeoutSeconds=1, failureThreshold=3
        ),
        "readinessProbe": _http_probe(
            "/health", "http", initialDelaySeconds=10, periodSeconds=10, timeoutSeconds=3, failureThreshold=3
        ),
    },
    "probes/worker": _WORKER_PROBES,
    "probes/epp": {
        "livenessProbe": _grpc_probe(initialDelaySeconds=5, periodSeconds=10),
        "readinessProbe": _grpc_probe(initialDelaySeconds=5, periodSeconds=10),
        "startupProbe": _grpc_probe(periodSeconds=10, failureThreshold=180),
    },
    # pods
    "grace-seconds/default": 60,
    "grace-seconds/epp": 130,
    "fs-group": 1000,
    "shared-memory/size": "8Gi",
    "compilation-cache/vllm": "/root/.cache/vllm",
    "service-account/planner": "planner-serviceaccount",
    "service-account/epp": "epp-serviceaccount",
    # multinode: grove.go, lws.go
    "grove/leader-host": "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-{service}-ldr-0.$(GROVE_HEADLESS_SERVICE)",
    "grove/worker-host": "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-{service}-wkr-{index}.$(GROVE_HEADLESS_SERVICE)",
    "grove/node-rank": "$((GROVE_PCLQ_POD_INDEX + 1))",
    "lws/leader-host": "$LWS_LEADER_ADDRESS",
    "lws/worker-host": "$(echo \"$LWS_LEADER_ADDRESS\" | sed 's/\\./-{index}\\./')",
    "lws/node-rank": "$(LWS_WORKER_INDEX)",
    "lws/node-rank-needs-shell": True,
    "vllm/mp-since-origin": (1, 0, 0),
    "vllm/ray-port": "6379",
    "vllm/mp-port": "29500",
    "vllm/data-parallel-rpc-port": "13445",
    "sglang/port": "29500",
    "trtllm/ssh-port": 2222,
    "trtllm/worker-readiness": {
        "tcpSocket": {"port": 2222},
        "initialDelaySeconds": 20,
        "periodSeconds": 20,
        "timeoutSeconds": 5,
        "failureThreshold": 10,
    },
    # Environment that mpirun always forwards, set in the pod or not (backend_trtllm.go getCommonTRTLLMEnvVars).
    "trtllm/forwarded-env": _TRTLLM_ENV,
    # EPP: component_epp.go, epp/config.go, epp/inference_pool.go
    "epp/config-key": "epp-config-dynamo.yaml",
    "epp/config-dir": "/etc/epp",
    "epp/config-api-version": "inference.networking.x-k8s.io/v1alpha1",
    "epp/pool-group": "inference.networking.k8s.io",
    "epp/grpc-port": 9002,
    "epp/flag-dashes": "-",
    "epp/pool-selects-by": "nvidia.com/dynamo-component-type",
    # discovery/resource.go
    "discovery/core-resources": ["endpoints"],
    # dynamographdeployment_controller.go reconcileScalingAdapters
    "scaling-adapter/api-version": "nvidia.com/v1alpha1",
    "scaling-adapter/component-field": "serviceName",
    # checkpoints: consts.go, checkpoint/dgd_integration.go
    "checkpoint/seccomp-profile": "profiles/block-iouring.json",
    "checkpoint/volume": "checkpoint-storage",
}

#: consts.go, component_*.go, discovery/resource.go, backend_*.go, lws.go of operator 1.4
_1_4: dict[str, object] = {
    "lower": "dynamoc.lower.hub.document",
    "propagated-annotations": (
        "nvidia.com/enable-metrics",
        "nvidia.com/dynamo-discovery-backend",
        "nvidia.com/dynamo-kube-discovery-mode",
        "nvidia.com/dynamo-operator-origin-version",
        "nvidia.com/vllm-distributed-executor-backend",
    ),
    "env/worker": [*_WORKER_ENV, {"name": "DYN_FORWARDPASS_METRIC_PORT", "value": "20380"}],
    "env/planner": [
        {"name": "PLANNER_PROMETHEUS_PORT", "value": "9085"},
        {"name": "DYN_SYSTEM_PORT", "value": "9090"},
    ],
    "env/epp": [
        {"name": "USE_STREAMING", "value": "true"},
        {"name": "RUST_LOG", "value": "info"},
        {"name": "DYN_ENFORCE_DISAGG", "value": "false"},
    ],
    "ports/planner": [
        {"name": "metrics", "containerPort": 9085, "protocol": _TCP},
        {"name": "system", "containerPort": 9090, "protocol": _TCP},
    ],
    "probes/planner": _WORKER_PROBES,
    "epp/flag-dashes": "--",
    # Kubernetes expands $(…) in arguments itself, so that no shell is needed.
    "lws/leader-host": "$(LWS_LEADER_ADDRESS)",
    "lws/node-rank-needs-shell": False,
    "trtllm/forwarded-env": (*_TRTLLM_ENV, "CPATH", "TRITON_PTXAS_PATH"),
    "discovery/core-resources": ["endpoints", "pods"],
    "epp/pool-selects-by": "nvidia.com/dynamo-component-class",
    # grove.go, consts.go MaxCombinedGroveResourceNameLength; graph.go PCSNameForDGD
    "grove/name-budget": 45,
    "grove/least-name": 8,
    "scaling-adapter/api-version": "nvidia.com/v1beta1",
    "scaling-adapter/component-field": "componentName",
}

CONSTANTS: dict[str, dict[str, object]] = {"1.0": _1_0, "1.4": _1_4}

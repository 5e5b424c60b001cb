"""Values that the operator writes into objects: a table for the first release, and a delta for each that follows.

Trees in this table are shared; rules copy them before they change them.
"""

from __future__ import annotations

from dynamoc.reference import programs

_TCP = "TCP"


def _http_probe(path: str, port: str, **timing: int) -> dict[str, object]:
    return {"httpGet": {"path": path, "port": port}, **timing}


def _grpc_probe(**timing: int) -> dict[str, object]:
    return {"grpc": {"port": 9003, "service": "inference-extension"}, **timing}


def _field(path: str) -> dict[str, object]:
    return {"fieldRef": {"fieldPath": path}}


_SYSTEM_ENV = [
    {"name": "DYN_SYSTEM_ENABLED", "value": "true"},
    {"name": "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", "value": '["generate"]'},
    {"name": "DYN_SYSTEM_PORT", "value": "9090"},
]
_WORKER_ENV = [
    *_SYSTEM_ENV,
    {"name": "DYN_HEALTH_CHECK_ENABLED", "value": "false"},
    {"name": "NIXL_TELEMETRY_ENABLE", "value": "n"},
    {"name": "NIXL_TELEMETRY_EXPORTER", "value": "prometheus"},
    {"name": "NIXL_TELEMETRY_PROMETHEUS_PORT", "value": "19090"},
]
_SYSTEM_PORT = {"name": "system", "containerPort": 9090, "protocol": _TCP}
_STARTUP_PROBE = _http_probe("/live", "system", periodSeconds=10, timeoutSeconds=5, failureThreshold=720)
_LIVENESS_0_4 = _http_probe("/live", "system", periodSeconds=5, timeoutSeconds=30, failureThreshold=1)
_READINESS_0_4 = _http_probe("/health", "system", periodSeconds=10, timeoutSeconds=30, failureThreshold=60)
_WORKER_PROBES = {
    "livenessProbe": _http_probe("/live", "system", periodSeconds=5, timeoutSeconds=4, failureThreshold=1),
    "readinessProbe": _http_probe("/health", "system", periodSeconds=10, timeoutSeconds=4, failureThreshold=3),
    "startupProbe": _STARTUP_PROBE,
}
_EACH_MINUTE = {"initialDelaySeconds": 60, "periodSeconds": 60, "timeoutSeconds": 30, "failureThreshold": 10}
_IS_HEALTHY = 'curl -s http://localhost:${DYNAMO_PORT}/health | jq -e ".status == \\"healthy\\""'
_TRTLLM_ENV_0_4 = (
    "CUDA_VISIBLE_DEVICES", "MODEL_PATH", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "TOKENIZERS_PARALLELISM",
    "NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "TENSORRT_LLM_CACHE_DIR", "HF_HOME", "TRANSFORMERS_CACHE",
    "HF_DATASETS_CACHE", "PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "HOME", "USER",
)  # fmt: skip
_TRTLLM_ENV = (*_TRTLLM_ENV_0_4, "HF_ENDPOINT")
_LWS_GROUP, _VOLCANO_GROUP = "leaderworkerset.x-k8s.io", "scheduling.volcano.sh"
_READ = ("get", "list", "watch")
_WRITE = (*_READ, "create", "update", "patch", "delete")
_EDIT = ("get", "list", "create", "update", "patch")
_GRAPHS = "dynamographdeployments"
_EDIT_GRAPHS_AND_COMPONENTS = ("nvidia.com", ("dynamocomponentdeployments", _GRAPHS), _EDIT)
_SCALE_AND_DISCOVER = (
    ("nvidia.com", ("dynamographdeploymentscalingadapters/scale",), ("patch",)),
    ("discovery.k8s.io", ("endpointslices",), _READ),
    ("nvidia.com", ("dynamoworkermetadatas",), _WRITE),
)
_GROVE_REPLICA_0_4 = "${GROVE_PCSG_NAME}-${GROVE_PCSG_INDEX}-{service}"
_GROVE_REPLICA = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-{service}"
_SKUS_1_0 = (
    ("GB200", "", "gb200_sxm"),
    ("H200", "", "h200_sxm"),
    ("H100", "", "h100_sxm"),
    ("B200", "", "b200_sxm"),
    ("A100", "", "a100_sxm"),
    ("L40S", "", "l40s"),
)
_SKUS = (
    ("GB200", "gb200_sxm", ""),
    ("GB10", "", "gb10"),
    ("B200", "b200_sxm", ""),
    ("H200", "h200_sxm", ""),
    ("H100", "h100_sxm", "h100_pcie"),
    ("A100", "a100_sxm", "a100_pcie"),
    ("A30", "", "a30"),
    ("L40S", "", "l40s"),
    ("L40", "", "l40"),
    ("L4", "", "l4"),
    ("V100", "v100_sxm", "v100_pcie"),
    ("T4", "", "t4"),
    ("MI300", "", "mi300"),
    ("MI250", "", "mi200"),
    ("MI200", "", "mi200"),
)

#: consts.go, component_*.go, backend_*.go, grove.go, lws.go of operator 0.4
_0_4: dict[str, object] = {
    # the generation of lowering (dynamoc/rendering/lower/lowering.py)
    "lower": "early",
    # component types to the type whose defaults they get; the user may write any other, which gets no special ones
    "component-defaults": {"frontend": "frontend", "worker": "worker", "planner": "planner"},
    # backends to what is done to their pods (dynamoc/rendering/rules/backend.py)
    "backends": {"vllm": "vllm_ray_only", "sglang": "sglang_text", "trtllm": "trtllm"},
    # names and annotations
    "main-container": "main",
    "propagated-annotations": ("nvidia.com/enable-metrics",),
    # containers: component_common.go getCommonContainer, component_frontend.go, component_worker.go, …
    "command/default": ["/bin/sh", "-c"],
    "command/frontend": ["python3"],
    "args/frontend": ["-m", "dynamo.frontend"],
    "env/identity": [],
    "env/frontend": [{"name": "DYNAMO_PORT", "value": "8000"}, {"name": "DYN_HTTP_PORT", "value": "8000"}],
    "env/worker": _SYSTEM_ENV,
    "env/planner": [],
    "ports/frontend": [{"name": "http", "containerPort": 8000, "protocol": _TCP}],
    "ports/worker": [_SYSTEM_PORT],
    "ports/planner": [],
    "probes/planner": {},
    "probes/frontend": {
        "livenessProbe": _http_probe("/health", "http", **_EACH_MINUTE),
        "readinessProbe": {"exec": {"command": ["/bin/sh", "-c", _IS_HEALTHY]}, **_EACH_MINUTE},
    },
    "probes/worker": {
        "livenessProbe": _LIVENESS_0_4,
        "readinessProbe": _READINESS_0_4,
        "startupProbe": {**_STARTUP_PROBE, "failureThreshold": 60},
    },
    # pods
    "grace-seconds/default": 60,
    # the most, and the least, of a quarter of the memory limit (graph.go generateSharedMemoryVolumeAndMount)
    "shared-memory/size": "8Gi",
    "shared-memory/least": "512Mi",
    "service-account/planner": "planner-serviceaccount",
    # what the chart lets a planner do: API group, resources, verbs (planner.yaml)
    "planner/rules": (_EDIT_GRAPHS_AND_COMPONENTS,),
    # how the index of pull secrets is made: a function of dynamoc.admission.cluster.kept
    "images/pull-secret-index": "index_all_or_nothing",
    # API groups that LeaderWorkerSets take. Release 0.4 looks for none of them; 0.5 and 0.6 don't look for Volcano. All
    # three fail at their PodGroups without it.
    "lws/needs": (),
    # APIs that the operator looks for before it uses them: a group, a version of it, or a kind. Checkpoints need none.
    "api/dra": "resource.k8s.io",
    "api/istio": "networking.istio.io",
    "api/checkpoint": "",
    # HorizontalPodAutoscalers: dynamocomponentdeployment_controller.go generateHPA
    "autoscaling/cpu-utilization": 80,
    # what a pod gets from a version of the Dynamo runtime in its image on, by name
    "runtime-gates": {},
    # what a graph gets where it was created by a version of the operator or a later one, by name
    "origin-gates": {},
    # multinode: grove.go, lws.go; only a shell reads these names
    "grove/kind": "PodGangSet",
    "grove/leader-host": _GROVE_REPLICA_0_4 + "-ldr-0.${GROVE_HEADLESS_SERVICE}",
    "grove/worker-host": _GROVE_REPLICA_0_4 + "-wkr-{index}.${GROVE_HEADLESS_SERVICE}",
    "grove/node-rank": "$((GROVE_PCLQ_POD_INDEX + 1))",
    "lws/leader-host": "${LWS_LEADER_ADDRESS}",
    "lws/worker-host": "${LWS_WORKER_{index}_ADDRESS}",
    "lws/node-rank": "${LWS_WORKER_INDEX}",
    "lws/node-rank-needs-shell": True,
    # ranks that Kubernetes expands in the environment, for all pods of a replica
    "grove/pod-rank": "",
    "lws/pod-rank": "",
    "vllm/ray-port": "6379",
    "sglang/port": "29500",
    "trtllm/ssh-port": 2222,
    "trtllm/leader-setup": programs.TILDE_LEADER,
    "trtllm/worker-setup": programs.TILDE_WORKER,
    "trtllm/mpirun": programs.ACTIVATED_RUN,
    "trtllm/worker-readiness": {
        "tcpSocket": {"port": 2222},
        "initialDelaySeconds": 20,
        "periodSeconds": 20,
        "timeoutSeconds": 5,
        "failureThreshold": 10,
    },
    # Environment that mpirun always forwards, set in the pod or not (backend_trtllm.go getCommonTRTLLMEnvVars).
    "trtllm/forwarded-env": _TRTLLM_ENV_0_4,
}

#: consts.go, backend_trtllm.go of operator 0.5
_0_5: dict[str, object] = {
    "grove/kind": "PodCliqueSet",
    "lws/needs": (_LWS_GROUP,),
    "trtllm/forwarded-env": _TRTLLM_ENV,
}

#: consts.go, component_planner.go, component_worker.go, backend_*.go, grove.go, lws.go of operator 0.6
_0_6: dict[str, object] = {
    "backends": {"vllm": "vllm_ray", "sglang": "sglang", "trtllm": "trtllm"},
    "env/planner": [{"name": "PLANNER_PROMETHEUS_PORT", "value": "9085"}],
    "ports/planner": [{"name": "metrics", "containerPort": 9085, "protocol": _TCP}],
    "probes/worker": {
        "livenessProbe": _LIVENESS_0_4,
        "readinessProbe": _READINESS_0_4,
        "startupProbe": _STARTUP_PROBE,
    },
    "compilation-cache/vllm": "/root/.cache/vllm",
    # Kubernetes expands $(…) itself.
    "grove/leader-host": _GROVE_REPLICA + "-ldr-0.$(GROVE_HEADLESS_SERVICE)",
    "grove/worker-host": _GROVE_REPLICA + "-wkr-{index}.$(GROVE_HEADLESS_SERVICE)",
    "lws/leader-host": "$(LWS_LEADER_ADDRESS)",
    "lws/worker-host": "$(LWS_WORKER_{index}_ADDRESS)",
    "lws/node-rank": "$(LWS_WORKER_INDEX)",
    "vllm/data-parallel-rpc-port": "13445",
    "trtllm/mpirun": programs.TILDE_RUN,
    # requests: dynamographdeploymentrequest_controller.go
    "request/backoff-limit": 3,
    "request/answer": "config_with_planner.yaml",
    # sha256 of the program that copies the answer, with `*` for what is filled in
    "request/copier": "c4fde63867f3fbc589fe2266cc977ee25a3bb4ca1b53565eb2339cdde40ab0ea",
}

#: consts.go, component_*.go, discovery/resource.go, backend_*.go, lws.go of operator 1.0
_1_0: dict[str, object] = {
    "lower": "alpha",
    "component-defaults": {
        "frontend": "frontend",
        "worker": "worker",
        "prefill": "worker",
        "decode": "worker",
        "planner": "planner",
        "epp": "epp",
    },
    "backends": {"vllm": "vllm", "sglang": "sglang", "trtllm": "trtllm"},
    "frontend-sidecar-container": "sidecar-frontend",
    "propagated-annotations": (
        "nvidia.com/enable-metrics",
        "nvidia.com/dynamo-discovery-backend",
        "nvidia.com/dynamo-operator-origin-version",
        "nvidia.com/vllm-distributed-executor-backend",
    ),
    "env/identity": [
        {"name": "POD_NAME", "valueFrom": _field("metadata.name")},
        {"name": "POD_NAMESPACE", "valueFrom": _field("metadata.namespace")},
        {"name": "POD_UID", "valueFrom": _field("metadata.uid")},
    ],
    "env/worker": _WORKER_ENV,
    "env/epp": [
        {"name": "USE_STREAMING", "value": "true"},
        {"name": "RUST_LOG", "value": "debug,dynamo_llm::kv_router=trace"},
    ],
    "ports/worker": [_SYSTEM_PORT, {"name": "nixl", "containerPort": 19090, "protocol": _TCP}],
    "ports/epp": [
        {"name": "grpc", "containerPort": 9002, "protocol": _TCP},
        {"name": "grpc-health", "containerPort": 9003, "protocol": _TCP},
        {"name": "metrics", "containerPort": 9090, "protocol": _TCP},
    ],
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
    "grace-seconds/epp": 130,
    "fs-group": 1000,
    "service-account/epp": "epp-serviceaccount",
    "lws/needs": (_LWS_GROUP, _VOLCANO_GROUP),
    "planner/rules": (_EDIT_GRAPHS_AND_COMPONENTS, *_SCALE_AND_DISCOVER),
    # LWS provides the leader's address only; a shell makes those of the workers from it.
    "lws/leader-host": "$LWS_LEADER_ADDRESS",
    "lws/worker-host": "$(echo \"$LWS_LEADER_ADDRESS\" | sed 's/\\./-{index}\\./')",
    "vllm/mp-since-origin": (1, 0, 0),
    "vllm/mp-port": "29500",
    "trtllm/leader-setup": programs.HOME_LEADER,
    "trtllm/worker-setup": programs.HOME_WORKER,
    "trtllm/mpirun": programs.HOME_RUN,
    "trtllm/forwarded-env": (*_TRTLLM_ENV, "TRTLLM_USE_UCX_KVCACHE"),
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
    # requests: dynamographdeploymentrequest_controller.go, gpu/discovery.go, …_conversion.go
    "request/answer": "final_config.yaml",
    "request/conversion": "annotations",
    "request/copier": "214092e153bfdec195bf0b8596a44e372f23369d3de7a3e14f4d99435b070e13",
    # words in the name of a GPU, the SKU of its SXM form, and that of any other form
    "request/skus": _SKUS_1_0,
    "request/sxm-tokens": (),
}

#: consts.go, component_epp.go, component_planner.go, discovery/resource.go, lws.go, graph.go of operator 1.1
_1_1: dict[str, object] = {
    "propagated-annotations": (
        "nvidia.com/enable-metrics",
        "nvidia.com/dynamo-discovery-backend",
        "nvidia.com/dynamo-kube-discovery-mode",
        "nvidia.com/dynamo-operator-origin-version",
        "nvidia.com/vllm-distributed-executor-backend",
    ),
    "env/planner": [
        {"name": "PLANNER_PROMETHEUS_PORT", "value": "9085"},
        {"name": "DYN_SYSTEM_PORT", "value": "9090"},
    ],
    "env/epp": [
        {"name": "USE_STREAMING", "value": "true"},
        {"name": "RUST_LOG", "value": "debug,dynamo_llm::kv_router=trace"},
        {"name": "DYN_ENFORCE_DISAGG", "value": "false"},
    ],
    "ports/planner": [
        {"name": "metrics", "containerPort": 9085, "protocol": _TCP},
        {"name": "system", "containerPort": 9090, "protocol": _TCP},
    ],
    "probes/planner": _WORKER_PROBES,
    # Kubernetes expands $(…) in arguments itself, so that no shell is needed.
    "lws/leader-host": "$(LWS_LEADER_ADDRESS)",
    "lws/node-rank-needs-shell": False,
    "discovery/core-resources": ["endpoints", "pods"],
    # engines of a failover in one pod have no port for it
    "failover/metric-port": None,
    "snapshot/ready-file": "ready-for-checkpoint",
    "request/copier": "b69aca74ccb86e536518883221e877452702d6eab9602f4b70ea724347650e0c",
}

#: component_worker.go, component_epp.go, epp/inference_pool.go, consts.go, graph.go PCSNameForDGD of operator 1.2
_1_2: dict[str, object] = {
    "lower": "hub",
    "convert": "switchless",
    # controller_common/predicate.go DetectDRAAvailability
    "api/dra": "resource.k8s.io/v1",
    "images/pull-secret-index": "index_all_once",
    "env/worker": [*_WORKER_ENV, {"name": "DYN_FORWARDPASS_METRIC_PORT", "value": "20380"}],
    "failover/metric-port": 20380,
    "epp/flag-dashes": "--",
    "epp/pool-selects-by": "nvidia.com/dynamo-component-class",
    # what the operator alone may say about the topology of a pod
    "topology/annotations": ("nvidia.com/topology-label-key",),
    # grove.go, consts.go MaxCombinedGroveResourceNameLength; graph.go PCSNameForDGD
    "grove/name-budget": 45,
    "grove/least-name": 8,
    # what may change without a new generation of workers (hash.go workerHashSpec)
    "worker-hash/unhashed": ("replicas", "scalingAdapter"),
    "request/backoff-limit": 0,
    "request/conversion": "both",
    "request/copier": "e2dddae50acd6576b29c1cdf4089dac16485fa611213b60b5217539994a1bd71",
    "request/skus": _SKUS,
    "request/sxm-tokens": ("SXM", "HGX", "DGX"),
}

#: component_epp.go, consts.go KubeTopologySourceAnnotationKeys, hash.go of operator 1.3
_1_3: dict[str, object] = {
    "convert": "latest",
    # features/gates.go DetectIstioDestinationRuleAvailability
    "api/istio": "networking.istio.io/v1beta1/DestinationRule",
    "images/pull-secret-index": "index_each",
    # words of the annotation that chooses how Grove replaces pods
    "grove/update-strategies": ("RollingRecreate", "OnDelete"),
    "env/epp": [
        {"name": "USE_STREAMING", "value": "true"},
        {"name": "RUST_LOG", "value": "info"},
        {"name": "DYN_ENFORCE_DISAGG", "value": "false"},
    ],
    "topology/annotations": ("nvidia.com/topology-label-key", "nvidia.com/topology-cluster-topology-name"),
    "worker-hash/unhashed": ("replicas", "minAvailable", "scalingAdapter"),
    "snapshot/ready-file": "ready-for-snapshot",
    "request/conversion": "envelope",
    "request/copier": "64fcfa8eb9af8d285588168c1b74eb67edeacee542c035df0520199f1f6be776",
    "request/sxm-tokens": ("SXM", "HGX", "DGX", "HBM3"),
}

#: backend_trtllm.go getCommonTRTLLMEnvVars, hash.go of operator 1.4
_1_4: dict[str, object] = {
    "planner/rules": (("nvidia.com", (_GRAPHS,), _EDIT), *_SCALE_AND_DISCOVER),
    "trtllm/forwarded-env": (*_TRTLLM_ENV, "TRTLLM_USE_UCX_KVCACHE", "CPATH", "TRITON_PTXAS_PATH"),
    # the version of the runtime is hashed as it is resolved
    "worker-hash/unhashed": ("replicas", "minAvailable", "scalingAdapter", "runtimeVersionOverride"),
    # sent as v1alpha1 as before, but stored as v1beta1
    "scaling-adapter/api-version": "nvidia.com/v1beta1",
    "scaling-adapter/component-field": "componentName",
}

#: internal/features/runtime/gates.go, component_worker.go, component_epp.go of operator 1.5
_1_5: dict[str, object] = {
    "runtime-gates": {"canary-health-checks": (1, 5, 0), "lenient-liveness": (1, 5, 0)},
    "liveness/lenient-failures": 3,
    # features/gates.go
    "api/checkpoint": "nvidia.com/v1alpha1/PodSnapshot",
    "epp/native-home": "/home/dynamo",
    "request/conversion": "named",
    "snapshot/refreshed-env": programs.REFRESHED,
}

#: internal/features/runtime/gates.go, internal/features/compatibility/gates.go, component_frontend.go of operator 1.6
_1_6: dict[str, object] = {
    "runtime-gates": {
        "canary-health-checks": (1, 5, 0),
        "lenient-liveness": (1, 5, 0),
        "frontend-startup-probe": (1, 6, 0),
        "strict-namespace-prefix": (1, 6, 0),
    },
    "origin-gates": {"topology-aliases": (1, 6, 0), "provider-minimum": (1, 6, 0)},
    "grove/pod-rank": "$(GROVE_PCSG_POD_INDEX)",
    "lws/pod-rank": "$(LWS_WORKER_INDEX)",
    "probes/frontend-startup": _http_probe("/live", "http", periodSeconds=10, timeoutSeconds=1, failureThreshold=30),
    "ports/runtime": [_SYSTEM_PORT],
    "env/runtime": [{"name": "DYN_SYSTEM_ENABLED", "value": "true"}, {"name": "DYN_SYSTEM_PORT", "value": "9090"}],
    "probes/runtime": {
        "startupProbe": _http_probe("/live", "system", periodSeconds=2, timeoutSeconds=1, failureThreshold=30),
        "livenessProbe": _http_probe("/live", "system", periodSeconds=5, timeoutSeconds=4, failureThreshold=3),
        "readinessProbe": _http_probe("/health", "system", periodSeconds=5, timeoutSeconds=4, failureThreshold=3),
    },
    "grove/update-strategies": ("RollingRecreate", "OnDelete", "Coherent"),
    "snapshot/refreshed-env": programs.REFRESHED_1_6,
}
CONSTANTS: dict[str, dict[str, object]] = {
    "0.4": _0_4,
    "0.5": _0_5,
    "0.6": _0_6,
    "1.0": _1_0,
    "1.1": _1_1,
    "1.2": _1_2,
    "1.3": _1_3,
    "1.4": _1_4,
    "1.5": _1_5,
    "1.6": _1_6,
}

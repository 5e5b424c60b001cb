"""Fields of objects that show a feature.

Where two releases differ by a named feature, it says more than the rule that made the value.
"""

from __future__ import annotations

_NAMESPACE: tuple[str, ...] = ("dynamo-namespace/from-services", "dynamo-namespace/of-graph-label")
#: patterns as `--ignore` takes them, and features, the likeliest first
FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("**.env[CONTAINER_NAME]", ("discovery/container-mode",)),
    ("**.env[DYN_KUBE_DISCOVERY_MODE]", ("discovery/container-mode",)),
    ("**.env[DYN_DISCOVERY_BACKEND]", ("discovery/kubernetes",)),
    ("**.serviceAccountName", ("discovery/kubernetes",)),
    ("**.env[DYN_COMPONENT]", ("env/component-type",)),
    ("**.env[DYN_NAMESPACE_PREFIX]", ("frontend/namespace-prefix", "epp/namespace-prefix")),
    ("**.env[DYN_NAMESPACE]", _NAMESPACE),
    ("**.labels[nvidia.com/dynamo-namespace]", (*_NAMESPACE, "labels/namespace-of-cliques")),
    ("**.labels[nvidia.com/dynamo-worker-hash]", ("grove/worker-generations",)),
    ("**.env[DYN_NAMESPACE_WORKER_SUFFIX]", ("grove/worker-generations",)),
    ("Service/*-ray:**", ("vllm/elastic-ep-address",)),
    ("**.ports[nixl-*]", ("sglang/nixl-ports",)),
    ("**.env[HOME]", ("epp/native",)),
    ("**.volumes[hf-cache]", ("epp/cache-of-native-only",)),
    ("**.volumeMounts[*/.cache]", ("epp/cache-of-native-only",)),
    ("PodCliqueSet/*:**.cliques[*].spec.minAvailable", ("grove/all-nodes-needed",)),
    ("PodCliqueSet/*:spec.updateStrategy", ("grove/update-strategy",)),
    ("PodCliqueSet/*:**.topologyConstraint", ("grove/named-topology",)),
    ("**.initContainers[wait-for-leader-mp]", ("vllm/wait-leader-config-map", "vllm/waits-by-command-line")),
    ("**.volumes[wait-leader-script]", ("vllm/wait-leader-config-map",)),
    ("ConfigMap/*-wait-leader-script:**", ("vllm/wait-leader-config-map",)),
    ("PodCliqueSet/*:**.startsAfter", ("grove/startup-order",)),
    ("PodCliqueSet/*:**.cliqueStartupType", ("grove/startup-order",)),
    ("PodCliqueSet/*:**.schedulerName", ("grove/kai",)),
    ("**.labels[nvidia.com/dynamo-graph-deployment-name]", ("labels/graph-of-pods",)),
    ("ServiceAccount/planner-serviceaccount:**", ("planner/makes-account",)),
    ("RoleBinding/planner-serviceaccount-binding:**", ("planner/makes-account",)),
    ("PersistentVolumeClaim/*:**", ("storage/claims-of-components",)),
    ("**.resources.requests", ("resources/gpu-request", "gpus/of-main-container")),
    ("**.volumes", ("volumes/once-for-all-mounts",)),
    ("**.imagePullSecrets", ("images/each-pull-secret-once", "images/discovery-switch")),
    ("**.metadata.labels[app.kubernetes.io/name]", ("discovery/short-label",)),
)

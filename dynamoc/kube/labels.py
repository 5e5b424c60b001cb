"""Labels by which the operator selects and finds pods and objects."""

from __future__ import annotations

GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT_LABEL = "nvidia.com/dynamo-component"
NAMESPACE_LABEL = "nvidia.com/dynamo-namespace"
TYPE_LABEL = "nvidia.com/dynamo-component-type"
SUB_TYPE_LABEL = "nvidia.com/dynamo-sub-component-type"
CLASS_LABEL = "nvidia.com/dynamo-component-class"
SELECTOR_LABEL = "nvidia.com/selector"
WORKER_HASH_LABEL = "nvidia.com/dynamo-worker-hash"
MODEL_HASH_LABEL = "nvidia.com/dynamo-base-model-hash"
METRICS_LABEL = "nvidia.com/metrics-enabled"
DISCOVERY_BACKEND_LABEL = "nvidia.com/dynamo-discovery-backend"
DISCOVERY_ENABLED_LABEL = "nvidia.com/dynamo-discovery-enabled"

DISCOVERY_LABELS = {DISCOVERY_BACKEND_LABEL: "kubernetes", DISCOVERY_ENABLED_LABEL: "true"}

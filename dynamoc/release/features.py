"""Behaviours that exist in some releases and not in others."""

from __future__ import annotations


class Feature:
    """A behaviour with the release it came in, the one it went in (or None), and where that can be read."""

    __slots__ = ("name", "reason", "since", "source", "until")

    def __init__(self, name: str, *, since: str, until: str | None = None, reason: str, source: str) -> None:
        self.name = name
        self.since = since
        self.until = until
        self.reason = reason
        self.source = source

    def in_release(self, index: int, order: tuple[str, ...]) -> bool:
        """Whether the release at `index` of `order` has the feature; `until` is the first one without it."""
        if index < order.index(self.since):
            return False
        return self.until is None or index < order.index(self.until)


FEATURES: tuple[Feature, ...] = (
    Feature(
        "hub/v1beta1",
        since="1.4",
        reason="v1beta1 is the storage version: everything is converted to it, and only it is rendered.",
        source="api/v1alpha1/*_conversion.go; PROJECT",
    ),
    Feature(
        "discovery/container-mode",
        since="1.4",
        reason="Containers of one pod can register on their own.",
        source="internal/dynamo/component_common.go getCommonContainer",
    ),
    Feature(
        "discovery/short-label",
        since="1.4",
        reason="The label app.kubernetes.io/name of the discovery account is cut to what Kubernetes allows.",
        source="internal/discovery/resource.go getK8sDiscoveryLabelValue",
    ),
    Feature(
        "epp/namespace-prefix",
        since="1.4",
        reason="The endpoint picker looks for workers under a prefix of Dynamo namespaces.",
        source="internal/dynamo/component_epp.go GetBaseContainer",
    ),
    Feature(
        "gpus/of-main-container",
        since="1.4",
        reason="GPUs are counted from the resources and claims of the container main, limits before requests.",
        source="internal/dynamo/graph.go ResolveContainerGPUs",
    ),
    Feature(
        "vllm/elastic-ep",
        since="1.4",
        reason="--enable-elastic-ep runs on a Ray cluster over all nodes, also over one.",
        source="internal/dynamo/backend_vllm.go IsElasticEPRayLaunch",
    ),
    Feature(
        "vllm/wait-leader-config-map",
        since="1.4",
        reason="The script that waits for the leader comes from a ConfigMap of the graph.",
        source="internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap",
    ),
)

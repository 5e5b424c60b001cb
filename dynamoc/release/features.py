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
        "dynamo-namespace/from-services",
        since="0.6",
        until="1.0",
        reason="The services of a graph name its Dynamo namespace; later it follows from the graph's name alone.",
        source="internal/dynamo/graph.go getDynamoNamespace",
    ),
    Feature(
        "merge/whole-pointers",
        since="0.6",
        until="1.0",
        reason="mergo 0.3.6 replaces what is behind a pointer as a whole, so that nothing of a default probe is left.",
        source="go.mod; github.com/imdario/mergo merge.go deepMerge",
    ),
    Feature(
        "command/shell-quoting",
        since="1.0",
        reason="Words of a command are quoted where the operator wraps them for a shell.",
        source="internal/dynamo/utils.go shellQuoteForBashC",
    ),
    Feature(
        "discovery/kubernetes",
        since="1.0",
        reason="Components can find each other through Kubernetes; before there was etcd only.",
        source="internal/controller_common/predicate.go GetDiscoveryBackend",
    ),
    Feature(
        "env/component-type",
        since="1.0",
        reason="A component is told its type.",
        source="internal/dynamo/component_common.go getCommonContainer",
    ),
    Feature(
        "frontend/namespace-prefix",
        since="1.0",
        reason="A frontend looks for workers under a prefix of Dynamo namespaces, which generations of workers share.",
        source="internal/dynamo/component_frontend.go GetBaseContainer",
    ),
    Feature(
        "worker/generations",
        since="1.0",
        reason="Workers carry a hash of their specs, and each generation has a Dynamo namespace of its own.",
        source="internal/dynamo/component_worker.go GetBaseContainer",
    ),
    Feature(
        "images/each-pull-secret-once",
        since="1.0",
        reason="A pull secret that the user names, or that knows a registry twice, is not repeated.",
        source="internal/controller_common/resource.go AppendUniqueImagePullSecrets",
    ),
    Feature(
        "grove/lower-case-hosts",
        since="1.0",
        reason="Host names under Grove are made of the service's name in lower case, as Grove names the pods.",
        source="internal/dynamo/grove.go GetLeaderHostname",
    ),
    Feature(
        "lws/dns-wait",
        since="1.0",
        reason="LWS starts all pods of a replica at once, so that the leader waits until the workers' names resolve.",
        source="internal/dynamo/lws.go NeedsDNSWait",
    ),
    Feature(
        "mpi/makes-key-pair",
        since="1.0",
        reason="The operator makes the key pair for mpirun; before, it copied the one that its chart had made.",
        source="internal/secret/ssh_key_manager.go",
    ),
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

"""Which fields show a behaviour that came or went with a release.

Where a release difference is a named feature, the feature says more than the rule that made the value. Only features
that the two releases do not share are ever named.
"""

from __future__ import annotations

from dynamoc.compare.ignore import Pattern
from dynamoc.release.difference import feature_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.result import Change
    from dynamoc.release import Release

    Row = dict[str, Any]

_NAMESPACE = ("dynamo-namespace/from-services", "dynamo-namespace/of-graph-label")
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


class FeatureFields:
    """The features that tell two releases apart, by the fields that show them."""

    def __init__(self, old: Release, new: Release) -> None:
        differing: dict[str, Row] = {row["name"]: row for row in feature_difference(old, new)}
        self._known = [
            (Pattern(text), differing[name])
            for text, names in FIELDS
            if (name := next((name for name in names if name in differing), None))
        ]

    def of(self, kind: str, name: str, change: Change | None) -> Row | None:
        """The feature behind a change of a field, or behind an object that one release makes (`change` is None)."""
        steps = change.steps if change else ()
        return next((row for pattern, row in self._known if pattern.matches(kind, name, steps)), None)

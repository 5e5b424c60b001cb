"""Workers that an earlier release made, and that this one takes over without changing what they are.

Before prefill and decode were component types, their pods were `worker` by label, and selectors say so. An object that
exists keeps that, and a graph keeps the names of its worker generation.
"""

from __future__ import annotations

from dynamoc.kube.labels import COMPONENT_LABEL, SUB_TYPE_LABEL, TYPE_LABEL
from dynamoc.kube.names import kube_resource_name
from dynamoc.kube.workerhash import worker_hash
from dynamoc.lower.hub.grove_names import pod_clique_set_name
from dynamoc.lower.hub.template import labels_of
from dynamoc.model.v1beta1 import with_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.running import Running
    from dynamoc.lower.hub.deployed import DeployedComponent
    from dynamoc.model.graph import Graph
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

CURRENT_HASH = "nvidia.com/current-worker-hash"
CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"
#: stands on graphs whose workers carry no hash yet
_LEGACY = "legacy"
_SPECIAL_WORKERS = ("prefill", "decode")


def active_worker_hash(graph: Graph, release: Release, desired: str) -> str:
    """The hash in the names of the workers of a graph that already has the v1alpha1 hash; else `desired`.

    Source: controller/dgd_worker_rollout_reconciler.go desiredWorkerHashes, workerHashForDCDGeneration.
    """
    current, current_v2 = graph.annotations.get(CURRENT_HASH, ""), graph.annotations.get(CURRENT_HASH_V2, "")
    if not current or current_v2 or current == desired:
        return current if current and current_v2 == desired else desired
    legacy = _alpha_hash(graph, release)
    return legacy if current in (_LEGACY, legacy) else desired


def keep_worker_types(graph: Graph, release: Release, running: Running) -> None:
    """Prefill and decode cliques stay workers if they are workers in the PodCliqueSet.

    Source: controller/dgd_grove_workload_renderer.go applyGroveCompatibility.
    """
    existing = running.get("PodCliqueSet", graph.namespace, pod_clique_set_name(graph, release))
    if existing is None:
        return
    cliques = existing["spec"]["template"]["cliques"]
    labels = [clique.get("labels") or {} for clique in cliques]
    for index, component in enumerate(graph.components):
        own = [item for item in labels if item.get(COMPONENT_LABEL) == component.name]
        if any(_is_plain_worker(item, component.type) for item in own):
            spec = {**component.spec, "type": "worker"}
            template = spec["podTemplate"] = dict(spec.get("podTemplate") or {})
            template["metadata"] = dict(template.get("metadata") or {})
            template["metadata"]["labels"] = dict(template["metadata"].get("labels") or {})
            labels_of(spec).setdefault(SUB_TYPE_LABEL, component.type)
            graph.components[index] = with_spec(component, spec)


def is_kept_worker(deployed: DeployedComponent, running: Running) -> bool:
    """Whether a component of type prefill or decode exists with pods that are workers by label.

    Source: controller/dynamocomponentdeployment_renderer.go hasExistingLegacyWorkerSelector.
    """
    wanted, namespace, name = deployed.component.type, deployed.namespace, deployed.name
    deployment = running.get("Deployment", namespace, name)
    if deployment is not None and _is_plain_worker(deployment["spec"]["template"]["metadata"]["labels"], wanted):
        return True
    workers = running.get("LeaderWorkerSet", namespace, f"{name}-0")
    if workers is not None:
        template = workers["spec"]["leaderWorkerTemplate"]
        return any(
            _is_plain_worker(template[part]["metadata"]["labels"], wanted)
            for part in ("leaderTemplate", "workerTemplate")
        )
    service = running.get("Service", namespace, kube_resource_name(name))
    return service is not None and _is_plain_worker(service["spec"].get("selector") or {}, wanted)


def _is_plain_worker(labels: Tree, component_type: str) -> bool:
    if labels.get(TYPE_LABEL) != "worker" or component_type not in _SPECIAL_WORKERS:
        return False
    return labels.get(SUB_TYPE_LABEL, "") in ("", component_type)


def _alpha_hash(graph: Graph, release: Release) -> str:
    """The hash that an operator of v1alpha1 would give the workers (ComputeLegacyAlphaDGDWorkersSpecHash)."""
    from dynamoc.convert.kinds import KINDS, to_alpha
    from dynamoc.golang.types import load, typed_object

    alpha = to_alpha(graph.value, KINDS["DynamoGraphDeployment"])
    return worker_hash(release.name, typed_object(alpha, load(release.name)))[0]

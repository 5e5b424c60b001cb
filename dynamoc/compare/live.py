"""What an earlier release left in the cluster: annotations of graphs, and the objects that were made of them.

Modelled is a graph that was created under the earlier release and came to rest:

* The origin version stays as the earlier release stamped it, or stays away where that release had none.
* Operators of v1alpha1 note the hash of the workers on the graph where they manage its rollouts: without Grove, and
  without multinode components. Workers of releases before that carry no hash; a later operator calls them `legacy`.
* Operators that hash components note their own hash; a graph of such a release is the same to the next.

Not modelled: rollouts under way, objects that were changed by hand, and graphs that lived through more than the one
release, but for what their manifest brings along.
Source: internal/webhook/defaulting; controller/dynamographdeployment_rollingupdate.go of 1.0 to 1.3,
controller/dgd_worker_rollout_reconciler.go of 1.4.
"""

from __future__ import annotations

from dynamoc.cluster.running import Running
from dynamoc.compare.generations import labels_of
from dynamoc.kube.labels import GRAPH_LABEL, WORKER_HASH_LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compilation import Trace
    from dynamoc.release import Release

    Tree = dict[str, Any]

ORIGIN = "nvidia.com/dynamo-operator-origin-version"
CURRENT_HASH = "nvidia.com/current-worker-hash"
CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"
_LEGACY = "legacy"
_WORKERS = ("Deployment", "LeaderWorkerSet")


def left_by(release: Release, objects: list[Tree], trace: Trace) -> Running:
    """The state that `release` leaves, from what it makes of the documents and how it stores them."""
    annotations: dict[tuple[str, str, str], dict[str, str | None]] = {}
    for (_, kind, namespace, name), stored in trace.stored.items():
        own = stored["metadata"].get("annotations") or {}
        kept: dict[str, str | None] = {ORIGIN: own.get(ORIGIN)}
        if kind == "DynamoGraphDeployment" and CURRENT_HASH not in own and CURRENT_HASH_V2 not in own:
            digest = _noted_hash(release, namespace, name, objects)
            if digest:
                kept[CURRENT_HASH] = digest
                if release.has("hub/v1beta1"):
                    kept[CURRENT_HASH_V2] = _components_hash(release, stored)
        annotations[(kind, namespace, name)] = kept
    return Running(objects, annotations)


def _noted_hash(release: Release, namespace: str, graph: str, objects: list[Tree]) -> str | None:
    """The hash of v1alpha1 specs on a graph, None where the release writes none or one of its own."""
    if release.has("worker-hash/of-components"):
        return None
    own = [
        item
        for item in objects
        if item["kind"] in _WORKERS
        and item["metadata"].get("namespace") == namespace
        and labels_of(item).get(GRAPH_LABEL) == graph
    ]
    is_multinode = any(item["kind"] == "LeaderWorkerSet" for item in own)
    if not own or (is_multinode and not release.has("hub/v1beta1")):
        return None
    if not release.has("worker/generations"):
        return _LEGACY
    return next((labels_of(item)[WORKER_HASH_LABEL] for item in own if WORKER_HASH_LABEL in labels_of(item)), None)


def _components_hash(release: Release, stored: Tree) -> str:
    """The hash of generated components, which 1.2 notes beside the one it names workers by."""
    from dynamoc.golang.types import load, typed_object
    from dynamoc.kube.sha256 import hex_digest
    from dynamoc.lower.hub.components import worker_hash_input
    from dynamoc.lower.hub.lowering import _alpha_view, without_nulls
    from dynamoc.model.v1beta1 import graph_from_dgd

    value = without_nulls(typed_object(stored, load(release.name)))
    graph = graph_from_dgd(value, _alpha_view(value, ""), submitted_alpha=False)
    return hex_digest(worker_hash_input(graph, release))[:8]

"""The hash of worker services, which names generations of workers: the bytes that the operator hashes."""

from __future__ import annotations

from typing import Any

from dynamoc.kube.go_types import load, typed
from dynamoc.kube.text import dumps, hex_digest
from dynamoc.kube.tracing import ALPHA, HUB, naming

# Source: internal/dynamo/graph.go IsWorkerComponent.
_WORKER_TYPES = ("worker", "prefill", "decode")
# Identity, scaling, networking and metadata of objects: what does not reach the pod template is not hashed.
# Source: internal/dynamo/hash.go stripNonPodTemplateFields of release 1.0; api/v1alpha1/legacy_worker_hash.go
# stripV1alpha1NonPodTemplateFields of release 1.4, the first to know runtimeVersionOverride.
_UNHASHED = frozenset(
    (
        "annotations",
        "labels",
        "serviceName",
        "componentType",
        "subComponentType",
        "dynamoNamespace",
        "replicas",
        "autoscaling",
        "scalingAdapter",
        "ingress",
        "modelRef",
        "eppConfig",
        "runtimeVersionOverride",
    )
)


@naming(
    "kube/workerhash/worker-hash",
    source="internal/dynamo/hash.go ComputeDGDWorkersSpecHash",
    generations=(ALPHA, HUB),
    when="worker/generations",
    unless="worker-hash/of-components",
)
def worker_hash(release: str, graph: dict[str, Any]) -> tuple[str, bytes]:
    """8 hex digits and the bytes that they are computed from, for a v1alpha1 DynamoGraphDeployment after defaulting.

    A graph without workers has a hash too. ValueError where Go could not read a service.
    """

    data = worker_hash_input(release, (graph.get("spec") or {}).get("services") or {})
    return hex_digest(data)[:8], data


def worker_hash_input(release: str, services: dict[str, Any]) -> bytes:
    """The workers among the services as Go prints a map of their specs."""
    workers = {
        name: {field: value for field, value in spec.items() if field not in _UNHASHED}
        for name, spec in services.items()
        if spec and spec.get("componentType") in _WORKER_TYPES
    }
    kind = "map[string]dynamo/v1alpha1.DynamoComponentDeploymentSharedSpec"
    return dumps(typed(workers, kind, load(release)))

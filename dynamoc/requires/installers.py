"""What serves the kinds that manifests need, and what releases of Dynamo say of it."""

from __future__ import annotations

from dynamoc.release.deltas import merged
from dynamoc.release.dependencies import CHARTS, MODULES, VALUES

#: API group, or kind and group, to what serves it
PROJECTS = {
    "bitnami.com": "Sealed Secrets",
    "cert-manager.io": "cert-manager",
    "external-secrets.io": "External Secrets",
    "grove.io": "Grove",
    "k8s.cni.cncf.io": "Multus",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet",
    "scheduling.volcano.sh": "Volcano",
    "scheduling.run.ai": "KAI",
    "networking.istio.io": "Istio",
    "gateway.networking.k8s.io": "Gateway API",
    "inference.networking.k8s.io": "Gateway API Inference Extension",
    "inference.networking.x-k8s.io": "Gateway API Inference Extension",
    "metrics.k8s.io": "metrics-server",
    "monitoring.coreos.com": "Prometheus operator",
    "keda.sh": "KEDA",
    "nvidia.com": "Dynamo",
    "SnapshotJob.nvidia.com": "Dynamo Snapshot",
    "resource.k8s.io": "Kubernetes",
    "resource.nvidia.com": "NVIDIA DRA driver",
}
#: schedulers by what brings them
SCHEDULERS = {"kai-scheduler": "KAI", "volcano": "Volcano"}


def module_of(project: str, release: str) -> str | None:
    """`sigs.k8s.io/lws v0.9.0`: the types that the operator of a release was built with, None where unknown."""
    return merged(MODULES, release).get(project)


def chart_of(project: str, release: str) -> tuple[str, str, str] | None:
    """Chart, version and value by which the platform chart of a release installs a project, None where unknown."""
    chart = merged(CHARTS, release).get(project)
    return (*chart, merged(VALUES, release)[project]) if chart else None

"""What serves the kinds that manifests need, and what releases of Dynamo say of it.

Sources: the operator's go.mod (the types that it was built with), Chart.yaml of the platform chart (what it installs
where its values ask for it), both of the release named.
"""

from __future__ import annotations

from dynamoc.release.deltas import merged

#: API group to what serves it
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
    "resource.k8s.io": "Kubernetes",
    "resource.nvidia.com": "NVIDIA DRA driver",
}
#: schedulers by what brings them
SCHEDULERS = {"kai-scheduler": "KAI", "volcano": "Volcano"}

#: project to the Go module, and its version, that the operator was built with; a delta per release, oldest first
MODULES: dict[str, dict[str, str]] = {
    "0.4": {
        "Grove": "github.com/NVIDIA/grove/operator/api v0.0.0-20250801123021-8b42bac59ef2",
        "LeaderWorkerSet": "sigs.k8s.io/lws v0.6.1",
        "Volcano": "volcano.sh/apis v1.12.2",
    },
    "0.5": {"Grove": "github.com/NVIDIA/grove/operator/api v0.1.0-alpha.1"},
    "0.6": {"Grove": "github.com/NVIDIA/grove/operator/api v0.1.0-alpha.3"},
    "1.0": {
        "Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.6",
        "Gateway API Inference Extension": "sigs.k8s.io/gateway-api-inference-extension v1.2.0",
    },
    "1.2": {"Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.8"},
    "1.3": {
        "Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.11",
        "LeaderWorkerSet": "sigs.k8s.io/lws v0.9.0",
    },
    "1.4": {"Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.12-rc1"},
}

#: project to the name and version of the chart that the platform chart depends on
CHARTS: dict[str, dict[str, tuple[str, str]]] = {
    "0.5": {"Grove": ("grove-charts", "v0.1.0-alpha.1"), "KAI": ("kai-scheduler", "v0.9.2")},
    "0.6": {"Grove": ("grove-charts", "v0.1.0-alpha.3"), "KAI": ("kai-scheduler", "v0.9.4")},
    "1.0": {"Grove": ("grove-charts", "v0.1.0-alpha.6"), "KAI": ("kai-scheduler", "v0.13.0-rc1")},
    "1.1": {"Grove": ("grove-charts", "v0.1.0-alpha.7"), "KAI": ("kai-scheduler", "v0.13.4")},
    "1.2": {"Grove": ("grove-charts", "v0.1.0-alpha.8")},
    "1.3": {"Grove": ("grove-charts", "v0.1.0-alpha.11")},
    "1.4": {"Grove": ("grove-charts", "v0.1.0-alpha.12-rc1")},
    "1.5": {"Grove": ("grove-charts", "v0.1.0-alpha.13"), "KAI": ("kai-scheduler", "v0.17.0")},
    "1.6": {"Grove": ("grove-charts", "v0.1.0-alpha.14")},
}

#: project to the value of the platform chart that installs that chart
VALUES: dict[str, dict[str, str]] = {
    "0.5": {"Grove": "grove.enabled", "KAI": "kai-scheduler.enabled"},
    "1.0": {"Grove": "global.grove.install", "KAI": "global.kai-scheduler.install"},
}


def module_of(project: str, release: str) -> str | None:
    """`sigs.k8s.io/lws v0.9.0`: the types that the operator of a release was built with, None where unknown."""
    return merged(MODULES, release).get(project)


def chart_of(project: str, release: str) -> tuple[str, str, str] | None:
    """Chart, version and value by which the platform chart of a release installs a project, None where unknown."""
    chart = merged(CHARTS, release).get(project)
    return (*chart, merged(VALUES, release)[project]) if chart else None

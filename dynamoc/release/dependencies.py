"""What each release of Dynamo is built with and what its platform chart installs.

Sources: the operator's go.mod, Chart.yaml and values.yaml of the platform chart, both of the release named.
"""

from __future__ import annotations

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

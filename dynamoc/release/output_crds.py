"""Which version of each project's CRDs describes what a release renders: the one it was built with, or the nearest.

Grove of 1.2 and 1.3 (alpha.8 and alpha.11) and of 1.5 and 1.6 (alpha.13 and alpha.14) could not be had.
"""

from __future__ import annotations

#: project to the name of its documents in `schema/output_kinds.json`; a delta per release, oldest first
OUTPUT_CRDS: dict[str, dict[str, str]] = {
    "0.4": {"LeaderWorkerSet": "lws-0.6.1", "Volcano": "volcano-podgroup", "Istio": "istio-1.23.1"},
    "0.5": {"Grove": "grove-0.1.0-alpha.3"},
    "1.0": {"Grove": "grove-0.1.0-alpha.6", "Gateway API Inference Extension": "inference-1.2.0"},
    "1.2": {"Grove": "grove-0.1.0-alpha.12-rc1"},
    "1.3": {"LeaderWorkerSet": "lws-0.9.0"},
}

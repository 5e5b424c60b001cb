"""Writes `dynamoc/documents/schema/output_kinds.json` from other projects' CRDs: `python -m tools.supply.output_kinds`.

The CRDs come from Go modules, which `go mod download` must have put into the module cache. Descriptions are left out:
they are the projects' own texts.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tools.schemas.parts import stored_text

Tree = dict[str, Any]
TARGET = Path(__file__).parents[2] / "dynamoc" / "schema" / "output_kinds.json"
#: name of the documents to the folder below the module cache, and which files of it
_GROVE = "grove/operator/api@v0.1.0-alpha"
_LWS = "config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml"
SOURCES = {
    "grove-0.1.0-alpha.3": (f"github.com/!n!v!i!d!i!a/{_GROVE}.3/core/v1alpha1/crds", "*.yaml"),
    "grove-0.1.0-alpha.6": (f"github.com/ai-dynamo/{_GROVE}.6/core/v1alpha1/crds", "*.yaml"),
    "grove-0.1.0-alpha.12-rc1": (f"github.com/ai-dynamo/{_GROVE}.12-rc1/core/v1alpha1/crds", "*.yaml"),
    "lws-0.6.1": ("sigs.k8s.io/lws@v0.6.1", _LWS),
    "lws-0.9.0": ("sigs.k8s.io/lws@v0.9.0", _LWS),
    "volcano-podgroup": ("sigs.k8s.io/lws@v0.9.0", "test/integration/crd/volcano-podgroup.yaml"),
    "inference-1.2.0": (
        "sigs.k8s.io/gateway-api-inference-extension@v1.2.0",
        "config/crd/bases/inference.networking*_inferencepools.yaml",
    ),
    "istio-1.23.1": ("istio.io/api@v1.23.1", "kubernetes/customresourcedefinitions.gen.yaml"),
}
_KINDS = frozenset(
    (
        "ClusterTopology", "ClusterTopologyBinding", "DestinationRule", "InferencePool", "LeaderWorkerSet", "PodClique",
        "PodCliqueScalingGroup", "PodCliqueSet", "PodGroup", "VirtualService",
    )
)  # fmt: skip


def documents(cache: Path) -> dict[str, Tree]:
    found: dict[str, Tree] = {}
    for name, (folder, pattern) in SOURCES.items():
        for file in sorted((cache / folder).glob(pattern)):
            for crd in yaml.safe_load_all(file.read_text()):
                if crd and crd["spec"]["names"]["kind"] in _KINDS:
                    found[f"{name}/{crd['metadata']['name']}"] = _bare(crd)
    return found


def _bare(crd: Tree) -> Tree:
    spec = crd["spec"]
    versions = [_version(version) for version in spec["versions"] if version["served"]]
    return {
        "apiVersion": crd["apiVersion"],
        "kind": crd["kind"],
        "metadata": {"name": crd["metadata"]["name"]},
        "spec": {"group": spec["group"], "names": spec["names"], "scope": spec["scope"], "versions": versions},
    }


def _version(version: Tree) -> Tree:
    kept: Tree = {key: version[key] for key in ("name", "served", "storage", "subresources") if key in version}
    return {**kept, "schema": without_texts(version["schema"])}


def without_texts(value: Any, *, names: bool = False) -> Any:
    """The schema without descriptions; `names` says that the keys are those of fields."""
    if isinstance(value, list):
        return [without_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = value.items() if names else [(key, item) for key, item in value.items() if key != "description"]
    return {key: without_texts(item, names=key == "properties" and not names) for key, item in kept}


if __name__ == "__main__":
    cache = subprocess.run(["go", "env", "GOMODCACHE"], check=True, capture_output=True, text=True).stdout.strip()
    TARGET.write_text(stored_text(documents(Path(cache))))

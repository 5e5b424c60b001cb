"""The operator's own tests of admission in 1.5.0 and 1.6 as a judge, where no operator of them can be run.

Source: internal/webhook/validation/*_validation_envtest_test.go of 3d741331e, and for 1.6 of karya0's dd2a4301e. Left
out: what refuses a document only because the cluster lacks an object, what the operator accepts but cannot render, and
annotations of its own writing.
"""

from pathlib import Path
from typing import Any

import pytest

from tests import quick_yaml
from tests.releases.compiled import Tree, compiled

IMAGE = "registry.example/runtime:1.1.0"
RACKS = """
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: racks}
spec: {levels: [{domain: zone, key: topology.kubernetes.io/zone}, {domain: rack, key: topology.kubernetes.io/rack}]}
"""
ROWS: dict[str, list[Tree]] = quick_yaml.load((Path(__file__).parent / "verdicts.yaml").read_text())
CASES = [pytest.param(kind, row, id=f"{kind}: {row['case']}") for kind, rows in ROWS.items() for row in rows]
PROVIDER, GROVE = "nvidia.com/workload-provider", "nvidia.com/enable-grove"


@pytest.mark.parametrize(("kind", "row"), CASES)
def test_documents_are_judged_as_upstream_expects(kind: str, row: Tree, tmp_path: Path) -> None:
    kind, _, release = kind.partition(" of ")
    new, old = _document(kind, row["new"]), None
    if "old" in row:
        old = _document(kind, row["old"])
        if kind.endswith("graph"):
            _choose_provider(new, old)
    (tmp_path / "racks.yaml").write_text(RACKS)
    options: dict[str, Any] = {
        "context": [str(tmp_path / "racks.yaml")],
        "target": "grove" if "graph" in kind else "plain",
    }
    found = compiled(tmp_path, release or "1.5", new, config="checkpoint: {enabled: true}", against=old, **options)
    assert sorted(set(found.errors)) == row.get("refused", []), [item.message for item in found.findings.items]


def _choose_provider(new: Tree, old: Tree) -> None:
    """The annotation that the operator writes into a graph at its creation, and which stays in updates."""
    annotations = old["metadata"].setdefault("annotations", {})
    chosen = "component" if annotations.get(GROVE) == "false" else "grove"
    kept = annotations.setdefault(PROVIDER, chosen)
    new["metadata"].setdefault("annotations", {}).setdefault(PROVIDER, kept)


def _document(kind: str, change: Tree) -> Tree:
    version, what = kind.split("/")
    is_alpha = version == "v1alpha1"
    change = dict(change)
    metadata: Tree = {"name": "g", "namespace": "default"}
    if kind == "v1beta1/graph":
        metadata["annotations"] = change.pop("annotations", {})
    document = {"apiVersion": f"nvidia.com/{version}", "kind": "DynamoGraphDeployment", "metadata": metadata}
    if what == "component":
        document["kind"] = "DynamoComponentDeployment"
        if change.pop("owner", False):
            owner = {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "name": "g", "uid": "u"}
            metadata["ownerReferences"] = [{**owner, "controller": True}]
        return {**document, "spec": {"backendFramework": "vllm", **_component("worker", change, is_alpha=is_alpha)}}
    spec: Tree = {"backendFramework": "vllm"}
    if is_alpha:
        if "pvcs" in change:
            spec["pvcs"] = change.pop("pvcs")
        return {**document, "spec": {**spec, "services": {"worker": _component("worker", change, is_alpha=True)}}}
    change = {"frontend": {}, "worker": {}, **change}
    names = [name for name in ("frontend", "worker", "extra") if change.get(name) is not None]
    components = [_component(name, change[name], is_alpha=False) for name in names]
    spec["components"] = components[::-1] if change.get("reversed") else components
    return {**document, "spec": _merged(spec, change.get("spec", {})), "status": change.get("status", {})}


def _component(name: str, change: Tree, *, is_alpha: bool) -> Tree:
    change = dict(change)
    pod: Tree = {}
    main = {"name": "main", "image": change.pop("image", IMAGE), **change.pop("main", {})}
    sidecars, inits = change.pop("sidecars", []), change.pop("inits", [])
    if inits:
        pod["initContainers"] = inits
    base: Tree = {"replicas": 2 if name == "worker" and not is_alpha else 1, "runtimeVersionOverride": "1.1.0"}
    if is_alpha:
        pod |= {"mainContainer": main, **({"containers": sidecars} if sidecars else {})}
        base |= {"componentType": name, "extraPodSpec": pod}
    else:
        base |= {"name": name, "podTemplate": {"spec": {**pod, "containers": [main, *sidecars]}}}
        base |= {} if name == "extra" else {"type": name}
    return _merged(base, change)


def _merged(base: Tree, change: Tree) -> Tree:
    """The base with a change: mappings are merged, a null takes a field away."""
    merged = dict(base)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        else:
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = _merged(merged[key], value) if both else value
    return merged

"""Up to 1.1 each replica of a multinode component is a LeaderWorkerSet of its own, and all have the same pods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from dynamoc.rendering.lower import deployed
from tests.compare.conftest import MULTINODE

OPTIONS = Options(operator_version="1.0", target="lws")


def _documents(folder: Path, replicas: int) -> list[Any]:
    file = folder / "graph.yaml"
    file.write_text(
        MULTINODE.replace("      replicas: 2\n      multinode", f"      replicas: {replicas}\n      multinode")
    )
    return read_paths([str(file)], Findings())


def test_their_pods_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    original = deployed.build_pod

    def counted(pod: Any) -> Any:
        made.append(f"{pod.component.name} {pod.role}")
        return original(pod)

    monkeypatch.setattr(deployed, "build_pod", counted)
    objects = compile_documents(_documents(tmp_path, 3), OPTIONS, Findings())
    sets = [item["spec"]["leaderWorkerTemplate"] for item in objects if item["kind"] == "LeaderWorkerSet"]
    assert len(sets) == 3
    assert len(made) == len(set(made)) == 3
    # Their labels and annotations say which of the replicas they belong to.
    for role in ("leaderTemplate", "workerTemplate"):
        assert len({item[role]["metadata"]["labels"]["instance-id"] for item in sets}) == 3
        assert len({item[role]["metadata"]["annotations"]["scheduling.k8s.io/group-name"] for item in sets}) == 3
        assert all(item[role]["spec"] == sets[0][role]["spec"] for item in sets)

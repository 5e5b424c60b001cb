"""JSON in variables, annotations and Secrets that ends too soon: refused or left alone, and never exit code 3."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dynamoc.interfaces.cli.entry import run

CONFIG = '{"Worker": {"ServiceArgs": {"resources": {"cpu": "2"}}}}'
ENVELOPE = '{"spec": {"services": {"Worker": {"replicas": 2}}}, "x": ["\\n"]}'
LAST = '{"spec": {"backendFramework": "vllm", "services": {}}, "x": [1]}'
SECRET = '{"auths": {"nvcr.io": {"auth": "eDp5"}}}'
NETWORKS = '[{"name": "rdma", "namespace": "ml"}]'
TRANSFER = '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'
LONGEST = max(map(len, (CONFIG, ENVELOPE, LAST, SECRET, NETWORKS, TRANSFER)))


def documents(end: int) -> list[dict[str, Any]]:
    def metadata(name: str, **annotations: str) -> dict[str, Any]:
        return {"name": name, "namespace": "ml", "annotations": annotations}

    annotation = {"k8s.v1.cni.cncf.io/networks": NETWORKS[:end]}
    command = ["python3", "-m", "dynamo.vllm", "--model", "a/b", "--kv-transfer-config", TRANSFER[:end]]
    main = {"image": "nvcr.io/x/vllm-runtime:1.4.0", "command": command}
    variable = {"name": "DYN_DEPLOYMENT_CONFIG", "value": CONFIG[:end]}
    worker = {
        "componentType": "worker",
        "extraPodSpec": {"mainContainer": main},
        "extraPodMetadata": {"annotations": annotation},
    }
    kept = {f"nvidia.com/dgd-{part}": ENVELOPE[:end] for part in ("spec", "hub-spec", "status")}
    request = {
        f"nvidia.com/dgdr-{part}": ENVELOPE[:end] for part in ("spec", "status", "profiling-config", "output-pvc")
    }
    last = {"kubectl.kubernetes.io/last-applied-configuration": LAST[:end]}
    alpha, beta = "nvidia.com/v1alpha1", "nvidia.com/v1beta1"
    graph, kind = {"services": {"Worker": worker}}, "DynamoGraphDeployment"
    hub = {"components": [{"name": "Worker"}]}
    return [
        {"apiVersion": alpha, "kind": kind, "metadata": metadata("a"), "spec": {**graph, "envs": [variable]}},
        {"apiVersion": alpha, "kind": kind, "metadata": metadata("b", **kept, **last), "spec": graph},
        {"apiVersion": beta, "kind": kind, "metadata": metadata("c", **kept, **last), "spec": hub},
        {"apiVersion": beta, "kind": f"{kind}Request", "metadata": metadata("d", **request), "spec": {"model": "a/b"}},
        {"apiVersion": alpha, "kind": f"{kind}Request", "metadata": metadata("e", **request), "spec": {"model": "a/b"}},
        {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/dockerconfigjson", "metadata": metadata("f"),
         "data": {".dockerconfigjson": base64.b64encode(SECRET[:end].encode()).decode()}},
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "requires", "convert", "diff"])
def test_json_cut_at_every_byte(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text("---\n".join(map(json.dumps, documents(LONGEST))))
    reported: set[int] = set()
    for end in range(LONGEST):
        Path("new.yaml").write_text("\n---\n".join(map(json.dumps, documents(end))))
        # As in a process in which nothing has imported them: the C scanner finds no class for its error.
        for name in ("json", "json.decoder"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        options = ["--against", "old.yaml"] if command == "check" else ["old.yaml"] if command == "diff" else []
        code = run([command, *options, "new.yaml", *(() if command == "convert" else ("--operator-version", "1.4"))])
        told = capfd.readouterr().err
        assert code in (0, 1, 2), told
        if "DYN_DEPLOYMENT_CONFIG is not a JSON object" in told:
            reported.add(end)
    assert reported == (set() if command == "convert" else set(range(len(CONFIG))))

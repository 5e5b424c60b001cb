"""Whatever stands in a document: objects or findings, never a failure of dynamoc.

Each field of a document is replaced, removed or repeated, by itself, and the commands run over the result.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynamoc.admission.convert.command import convert_paths
from dynamoc.compiler.explain.traced_compilation import explain_paths
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from dynamoc.reference.releases import RELEASES

GRAPH: dict[str, Any] = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "web", "namespace": "team", "labels": {"a": "b"}, "annotations": {"c": "d"}},
    "spec": {
        "backendFramework": "vllm",
        "envs": [{"name": "A", "value": "1"}],
        "pvcs": [{"name": "models", "create": False}],
        "services": {
            "Frontend": {
                "componentType": "frontend",
                "replicas": 1,
                "ingress": {"enabled": True, "host": "web"},
                "extraPodSpec": {"mainContainer": {"image": "nvcr.io/x/vllm-runtime:1.0.0"}},
            },
            "Worker": {
                "componentType": "worker",
                "replicas": 1,
                "multinode": {"nodeCount": 2},
                "sharedMemory": {"size": "8Gi"},
                "resources": {"limits": {"gpu": "2", "memory": "10Gi"}},
                "volumeMounts": [{"name": "models", "mountPoint": "/models"}],
                "readinessProbe": {"httpGet": {"path": "/x", "port": 80}},
                "extraPodMetadata": {"labels": {"l": "m"}},
                "extraPodSpec": {
                    "tolerations": [{"key": "gpu", "operator": "Exists"}],
                    "mainContainer": {"image": "x/vllm-runtime:1.0.0", "args": ["python3 -m dynamo.vllm --model x"]},
                },
            },
        },
    },
}
BETA: dict[str, Any] = {
    "apiVersion": "nvidia.com/v1beta1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "web", "namespace": "team"},
    "spec": {
        "components": [
            {
                "name": "Worker",
                "type": "worker",
                "replicas": 1,
                "multinode": {"nodeCount": 2},
                "sharedMemorySize": "8Gi",
                "topologyConstraint": {"packDomain": "rack"},
                "experimental": {"checkpoint": {"enabled": True, "checkpointRef": "warm"}},
                "podTemplate": {
                    "metadata": {"labels": {"l": "m"}},
                    "spec": {
                        "resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "gpus"}],
                        "containers": [
                            {
                                "name": "main",
                                "image": "x/vllm-runtime:1.4.0",
                                "resources": {"limits": {"nvidia.com/gpu": "1"}, "claims": [{"name": "gpus"}]},
                            }
                        ],
                    },
                },
            }
        ],
        "topologyConstraint": {"clusterTopologyName": "racks", "packDomain": "rack"},
    },
}
CONTEXT: list[dict[str, Any]] = [
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/dockerconfigjson",
        "metadata": {"name": "pull", "namespace": "team"},
        "data": {".dockerconfigjson": "eyJhdXRocyI6eyJudmNyLmlvIjp7fX19"},
    },
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "mpi-run-ssh-secret", "namespace": "dynamo-system"},
        "data": {"private.key": "eA=="},
        "stringData": {"private.key.pub": "x"},
    },
    {
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "racks"},
        "spec": {"levels": [{"domain": "zone", "key": "a/zone"}, {"domain": "rack", "key": "a/rack"}]},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpus", "namespace": "team"},
        "spec": {
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}}
        },
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.nvidia.com"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]},
    },
    {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoCheckpoint",
        "metadata": {"name": "warm", "namespace": "team"},
        "spec": {
            "identity": {"model": "m", "backendFramework": "vllm"},
            "job": {"podTemplateSpec": {"spec": {"containers": [{"name": "main", "image": "x:1.4.0"}]}}},
        },
        "status": {"phase": "Ready", "identityHash": "abc"},
    },
]
CONFIG: dict[str, Any] = {
    "apiVersion": "operator.config.dynamo.nvidia.com/v1alpha1",
    "kind": "OperatorConfiguration",
    "orchestrators": {"grove": {"enabled": True, "terminationDelay": "15m"}, "lws": {"enabled": True}},
    "namespace": {"restricted": "team"},
    "infrastructure": {"natsAddress": "nats://x:1"},
    "ingress": {"hostSuffix": "example.com"},
    "checkpoint": {"enabled": True, "storage": {"type": "pvc", "pvc": {"pvcName": "p", "basePath": "/x"}}},
}
CHART: dict[str, Any] = {
    "dynamo-operator": {
        "natsAddr": "nats://x",
        "namespaceRestriction": {"enabled": True, "targetNamespace": "team"},
        "dynamo": {"groveTerminationDelay": "15m", "ingress": {"enabled": True}, "mpiRun": {"secretName": "s"}},
        "controllerManager": {"manager": {"args": ["--leader-elect"]}},
    },
    "grove": {"enabled": True},
}
JUNK = [None, True, 0, -1, 2**64, 1.5, "", "x" * 300, "a.b/c:d", "1e9999999", "\x00", [], {}, [None], [{}], {"": ""}]
_GONE = object()

junk = st.sampled_from([*JUNK, {"name": 1}, [{"name": "x"}, {"name": "x"}], _GONE])
releases = st.sampled_from(list(RELEASES))
targets = st.sampled_from(["auto", "grove", "lws", "plain"])
often = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
seldom = settings(often, max_examples=40)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for step, item in steps for found in places(item, (*path, step))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    value = copy.deepcopy(value)
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    if new is _GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = new
    return value


def changed(value: Any) -> st.SearchStrategy[Any]:
    return st.builds(replaced, st.just(value), st.sampled_from(places(value)), junk)


def written(path: Path, *values: Any) -> str:
    path.write_text("\n---\n".join(json.dumps(value) for value in values))
    return str(path)


@often
@given(value=st.one_of(changed(GRAPH), changed(BETA)), release=releases, target=targets)
def test_documents(value: Any, release: str, target: str, tmp_path: Path) -> None:
    findings = Findings()
    path = written(tmp_path / "graph.yaml", value)
    objects = compile_paths([path], Options(operator_version=release, target=target), findings)
    assert objects or findings.items


@often
@given(context=changed(CONTEXT), graph=st.sampled_from([GRAPH, BETA]), release=releases, beside=st.booleans())
def test_surroundings(context: Any, graph: Any, release: str, beside: bool, tmp_path: Path) -> None:
    findings = Findings()
    path, known = written(tmp_path / "graph.yaml", graph), written(tmp_path / "context.yaml", *context)
    options = Options(operator_version=release, context=[] if beside else [known])
    objects = compile_paths([path, known] if beside else [path], options, findings)
    assert objects or findings.items


@often
@given(config=st.one_of(changed(CONFIG), changed(CHART)), release=releases)
def test_configurations(config: Any, release: str, tmp_path: Path) -> None:
    findings = Findings()
    path, config_path = written(tmp_path / "graph.yaml", GRAPH), written(tmp_path / "config.yaml", config)
    objects = compile_paths([path], Options(operator_version=release, operator_config=config_path), findings)
    assert objects or findings.items


@often
@given(value=st.one_of(changed(GRAPH), changed(BETA)), to=st.sampled_from(["v1alpha1", "v1beta1"]))
def test_conversion(value: Any, to: str, tmp_path: Path) -> None:
    findings = Findings()
    converted = convert_paths([written(tmp_path / "graph.yaml", value)], to, findings)
    assert converted.text or findings.errors


@seldom
@given(value=st.one_of(changed(GRAPH), changed(BETA)), release=releases)
def test_explanations(value: Any, release: str, tmp_path: Path) -> None:
    findings = Findings()
    explained = explain_paths([written(tmp_path / "graph.yaml", value)], Options(operator_version=release), findings)
    assert explained.objects or findings.items


@pytest.mark.parametrize("amount", ["1e999999999", "1e-999999999", "9" * 5000, "1e1.5"])
@pytest.mark.parametrize("release", RELEASES)
def test_quantities_of_any_size(amount: str, release: str, tmp_path: Path) -> None:
    """Go calculates with such amounts until its memory is full."""
    findings = Findings()
    for path in (("Worker", "resources", "limits", "gpu"), ("Worker", "sharedMemory", "size")):
        value = replaced(GRAPH, ("spec", "services", *path), amount)
        compile_paths([written(tmp_path / "graph.yaml", value)], Options(operator_version=release), findings)

"""Components made of features, for properties that hold of every document."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1

Tree = dict[str, Any]

PROBE = {"httpGet": {"path": "/live", "port": 8000}, "periodSeconds": 5}
OTHER_PROBE = {"exec": {"command": ["true"]}, "initialDelaySeconds": 7}
ENV = [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]
SIDECAR = {"name": "side", "image": "side:1", "resources": {"limits": {"cpu": "100m"}}}
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}

MAIN: dict[str, list[Any]] = {
    "image": ["main:1"],
    "command": [["python3", "-m", "dynamo.vllm"]],
    "args": [["--model", "m"]],
    "env": [[{"name": "A", "value": "2"}, {"name": "C", "value": "3"}]],
    "envFrom": [[{"configMapRef": {"name": "settings"}}]],
    "livenessProbe": [OTHER_PROBE, {"httpGet": {"path": "/other", "port": 9}, "failureThreshold": 3}],
    "readinessProbe": [OTHER_PROBE],
    "startupProbe": [PROBE],
    "resources": [{"limits": {"nvidia.com/gpu": "2"}, "requests": {"cpu": "1"}}, {"claims": [{"name": "gpus"}]}],
    "securityContext": [{"runAsUser": 0}],
}
NATIVE_MOUNTS = [
    [{"name": "data", "mountPath": "/data", "readOnly": True}],
    [{"name": "data", "mountPath": "/data"}, {"name": "cache", "mountPath": "/cache"}],
]
# A path that both a service and its main container mount does not come back as it was, not from the operator either.
OWN_MOUNTS = [[{"name": "models", "mountPath": "/models", "readOnly": True}]]
POD: dict[str, list[Any]] = {
    "tolerations": [[{"key": "gpu", "operator": "Exists"}]],
    "volumes": [[CLAIM]],
    "hostNetwork": [True],
    "terminationGracePeriodSeconds": [0, 60],
    "initContainers": [[SIDECAR]],
}
SAME: dict[str, list[Any]] = {
    "replicas": [0, 1, 3],
    "minAvailable": [1],
    "multinode": [{"nodeCount": 2}],
    "modelRef": [{"name": "m", "revision": "r"}],
    "globalDynamoNamespace": [True],
    "runtimeVersionOverride": ["1.4.0"],
    "topologyConstraint": [{"packDomain": "rack"}],
    "eppConfig": [{"configMapRef": {"name": "epp", "key": "config"}}],
}
CHECKPOINT = {"enabled": True, "mode": "Auto", "identity": {"model": "m", "backendFramework": "vllm"}}
ALPHA: dict[str, list[Any]] = SAME | {
    "annotations": [{"a": "b"}],
    "labels": [{"l": "m"}],
    "serviceName": ["other"],
    "componentType": ["frontend", "worker", "planner"],
    "subComponentType": ["prefill", "agg"],
    "dynamoNamespace": ["ns"],
    "resources": [
        {"limits": {"gpu": "1", "cpu": "2000m"}},
        {"requests": {"memory": "1G"}, "limits": {"gpu": "2", "gpuType": "gpu.intel.com/xe"}},
        {"limits": {"custom": {"rdma/ib": "1", "broken": "many"}}},
    ],
    "autoscaling": [{"enabled": True, "minReplicas": 1, "maxReplicas": 3}],
    "envs": [ENV],
    "envFromSecret": ["token"],
    "volumeMounts": [
        [{"name": "data", "mountPoint": "/data"}],
        [{"name": "cache", "mountPoint": "/cache", "useAsCompilationCache": True}, {"name": "d", "mountPoint": "/d"}],
    ],
    "ingress": [{"enabled": True, "host": "h"}],
    "sharedMemory": [{"size": "8Gi"}, {"disabled": True}, {"disabled": True, "size": "1Gi"}],
    "extraPodMetadata": [{"annotations": {"x": "y"}}, {"labels": {"x": "y"}}],
    "livenessProbe": [PROBE],
    "readinessProbe": [PROBE],
    "scalingAdapter": [{"enabled": True}, {"enabled": False}],
    "frontendSidecar": [{"image": "fe:1", "args": ["x"], "envs": ENV, "envFromSecret": "token"}],
    "checkpoint": [CHECKPOINT],
    "gpuMemoryService": [{"enabled": True, "mode": "intraPod", "deviceClassName": "gpu"}, {"enabled": False}],
    "failover": [{"enabled": True, "mode": "interPod", "numShadows": 1}],
}
BETA: dict[str, list[Any]] = SAME | {
    "type": ["frontend", "worker", "prefill", "decode"],
    "sharedMemorySize": ["8Gi", "0"],
    "compilationCache": [{"pvcName": "cache", "mountPath": "/cache"}],
    "scalingAdapter": [{}],
    "experimental": [
        {"gpuMemoryService": {"mode": "IntraPod"}, "grove": {"forceScalingGroup": True}},
        {"checkpoint": CHECKPOINT},
        {"grove": {"forceScalingGroup": True}},
    ],
}
NAMES = ["Frontend", "Worker", "prefill", "a"]


def some(fields: dict[str, list[Any]]) -> st.SearchStrategy[Tree]:
    return st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in fields.items()})


@st.composite
def services(draw: st.DrawFn) -> Tree:
    service = draw(some(ALPHA))
    extra = draw(some(POD | {"containers": [[SIDECAR]], "mainContainer": [None]}))
    if "mainContainer" in extra:
        extra["mainContainer"] = {"image": "main:1"} | draw(some(MAIN | {"volumeMounts": OWN_MOUNTS}))
    if extra:
        service["extraPodSpec"] = extra
    return service


@st.composite
def components(draw: st.DrawFn) -> Tree:
    component = draw(some(BETA))
    if draw(st.booleans()):
        main = {"name": "main", "image": "main:1"} | draw(some(MAIN | {"volumeMounts": NATIVE_MOUNTS}))
        others = draw(st.sampled_from([[], [SIDECAR]]))
        component["podTemplate"] = {"spec": draw(some(POD)) | {"containers": [main, *others]}}
        if others and draw(st.booleans()):
            component["frontendSidecar"] = "side"
    return component


@st.composite
def alpha_graphs(draw: st.DrawFn) -> Tree:
    spec: Tree = {"services": draw(st.dictionaries(st.sampled_from(NAMES), services(), min_size=1, max_size=3))}
    spec |= draw(some({"envs": [ENV], "pvcs": [[{"name": "data", "create": False}]], "backendFramework": ["vllm"]}))
    return {"apiVersion": V1ALPHA1, "kind": "DynamoGraphDeployment", "metadata": {"name": "graph"}, "spec": spec}


@st.composite
def beta_graphs(draw: st.DrawFn) -> Tree:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    spec: Tree = {"components": [{"name": name} | draw(components()) for name in names]}
    spec |= draw(some({"env": [ENV], "backendFramework": ["vllm"]}))
    return {"apiVersion": V1BETA1, "kind": "DynamoGraphDeployment", "metadata": {"name": "graph"}, "spec": spec}


@st.composite
def alone(draw: st.DrawFn, specs: st.SearchStrategy[Tree], version: str) -> Tree:
    metadata = {"name": "component"}
    return {"apiVersion": version, "kind": "DynamoComponentDeployment", "metadata": metadata, "spec": draw(specs)}


named = components().map(lambda component: {"name": "worker"} | component)
alpha_documents = st.one_of(alpha_graphs(), alone(services(), V1ALPHA1))
beta_documents = st.one_of(beta_graphs(), alone(named, V1BETA1))
documents = st.one_of(alpha_documents, beta_documents)

"""Documents that use many fields, as a start for mutations."""

from typing import Any

Tree = dict[str, Any]

_CONTAINER: Tree = {
    "name": "main",
    "image": "registry.example/worker:1.0.0",
    "command": ["python3", "-m", "dynamo.vllm"],
    "args": ["--model", "m"],
    "workingDir": "/work",
    "env": [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
        {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ],
    "envFrom": [{"configMapRef": {"name": "c"}}],
    "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}, {"name": "x", "containerPort": 9000}],
    "resources": {"limits": {"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": 1}},
    "securityContext": {"runAsUser": 1000, "capabilities": {"add": ["IPC_LOCK"]}},
    "volumeMounts": [{"name": "cache", "mountPath": "/cache", "readOnly": False}],
}
_PROBE: Tree = {"httpGet": {"path": "/live", "port": 9090}, "periodSeconds": 5, "failureThreshold": 3}
_POD: Tree = {
    "nodeSelector": {"gpu": "h100"},
    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 60}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
            }
        }
    },
    "volumes": [{"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "h", "hostPath": {"path": "/h"}}],
    "containers": [{"name": "side", "image": "side:1", "livenessProbe": _PROBE}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    "terminationGracePeriodSeconds": 30,
    "securityContext": {"fsGroup": 1000, "sysctls": [{"name": "n", "value": "v"}]},
}


def _graph(api_version: str, spec: Tree) -> Tree:
    metadata = {"name": "graph", "namespace": "team", "labels": {"a": "b"}}
    return {"apiVersion": api_version, "kind": "DynamoGraphDeployment", "metadata": metadata, "spec": spec}


_SHARED: Tree = {
    "componentType": "worker",
    "subComponentType": "decode",
    "dynamoNamespace": "dynamo",
    "replicas": 2,
    "multinode": {"nodeCount": 2},
    "resources": {"limits": {"gpu": "4", "custom": {"rdma/ib": "1"}}, "requests": {"cpu": "10", "memory": "100Gi"}},
    "envs": [{"name": "A", "value": "1"}],
    "envFromSecret": "hf",
    "volumeMounts": [{"name": "models", "mountPoint": "/models", "useAsCompilationCache": True}],
    "sharedMemory": {"size": "16Gi"},
    "livenessProbe": _PROBE,
    "readinessProbe": {"exec": {"command": ["true"]}, "timeoutSeconds": 1},
    "ingress": {"enabled": True, "host": "h", "annotations": {"a": "b"}, "tls": {"secretName": "t"}},
    "autoscaling": {"enabled": True, "minReplicas": 1, "maxReplicas": 4},
    "annotations": {"a": "b"},
    "labels": {"a": "b"},
    "extraPodMetadata": {"annotations": {"a": "b"}, "labels": {"c": "d"}},
    "extraPodSpec": {**_POD, "mainContainer": {key: _CONTAINER[key] for key in _CONTAINER if key != "name"}},
}
_GRAPH: Tree = {
    "backendFramework": "vllm",
    "envs": [{"name": "X", "value": "y"}],
    "pvcs": [{"name": "models"}, {"create": True, "name": "c", "size": "1Gi"}],
    "services": {"Frontend": {"componentType": "frontend", "replicas": 1}, "Worker": _SHARED},
}
_SINCE_1_0: Tree = {
    "checkpoint": {"enabled": True, "mode": "Auto", "identity": {"model": "m", "backendFramework": "vllm"}},
    "eppConfig": {
        "config": {
            "plugins": [{"type": "queue", "name": "q", "parameters": {"k": 1}}],
            "schedulingProfiles": [{"name": "p", "plugins": [{"pluginRef": "q", "weight": 1}]}],
        }
    },
    "frontendSidecar": {"image": "f:1", "args": ["-v"], "envs": [{"name": "A", "value": "b"}]},
    "globalDynamoNamespace": False,
    "modelRef": {"name": "m", "revision": "r"},
    "scalingAdapter": {"enabled": False},
}
_SINCE_1_4: Tree = {
    "minAvailable": 1,
    "failover": {"enabled": True, "mode": "intraPod", "numShadows": 1},
    "gpuMemoryService": {"enabled": True, "mode": "intraPod", "extraClientContainers": ["side"]},
    "runtimeVersionOverride": "1.4.0",
    "topologyConstraint": {"packDomain": "rack"},
}
_BETA: Tree = {
    "backendFramework": "sglang",
    "env": [{"name": "X", "value": "y"}],
    "labels": {"a": "b"},
    "priorityClassName": "high",
    "topologyConstraint": {"clusterTopologyName": "t", "packDomain": "rack"},
    "experimental": {"kvTransferPolicy": {"labelKey": "example.com/zone", "domain": "zone", "enforcement": "required"}},
    "components": [
        {"name": "Frontend", "type": "frontend", "replicas": 1},
        {
            "name": "Worker",
            "type": "worker",
            "replicas": 2,
            "minAvailable": 1,
            "multinode": {"nodeCount": 2},
            "sharedMemorySize": "16Gi",
            "compilationCache": {"pvcName": "c", "mountPath": "/c"},
            "modelRef": {"name": "m"},
            "scalingAdapter": {},
            "frontendSidecar": "side",
            "runtimeVersionOverride": "1.4.0",
            "topologyConstraint": {"packDomain": "rack"},
            "experimental": {
                "failover": {"mode": "IntraPod", "numShadows": 1},
                "gpuMemoryService": {"mode": "IntraPod", "deviceClassName": "gpu"},
                "checkpoint": {"enabled": True, "job": {"gmsClientContainers": ["side"]}},
            },
            "podTemplate": {
                "metadata": {"annotations": {"a": "b"}, "labels": {"c": "d"}},
                "spec": {**_POD, "containers": [_CONTAINER, *_POD["containers"]]},
            },
        },
    ],
}
DOCUMENTS: dict[str, Tree] = {
    "0.6": _graph("nvidia.com/v1alpha1", _GRAPH),
    "1.0": _graph(
        "nvidia.com/v1alpha1", {**_GRAPH, "services": {**_GRAPH["services"], "Worker": {**_SHARED, **_SINCE_1_0}}}
    ),
    "1.4": _graph(
        "nvidia.com/v1alpha1",
        {**_GRAPH, "services": {**_GRAPH["services"], "Worker": {**_SHARED, **_SINCE_1_0, **_SINCE_1_4}}},
    ),
    "1.4 beta": _graph("nvidia.com/v1beta1", _BETA),
}

"""The fields of release 0.6, row by row as its API reference lists them, and what each does.

Each row names the document and its lines: 002 is the API reference of release 0.6.
"""

from typing import Any

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.golden.cases import at
from tests.rules.early import config, refused, render, service

POD = "spec.template.spec"
MAIN = f"{POD}.containers[main]"
HPA = "HorizontalPodAutoscaler"
ENABLED = "autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 5"

#: (lines, fields of a worker, kind of object, path in it, value); objects without Grove and LWS
FIELDS: list[tuple[str, str, str, str, Any]] = [
    ("002:51", f"{ENABLED}}}", HPA, "spec.scaleTargetRef.name", "llm-worker"),
    ("002:52", f"{ENABLED}}}", HPA, "spec.minReplicas", 1),
    ("002:53", f"{ENABLED}}}", HPA, "spec.maxReplicas", 5),
    ("002:54", f"{ENABLED}, behavior: {{scaleDown: {{}}}}}}", HPA, "spec.behavior", None),
    ("002:489", f"{ENABLED}}}", HPA, "spec.metrics[0].resource.target.averageUtilization", 80),
    (
        "002:55",
        f"{ENABLED}, metrics: [{{type: Pods, pods: {{metric: {{name: m}}, target: {{type: Value, value: 1}}}}}}]}}",
        HPA,
        "spec.metrics[0].pods.metric.name",
        "m",
    ),
    (
        "002:92",
        "annotations: {nvidia.com/deployment-strategy: Recreate}",
        "Deployment",
        "spec.strategy.type",
        "Recreate",
    ),
    ("002:92", "annotations: {a: b}", "Deployment", "metadata.annotations", None),
    ("002:93", "labels: {a: b}", "Deployment", "spec.template.metadata.labels.a", None),
    ("002:95", "componentType: frontend", "Service", "spec.ports[http].port", 8000),
    ("002:95", "componentType: main", "Deployment", f"{MAIN}.ports", None),
    ("002:95", "componentType: prefill", "Deployment", f"{MAIN}.livenessProbe", None),
    (
        "002:96",
        "subComponentType: prefill",
        "Deployment",
        "spec.template.metadata.labels",
        {
            "nvidia.com/dynamo-component": "Worker",
            "nvidia.com/dynamo-component-type": "worker",
            "nvidia.com/dynamo-graph-deployment-name": "llm",
            "nvidia.com/dynamo-namespace": "dynamo-llm",
            "nvidia.com/dynamo-sub-component-type": "prefill",
            "nvidia.com/metrics-enabled": "true",
            "nvidia.com/selector": "llm-worker",
        },
    ),
    ("002:97", "dynamoNamespace: mine", "Deployment", f"{MAIN}.env[DYN_NAMESPACE].value", "mine"),
    ("002:97", "dynamoNamespace: mine", "Deployment", "metadata.labels.nvidia~com/dynamo-namespace", "mine"),
    (
        "002:98",
        "resources: {limits: {cpu: '10', memory: 20Gi, gpu: '1', custom: {a.b/c: '2'}}, requests: {gpu: '1'}}",
        "Deployment",
        f"{MAIN}.resources",
        {"limits": {"a.b/c": "2", "cpu": "10", "memory": "20Gi", "nvidia.com/gpu": "1"}},
    ),
    ("002:98", "resources: {claims: [{name: c}]}", "Deployment", f"{MAIN}.resources.claims", [{"name": "c"}]),
    ("002:100", "envs: [{name: Z, value: '1'}]", "Deployment", f"{MAIN}.env[Z].value", "1"),
    ("002:101", "envFromSecret: s", "Deployment", f"{MAIN}.envFrom", [{"secretRef": {"name": "s"}}]),
    (
        "002:102",
        "volumeMounts: [{name: p, mountPoint: /m}]",
        "Deployment",
        f"{POD}.volumes[p].persistentVolumeClaim.claimName",
        "p",
    ),
    (
        "002:103",
        "ingress: {enabled: true, host: h, ingressControllerClassName: nginx}",
        "Ingress",
        "spec.rules[0].host",
        "h.local",
    ),
    ("002:104", "sharedMemory: {size: 1Gi}", "Deployment", f"{POD}.volumes[shared-memory].emptyDir.sizeLimit", "1Gi"),
    ("002:105", "extraPodMetadata: {labels: {a: b}}", "Deployment", "spec.template.metadata.labels.a", "b"),
    ("002:105", "extraPodMetadata: {annotations: {a: b}}", "Deployment", "metadata.annotations.a", "b"),
    ("002:106", "extraPodSpec: {nodeSelector: {a: b}}", "Deployment", f"{POD}.nodeSelector.a", "b"),
    ("002:106", "extraPodSpec: {containers: [{name: side}]}", "Deployment", f"{POD}.containers[1].name", "side"),
    ("002:106", "extraPodSpec: {mainContainer: {image: i}}", "Deployment", f"{MAIN}.image", "i"),
    ("002:107", "livenessProbe: {exec: {command: [x]}}", "Deployment", f"{MAIN}.livenessProbe.httpGet", None),
    ("002:108", "readinessProbe: {exec: {command: [x]}}", "Deployment", f"{MAIN}.readinessProbe.httpGet", None),
    ("002:109", "replicas: 3", "Deployment", "spec.replicas", 3),
    ("002:109", "replicas: 0", "Deployment", "spec.replicas", 0),
    ("002:315", "volumeMounts: [{name: p, mountPoint: /m}]", "Deployment", f"{MAIN}.volumeMounts[p].mountPath", "/m"),
]


@pytest.mark.parametrize(
    ("lines", "fields", "kind", "path", "value"), FIELDS, ids=[f"{row[0]}-{row[1][:40]}" for row in FIELDS]
)
def test_field(lines: str, fields: str, kind: str, path: str, value: Any) -> None:
    text = fields if "componentType" in fields else f"componentType: worker, {fields}"
    (item,) = service(text).of(kind)
    if "~" in path:
        owner, _, key = path.rpartition(".")
        assert at(item, owner)[key.replace("~", ".")] == value
    else:
        assert at(item, path) == value


#: (lines, fields of the ingress, path in the Ingress, value)
INGRESS: list[tuple[str, str, str, Any]] = [
    ("002:218", "host: h", "spec.rules[0].host", "h.local"),
    ("002:221", "host: h, hostPrefix: p-", "spec.rules[0].host", "p-h.local"),
    ("002:225", "host: h, hostSuffix: example.com", "spec.rules[0].host", "h.example.com"),
    ("002:222", "host: h, annotations: {a: b}", "metadata.annotations", None),
    ("002:223", "host: h, labels: {a: b}", "metadata.labels", None),
    ("002:224", "host: h, tls: {secretName: t}", "spec.tls", [{"hosts": ["h.local"], "secretName": "t"}]),
    ("002:242", "host: h, tls: {}", "spec.tls", [{"hosts": ["h.local"]}]),
    ("002:226", "host: h", "spec.ingressClassName", "nginx"),
]


@pytest.mark.parametrize(("lines", "fields", "path", "value"), INGRESS, ids=[f"{row[0]}-{row[1]}" for row in INGRESS])
def test_ingress(lines: str, fields: str, path: str, value: Any) -> None:
    text = f"componentType: frontend, ingress: {{enabled: true, ingressControllerClassName: nginx, {fields}}}"
    assert at(service(text).one("Ingress"), path) == value


@pytest.mark.parametrize(
    "fields", ["host: h", "enabled: false, host: h, ingressControllerClassName: c", "enabled: true"]
)
def test_no_ingress_without_switch_and_class(fields: str) -> None:
    """002:217, 002:226"""
    assert not service(f"componentType: frontend, ingress: {{{fields}}}").of("Ingress")


def test_a_virtual_service_takes_a_gateway_of_the_operator_too() -> None:
    """002:219-220"""
    fields = (
        "componentType: frontend, ingress: {enabled: true, host: h, useVirtualService: true, virtualServiceGateway: g}"
    )
    assert not service(fields).of("VirtualService")
    settings = config()
    settings.ingress.virtual_service_gateway = "operator/own"
    (route,) = service(fields, settings=settings).of("VirtualService")
    assert (route["spec"]["gateways"], route["spec"]["hosts"]) == (["g"], ["h.local"])


#: (lines, fields of a worker, what the message says)
REFUSED: list[tuple[str, str, str]] = [
    ("002:259", "multinode: {nodeCount: 1}", "spec.services.Worker.multinode.nodeCount"),
    ("002:314", "volumeMounts: [{mountPoint: /m}]", "spec.services.Worker.volumeMounts.0"),
    ("002:541", "startupProbe: {}", "spec.services.Worker.startupProbe"),
    ("002:109", "replicas: two", "spec.services.Worker.replicas"),
]


@pytest.mark.parametrize(("lines", "fields", "where"), REFUSED, ids=[f"{row[0]}-{row[1]}" for row in REFUSED])
def test_refused(lines: str, fields: str, where: str) -> None:
    (problem,) = refused(f"services: {{Worker: {{componentType: worker, {fields}}}}}")
    assert problem.startswith(where)


@pytest.mark.parametrize("kind", ["DynamoGraphDeployment", "DynamoComponentDeployment"])
def test_the_framework_is_one_of_three(kind: str) -> None:
    """002:126, 002:183"""
    for known in ("sglang", "vllm", "trtllm"):
        assert not refused(f"backendFramework: {known}", kind)
    (problem,) = refused("backendFramework: tensorrt", kind)
    assert problem.startswith("spec.backendFramework")


def test_nodes_are_two_by_default() -> None:
    """002:259"""
    cliques = service("componentType: worker, multinode: {}", target="grove").cliques()
    assert {name: clique["spec"]["replicas"] for name, clique in cliques.items()} == {"worker-ldr": 1, "worker-wkr": 1}


def test_the_graph_s_environment_reaches_all_services_below_their_own() -> None:
    """002:182"""
    graph = "envs: [{name: A, value: '1'}]\nservices: {Own: {envs: [{name: A, value: '2'}]}, Other: {}}"
    values = {item["metadata"]["name"]: at(item, f"{MAIN}.env[A].value") for item in render(graph).of("Deployment")}
    assert values == {"llm-own": "2", "llm-other": "1"}


def test_a_graph_without_services_makes_no_pods() -> None:
    """002:181"""
    kinds = {item["kind"] for item in render("{}").objects}
    assert kinds == {"ServiceAccount", "RoleBinding"}


PVC = "{name: p, create: true, size: 1Gi, storageClass: fast, volumeAccessMode: ReadWriteMany}"


def test_a_claim_is_made_on_demand() -> None:
    """002:275-279"""
    (claim,) = render(f"pvcs: [{PVC}]").of("PersistentVolumeClaim")
    assert claim["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "fast",
    }
    assert not render("pvcs: [{name: p}]").of("PersistentVolumeClaim")


@pytest.mark.parametrize("field", ["size: 1Gi, ", "storageClass: fast, ", ", volumeAccessMode: ReadWriteMany"])
def test_a_claim_to_be_made_needs_to_be_described(field: str) -> None:
    """002:277-279"""
    (problem,) = refused(f"pvcs: [{PVC.replace(field, '')}]")
    assert "pvcs" in problem
    assert "storageClass" in problem


def test_a_claim_needs_a_name() -> None:
    """002:276"""
    (problem,) = refused("pvcs: [{create: false}]")
    assert "name" in problem


CACHE = "volumeMounts: [{{name: c, {}useAsCompilationCache: true}}]"


@pytest.mark.parametrize(
    ("mount_point", "mounted", "told"), [("mountPoint: /c, ", "/c", "/c"), ("", "/root/.cache/vllm", None)]
)
def test_vllm_learns_where_its_cache_is(mount_point: str, mounted: str, told: str | None) -> None:
    """002:316, 002:457-458"""
    fields = "componentType: worker, extraPodSpec: {mainContainer: {args: [python3 -m dynamo.vllm]}}, "
    deployment = service(fields + CACHE.format(mount_point)).one("Deployment")
    assert at(deployment, f"{MAIN}.volumeMounts[c].mountPath") == mounted
    assert at(deployment, f"{MAIN}.env[VLLM_CACHE_ROOT].value") == told


@pytest.mark.parametrize("backend", ["sglang", "trtllm"])
def test_other_backends_have_no_place_for_a_cache(backend: str) -> None:
    """002:316"""
    fields = f"componentType: worker, extraPodSpec: {{mainContainer: {{args: [python3 -m dynamo.{backend}]}}}}, "
    with pytest.raises(Refusal) as refusal:
        service(fields + CACHE.format(""))
    assert refusal.value.slug == "storage/cache-without-mount-point"


def test_a_mount_needs_a_place() -> None:
    """002:315"""
    with pytest.raises(Refusal) as refusal:
        service("volumeMounts: [{name: p}]")
    assert refusal.value.slug == "storage/mount-without-mount-point"
    assert refusal.value.path == ("spec", "services", "Worker", "volumeMounts", 0)


def test_no_account_or_secret_of_later_releases() -> None:
    """002:462-464"""
    names = {f"{item['kind']}/{item['metadata']['name']}" for item in service("componentType: worker").objects}
    assert names == {
        "DynamoComponentDeployment/llm-worker",
        "Deployment/llm-worker",
        "ServiceAccount/planner-serviceaccount",
        "RoleBinding/planner-serviceaccount-binding",
    }

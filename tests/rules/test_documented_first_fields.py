"""The fields of releases 0.4 and 0.5, row by row as their API reference lists them, and what each does.

Each row names the document and its lines: 000 is the API reference of these releases. Where the operator's source knows
more or less than the reference, the row says so.
"""

from typing import Any

import pytest

from dynamoc.reference.releases import ORDER
from tests.golden.cases import at
from tests.rules.early import refused, render, service

RELEASES = ("0.4", "0.5")
POD = "spec.template.spec"
MAIN = f"{POD}.containers[main]"
HPA = "HorizontalPodAutoscaler"
CLAIM = "PersistentVolumeClaim"
ENABLED = "autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 5"
PVC = "pvc: {name: p, create: true, size: 1Gi, storageClass: fast, volumeAccessMode: ReadWriteMany, mountPoint: /m}"
#: 0.4 renders no worker without a backend, and takes environment beside a mainContainer only
WORKER = "componentType: worker, replicas: 1"
IMAGE = "extraPodSpec: {mainContainer: {image: i, args: [python3 -m dynamo.vllm]}}"

#: (lines, fields of a worker, kind of object, path in it, value); objects without Grove and LWS
FIELDS: list[tuple[str, str, str, str, Any]] = [
    ("000:31", f"{ENABLED}}}", HPA, "spec.scaleTargetRef.name", "llm-worker"),
    ("000:32", f"{ENABLED}}}", HPA, "spec.minReplicas", 1),
    ("000:33", f"{ENABLED}}}", HPA, "spec.maxReplicas", 5),
    ("000:34", f"{ENABLED}, behavior: {{scaleDown: {{}}}}}}", HPA, "spec.behavior", None),
    ("000:35", f"{ENABLED}}}", HPA, "spec.metrics[0].resource.target.averageUtilization", 80),
    (
        "000:35",
        f"{ENABLED}, metrics: [{{type: Pods, pods: {{metric: {{name: m}}, target: {{type: Value, value: 1}}}}}}]}}",
        HPA,
        "spec.metrics[0].pods.metric.name",
        "m",
    ),
    (
        "000:71",
        "annotations: {nvidia.com/deployment-strategy: Recreate}",
        "Deployment",
        "spec.strategy.type",
        "Recreate",
    ),
    ("000:71", "annotations: {a: b}", "Deployment", "metadata.annotations", None),
    ("000:72", "labels: {a: b}", "Deployment", "spec.template.metadata.labels.a", None),
    ("000:73", "serviceName: other", "DynamoComponentDeployment", "spec.serviceName", "Worker"),
    ("000:74", "componentType: frontend", "Service", "spec.ports[http].port", 8000),
    ("000:74", "componentType: main", "Deployment", f"{MAIN}.ports", None),
    ("000:75", "dynamoNamespace: mine", "Deployment", f"{MAIN}.env[DYN_NAMESPACE].value", "mine"),
    (
        "000:76",
        "resources: {limits: {cpu: '10', memory: 20Gi, gpu: '1', custom: {a.b/c: '2'}}, requests: {gpu: '1'}}",
        "Deployment",
        f"{MAIN}.resources",
        {"limits": {"a.b/c": "2", "cpu": "10", "memory": "20Gi", "nvidia.com/gpu": "1"}},
    ),
    ("000:78", f"envs: [{{name: Z, value: '1'}}], {IMAGE}", "Deployment", f"{MAIN}.env[Z].value", "1"),
    ("000:79", "envFromSecret: s", "Deployment", f"{MAIN}.envFrom", [{"secretRef": {"name": "s"}}]),
    ("000:80", PVC, "Deployment", f"{POD}.volumes[p].persistentVolumeClaim.claimName", "p"),
    (
        "000:81",
        "ingress: {enabled: true, host: h, ingressControllerClassName: c}",
        "Ingress",
        "spec.rules[0].host",
        "h.local",
    ),
    ("000:83", "extraPodMetadata: {labels: {a: b}}", "Deployment", "spec.template.metadata.labels.a", "b"),
    ("000:83", "extraPodMetadata: {annotations: {a: b}}", "Deployment", "metadata.annotations.a", "b"),
    ("000:84", "extraPodSpec: {nodeSelector: {a: b}}", "Deployment", f"{POD}.nodeSelector.a", "b"),
    ("000:84", IMAGE, "Deployment", f"{MAIN}.image", "i"),
    ("000:85", "livenessProbe: {exec: {command: [x]}}", "Deployment", f"{MAIN}.livenessProbe.httpGet", None),
    ("000:86", "readinessProbe: {exec: {command: [x]}}", "Deployment", f"{MAIN}.readinessProbe.httpGet", None),
    ("000:87", "replicas: 3", "Deployment", "spec.replicas", 3),
    ("000:87", "replicas: 0", "Deployment", "spec.replicas", 0),
    ("000:254", PVC, CLAIM, "metadata.name", "p"),
    ("000:255", PVC, CLAIM, "metadata.name", "p"),
    ("000:256", PVC, CLAIM, "spec.storageClassName", "fast"),
    ("000:257", PVC, CLAIM, "spec.resources.requests.storage", "1Gi"),
    ("000:258", PVC, CLAIM, "spec.accessModes", ["ReadWriteMany"]),
    ("000:259", PVC, "Deployment", f"{MAIN}.volumeMounts[p].mountPath", "/m"),
]


def graph(fields: str) -> str:
    """A graph of one worker: the fields, and what a worker needs that they don't say."""
    text = fields if "componentType" in fields else f"{WORKER}, {fields}".replace("replicas: 1, replicas", "replicas")
    return f"backendFramework: vllm\nservices: {{Worker: {{{text}}}}}"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("lines", "fields", "kind", "path", "value"), FIELDS, ids=[f"{row[0]}-{row[1][:40]}" for row in FIELDS]
)
def test_field(lines: str, fields: str, kind: str, path: str, value: Any, release: str) -> None:
    (item,) = render(graph(fields), release=release).of(kind)
    assert at(item, path) == value


#: Shared memory (000:82, 000:275-276) is a field of 0.5; the source of 0.4 does not know it: (fields, size or None)
MEMORY: list[tuple[str, str | None]] = [
    ("", "8Gi"),
    ("sharedMemory: {size: 1Gi}", "1Gi"),
    ("sharedMemory: {size: '0'}", "8Gi"),
    ("sharedMemory: {disabled: true}", None),
    ("resources: {limits: {memory: 4Gi}}", "8Gi"),
]


@pytest.mark.parametrize(("fields", "size"), MEMORY, ids=[row[0] for row in MEMORY])
def test_shared_memory_can_be_set_in_0_5(fields: str, size: str | None) -> None:
    deployment = render(graph(fields or "replicas: 1"), release="0.5").one("Deployment")
    assert at(deployment, f"{POD}.volumes[shared-memory].emptyDir.sizeLimit") == size


@pytest.mark.parametrize(
    ("memory", "size"),
    [
        ("", "512Mi"),
        ("1Gi", "512Mi"),
        ("2Gi", "512Mi"),
        ("4Gi", "1Gi"),
        ("10G", "2500M"),
        ("5Gi", "1280Mi"),
        ("32Gi", "8Gi"),
        ("1Ti", "8Gi"),
    ],
)
def test_shared_memory_is_a_quarter_of_the_limit_in_0_4(memory: str, size: str) -> None:
    fields = f"resources: {{limits: {{memory: {memory}}}}}" if memory else "replicas: 1"
    deployment = render(graph(fields), release="0.4").one("Deployment")
    assert at(deployment, f"{POD}.volumes[shared-memory].emptyDir.sizeLimit") == size


def test_shared_memory_is_no_field_of_0_4() -> None:
    (problem,) = refused("services: {A: {sharedMemory: {size: 1Gi}}}", release="0.4")
    assert problem.startswith("spec.services.A.sharedMemory")
    assert problem.endswith(f"Releases 0.5 to {ORDER[-1]} have it.")


#: (lines, fields of the ingress, path in the Ingress, value)
INGRESS: list[tuple[str, str, str, Any]] = [
    ("000:196", "host: h", "spec.rules[0].host", "h.local"),
    ("000:199", "host: h, hostPrefix: p-", "spec.rules[0].host", "p-h.local"),
    ("000:200", "host: h, annotations: {a: b}", "metadata.annotations", None),
    ("000:201", "host: h, labels: {a: b}", "metadata.labels", None),
    ("000:202", "host: h, tls: {secretName: t}", "spec.tls", [{"hosts": ["h.local"], "secretName": "t"}]),
    ("000:220", "host: h, tls: {}", "spec.tls", [{"hosts": ["h.local"]}]),
    ("000:203", "host: h, hostSuffix: example.com", "spec.rules[0].host", "h.example.com"),
    ("000:204", "host: h", "spec.ingressClassName", "nginx"),
]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("lines", "fields", "path", "value"), INGRESS, ids=[f"{row[0]}-{row[1]}" for row in INGRESS])
def test_ingress(lines: str, fields: str, path: str, value: Any, release: str) -> None:
    text = f"componentType: frontend, ingress: {{enabled: true, ingressControllerClassName: nginx, {fields}}}"
    assert at(service(text, release=release).one("Ingress"), path) == value


@pytest.mark.parametrize("release", RELEASES)
def test_frameworks_and_nodes_are_checked(release: str) -> None:
    """000:107, 000:161, 000:237"""
    for kind in ("DynamoGraphDeployment", "DynamoComponentDeployment"):
        for known in ("sglang", "vllm", "trtllm"):
            assert not refused(f"backendFramework: {known}", kind, release)
        (problem,) = refused("backendFramework: tensorrt", kind, release)
        assert problem.startswith("spec.backendFramework")
    (problem,) = refused("services: {A: {multinode: {nodeCount: 1}}}", release=release)
    assert problem.startswith("spec.services.A.multinode.nodeCount")
    (problem,) = refused("services: {A: {pvc: {mountPath: /m}}}", release=release)
    assert problem.startswith("spec.services.A.pvc.mountPath")


@pytest.mark.parametrize("release", RELEASES)
def test_nodes_are_two_by_default(release: str) -> None:
    """000:237"""
    rendered = service(f"componentType: worker, multinode: {{}}, {IMAGE}", target="grove", release=release)
    assert {name: clique["spec"]["replicas"] for name, clique in rendered.cliques().items()} == {
        "worker-ldr": 1,
        "worker-wkr": 1,
    }


@pytest.mark.parametrize("release", RELEASES)
def test_fields_of_the_archive_are_taken_and_told_to_have_no_effect(release: str) -> None:
    """000:105, 000:159"""
    rendered = render("dynamoGraph: g:1\nservices: {A: {}}", release=release)
    assert ("graph/dynamo-graph-ignored", ("spec", "dynamoGraph")) in rendered.told
    alone = render("{dynamoComponent: c, serviceName: a}", kind="DynamoComponentDeployment", release=release)
    assert ("component/dynamo-component-ignored", ("spec", "dynamoComponent")) in alone.told


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("spec", "services"),
    [
        ("{dynamoTag: 'pkg:Web', serviceName: Web}", 1),
        ("{dynamoTag: 'pkg:Web', serviceName: Other}", 0),
        ("{dynamoTag: 'pkg:Web'}", 1),
        ("{serviceName: Web}", 0),
        ("{}", 1),
    ],
)
def test_a_tag_makes_a_frontend(spec: str, services: int, release: str) -> None:
    """000:106: the Service of a frontend, without its container"""
    rendered = render(spec, kind="DynamoComponentDeployment", release=release)
    assert len(rendered.of("Service")) == services
    assert at(rendered.one("Deployment"), f"{MAIN}.ports") is None


@pytest.mark.parametrize("release", RELEASES)
def test_the_graph_s_environment_stands_below_the_services(release: str) -> None:
    """000:160"""
    services = f"{{Own: {{envs: [{{name: A, value: '2'}}], {IMAGE}}}, Other: {{{IMAGE}}}}}"
    text = f"envs: [{{name: A, value: '1'}}]\nservices: {services}"
    values = {
        item["metadata"]["name"]: at(item, f"{MAIN}.env[A].value")
        for item in render(text, release=release).of("Deployment")
    }
    assert values == {"llm-own": "2", "llm-other": "1"}

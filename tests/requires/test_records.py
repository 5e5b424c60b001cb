"""Nothing that recorded objects name is left out, and nothing is made up, by a walk that knows no kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from dynamoc.analysis.compare.pod_counts import gpu_claims, pods_of
from dynamoc.analysis.requires.needs import Requirements
from tests.conformance.corpora import graph_corpora
from tests.explain.corpora import SHARED, needs_corpora
from tests.requires.conftest import needs_of

Tree = dict[str, Any]
Name = tuple[str, str, str]
"""(kind, namespace, name)"""

CORPORA = graph_corpora() or [""]

#: a text under this key is a name
_TEXTS = {
    "claimName": "PersistentVolumeClaim",
    "deviceClassName": "DeviceClass",
    "group-name": "PodGroup",
    "ingressClassName": "IngressClass",
    "priorityClassName": "PriorityClass",
    "queue": "Queue",
    "resourceClaimName": "ResourceClaim",
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "runtimeClassName": "RuntimeClass",
    "secretName": "Secret",
    "serviceAccount": "ServiceAccount",
    "serviceAccountName": "ServiceAccount",
    "storageClassName": "StorageClass",
    "topologyName": "ClusterTopologyBinding",
    "volcano-queue": "Queue",
}
#: a mapping under this key has a `name`
_MAPPINGS = {
    "configMap": "ConfigMap",
    "configMapKeyRef": "ConfigMap",
    "configMapRef": "ConfigMap",
    "endpointPickerRef": "Service",
    "secret": "Secret",
    "secretKeyRef": "Secret",
    "secretRef": "Secret",
    "service": "Service",
}
_CLUSTER_SCOPED = ("ClusterRole", "DeviceClass", "IngressClass", "Queue", "StorageClass", "ClusterTopologyBinding")
_KINDS = {*_TEXTS.values(), *_MAPPINGS.values(), "Role", "ClusterRole"}


Record = tuple[str, list[Tree], Requirements]


@pytest.fixture(scope="module", params=CORPORA)
def records(request: pytest.FixtureRequest) -> list[Record]:
    """Cases of a corpus: its name, the objects as they are printed, without the operator's intermediate step, and what
    they need."""
    found = []
    for path in sorted((SHARED / request.param).glob("expected/*/*.json")):
        recorded = json.loads(path.read_text()).get("objects") or []
        objects = [value for value in recorded if value["kind"] != "DynamoComponentDeployment"]
        found.append((f"{path.parent.name}/{path.stem}", objects, needs_of(objects)))
    return found


def walk(value: Any) -> list[tuple[tuple[str, ...], Any]]:
    """Every value with the keys that lead to it."""
    found: list[tuple[tuple[str, ...], Any]] = [((), value)]
    for keys, item in found:
        if isinstance(item, dict):
            found += [((*keys, key), below) for key, below in item.items()]
        elif isinstance(item, list):
            found += [(keys, below) for below in item]
    return found


def named_in(value: Tree) -> Iterator[Name]:
    """Everything in an object that looks like the name of another."""
    namespace = value["metadata"].get("namespace", "")
    for keys, found in walk(value):
        key = keys[-1].rpartition("/")[2] if keys else ""
        kind, name = "", ""
        if isinstance(found, str) and key in _TEXTS:
            kind, name = _TEXTS[key], found
        elif isinstance(found, dict) and key in _MAPPINGS:
            kind, name = _MAPPINGS[key], found.get("name", "")
        elif isinstance(found, dict) and key == "imagePullSecrets":
            kind, name = "Secret", found.get("name", "")
        elif isinstance(found, dict) and key in ("roleRef", "subjects"):
            kind, name = found["kind"], found["name"]
        if name and isinstance(name, str):
            cluster_scoped = kind in _CLUSTER_SCOPED or kind.endswith("Class")
            yield kind, "" if cluster_scoped else namespace, name


@needs_corpora
def test_every_name_is_needed_and_no_other(records: list[Record]) -> None:
    cases = 0
    for case, objects, found in records:
        cases += bool(objects)
        expected = {name for value in objects for name in named_in(value)}
        kinds = {(entry.kind, entry.namespace, entry.name): entry for entry in found.objects if entry.kind in _KINDS}
        routed = {name for name in kinds if name[0] == "Service"} - expected
        assert not routed or all(_is_routed(_hosts(objects), name) for name in routed), case
        assert set(kinds) - routed == expected, case
        there = {(o["kind"], o["metadata"].get("namespace", ""), o["metadata"]["name"]) for o in objects}
        for name, entry in kinds.items():
            assert (entry.by == "render") == (name in there), (case, name)
            assert entry.needs, case
    assert cases


def _hosts(objects: list[Tree]) -> set[Any]:
    """What objects of Istio name as hosts."""
    return {found for value in objects for keys, found in walk(value) if keys[-1:] == ("host",)}


def _is_routed(hosts: set[Any], name: Name) -> bool:
    """Whether one of them is a host of this Service."""
    return any(host == name[2] or host.startswith(f"{name[2]}.{name[1]}.svc") for host in hosts)


@needs_corpora
def test_schedulers_images_and_apis_are_those_of_the_objects(records: list[Record]) -> None:
    for case, objects, found in records:
        texts: dict[str, set[str]] = {"schedulerName": set(), "image": set(), "reference": set()}
        for value in objects:
            for keys, text in walk(value):
                if isinstance(text, str) and keys and keys[-1] in texts:
                    texts[keys[-1]].add(text)
        assert {entry.name for entry in found.schedulers} == texts["schedulerName"] - {""}, case
        assert {entry.name for entry in found.images} == (texts["image"] | texts["reference"]) - {""}, case
        foreign = {
            (value["apiVersion"], value["kind"]) for value in objects if "." in value["apiVersion"].partition("/")[0]
        }
        apis = {(f"{entry.group}/{entry.version}", entry.kind) for entry in found.apis}
        apis -= {("nvidia.com/v1alpha1", "DynamoWorkerMetadata"), ("metrics.k8s.io/v1beta1", "PodMetrics")}
        built_in = {pair for pair in foreign if pair[0] in ("rbac.authorization.k8s.io/v1", "networking.k8s.io/v1")}
        assert apis == foreign - built_in, case


def whole(amount: Any) -> int:
    """A number of devices; Grove's CRD takes `500m`, and half a device is one device."""
    text = str(amount)
    return -(-int(text[:-1]) // 1000) if text.endswith("m") else int(text)


def gpus_by_hand(value: Tree) -> int:
    """GPUs that containers of a workload ask for."""

    def of_pod(spec: Tree) -> int:
        running = [c for c in spec.get("initContainers") or () if c.get("restartPolicy") == "Always"]
        containers = [*(spec.get("containers") or ()), *running]
        limits = [(c.get("resources") or {}).get("limits") or {} for c in containers]
        return sum(whole(amount) for limit in limits for name, amount in limit.items() if "gpu" in name)

    spec = value.get("spec") or {}
    if value["kind"] == "Deployment":
        return max(int(spec.get("replicas", 1)), 0) * of_pod(spec["template"]["spec"])
    if value["kind"] == "Job":
        return of_pod(spec["template"]["spec"])
    if value["kind"] == "LeaderWorkerSet":
        group = spec["leaderWorkerTemplate"]
        each = of_pod(group["leaderTemplate"]["spec"]) + (group["size"] - 1) * of_pod(group["workerTemplate"]["spec"])
        return int(spec["replicas"]) * each
    if value["kind"] == "PodCliqueSet":
        total = 0
        for clique in spec["template"].get("cliques") or ():
            times = 1
            for group in spec["template"].get("podCliqueScalingGroups") or ():
                times = group["replicas"] if clique["name"] in group["cliqueNames"] else times
            total += times * max(clique["spec"]["replicas"], 0) * of_pod(clique["spec"]["podSpec"])
        return total
    return 0


@needs_corpora
def test_gpus_agree_with_a_count_by_hand_and_with_that_of_diff(records: list[Record]) -> None:
    gpus = 0
    for case, objects, found in records:
        counted = sum(total for name, (_, total) in found.resources.items() if "gpu" in name)
        assert counted == sum(map(gpus_by_hand, objects)), case
        claims = gpu_claims(objects)
        amounts = [part.amount for value in objects for part in pods_of(value, claims) if part.amount.pods >= 0]
        assert sum(role.gpus for role in found.roles) == sum(amount.gpus for amount in amounts), case
        assert sum(role.pods for role in found.roles) == sum(amount.pods for amount in amounts), case
        for gang in found.gangs:
            assert gang.gpus <= sum(role.gpus for role in found.roles), case
            assert 0 < gang.pods <= sum(role.pods for role in found.roles), case
        gpus += counted
    assert gpus

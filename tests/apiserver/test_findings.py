"""Findings on objects that no release of the operator sends: no graph raises them, and a later release may."""

from typing import Any

import pytest

from tests.apiserver.test_objects import MAIN, clique_set, deployment, made, worker_set
from tests.webhooks.reviewing import Tree, object_refusals

PORT = {"port": 80}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
JOB = {"template": {"spec": {"containers": [MAIN], "restartPolicy": "Never"}}}
TARGET = {"kind": "Deployment", "name": "it"}


def ingress(**path: Any) -> Tree:
    backend = {"service": {"name": "it", "port": {"number": 80}}}
    rule = {"host": "it.example.com", "http": {"paths": [{"path": "/", "backend": backend, **path}]}}
    return made("Ingress", {"rules": [rule]})


def autoscaler(**spec: Any) -> Tree:
    return made("HorizontalPodAutoscaler", {"scaleTargetRef": TARGET, "maxReplicas": 2, **spec})


def startup(word: str) -> Tree:
    found = clique_set({"containers": [MAIN]})
    found["spec"]["template"]["cliqueStartupType"] = word
    return found


@pytest.mark.parametrize(
    ("slug", "right", "wrong"),
    [
        (
            "admission/access",
            {**made("Role"), "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
            {**made("Role"), "rules": [{"apiGroups": [""], "resources": ["pods"]}]},
        ),
        (
            "admission/annotation-size",
            made("Service", {"ports": [PORT]}),
            made("ConfigMap", annotations={"a": "x" * 300000}),
        ),
        (
            "admission/autoscaler-behavior",
            autoscaler(behavior={"scaleDown": {"stabilizationWindowSeconds": 60}}),
            autoscaler(behavior={"scaleDown": {"stabilizationWindowSeconds": 7200}}),
        ),
        ("admission/autoscaler-target", autoscaler(), autoscaler(scaleTargetRef={"kind": "Deployment"})),
        (
            "admission/claim-mode",
            made("PersistentVolumeClaim", {**CLAIM, "volumeMode": "Block"}),
            made("PersistentVolumeClaim", {**CLAIM, "volumeMode": "Tape"}),
        ),
        ("admission/clique-startup", startup("CliqueStartupTypeAnyOrder"), startup("Any")),
        (
            "admission/config-key",
            {**made("ConfigMap"), "data": {"a.b": "c"}},
            {**made("ConfigMap"), "data": {"a b": "c"}},
        ),
        (
            "admission/config-size",
            {**made("ConfigMap"), "data": {"a": "x"}},
            {**made("ConfigMap"), "data": {"a": "x" * 1100000}},
        ),
        (
            "admission/duplicate",
            clique_set({"containers": [MAIN], "imagePullSecrets": [{"name": "a"}, {"name": "b"}]}),
            clique_set({"containers": [MAIN], "imagePullSecrets": [{"name": "a"}, {"name": "a"}]}),
        ),
        (
            "admission/finalizer",
            made("ConfigMap", finalizers=["example.com/it"]),
            made("ConfigMap", finalizers=["it"]),
        ),
        ("admission/ingress-path", ingress(pathType="Prefix"), ingress()),
        ("admission/ingress-rules", ingress(pathType="Prefix"), made("Ingress")),
        (
            "admission/job-field",
            made("Job", {**JOB, "completionMode": "Indexed"}),
            made("Job", {**JOB, "completionMode": "x"}),
        ),
        (
            "admission/lws-field",
            worker_set({"containers": [MAIN]}),
            made(
                "LeaderWorkerSet",
                {"leaderWorkerTemplate": {"workerTemplate": {"spec": {"containers": [MAIN]}}}, "startupPolicy": "x"},
            ),
        ),
        ("admission/no-containers", deployment(), deployment({"containers": []})),
        ("admission/replicas", deployment(replicas=1), deployment(replicas=-1)),
        (
            "admission/secret-type",
            {**made("Secret"), "type": "kubernetes.io/ssh-auth", "data": {"ssh-privatekey": "eA=="}},
            {**made("Secret"), "type": "kubernetes.io/ssh-auth"},
        ),
        (
            "admission/service-address",
            made("Service", {"ports": [PORT], "clusterIP": "10.0.0.1"}),
            made("Service", {"ports": [PORT], "clusterIP": "here"}),
        ),
        ("admission/service-ports", made("Service", {"ports": [PORT]}), made("Service")),
        (
            "admission/service-type",
            made("Service", {"ports": [PORT], "type": "NodePort"}),
            made("Service", {"ports": [PORT], "type": "Port"}),
        ),
    ],
)
def test_what_operators_never_send_is_refused_all_the_same(slug: str, right: Tree, wrong: Tree) -> None:
    assert slug in [said.partition(" ")[0] for said in object_refusals(wrong)]
    assert slug not in [said.partition(" ")[0] for said in object_refusals(right)]

"""Generated objects, as the API server judges them."""

from typing import Any

import pytest

from tests.admission.reviewing import Tree, object_refusals, object_warnings

MAIN = {"name": "main", "image": "i"}


def made(kind: str, spec: Tree | None = None, name: str = "it", **metadata: Any) -> Tree:
    versions = {"Deployment": "apps/v1", "Job": "batch/v1", "PodCliqueSet": "grove.io/v1alpha1"}
    return {
        "apiVersion": versions.get(kind, "v1"),
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": spec or {},
    }


def deployment(pod: Tree | None = None, **spec: Any) -> Tree:
    labels = {"app": "it"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [MAIN], **(pod or {})}}
    return made("Deployment", {"selector": {"matchLabels": labels}, "template": template, **spec})


def job(pod: Tree) -> Tree:
    return made("Job", {"template": {"spec": {"containers": [MAIN], **pod}}})


def clique_set(pod: Tree, **clique: Any) -> Tree:
    return made("PodCliqueSet", {"template": {"cliques": [{"name": "c", "spec": {"podSpec": pod}, **clique}]}})


def worker_set(pod: Tree) -> Tree:
    return made("LeaderWorkerSet", {"leaderWorkerTemplate": {"workerTemplate": {"spec": pod}}})


class TestMetadata:
    @pytest.mark.parametrize(
        ("kind", "name", "good"),
        [
            ("Service", "a-b", True),
            ("Service", "a" * 63, True),
            ("Service", "a" * 64, False),
            ("Service", "1a", False),
            ("Service", "a.b", False),
            ("Service", "a_b", False),
            ("ConfigMap", "1a.b-c", True),
            ("ConfigMap", "a" * 253, True),
            ("ConfigMap", "a" * 254, False),
            ("ConfigMap", "a_b", False),
            ("ConfigMap", "A", False),
            ("ConfigMap", "-a", False),
            ("ConfigMap", "", False),
            ("DynamoComponentDeployment", "has_underscore", False),
            ("PodCliqueSet", "UPPER", False),
            ("Role", "Any:thing_", True),
            ("RoleBinding", "a/b", False),
        ],
    )
    def test_names(self, kind: str, name: str, good: bool) -> None:
        spec = {"ports": [{"port": 1}]} if kind == "Service" else {}
        found = object_refusals(made(kind, spec, name))
        assert found == ([] if good else ["admission/object-name metadata.name"])

    @pytest.mark.parametrize(
        ("key", "value", "slug"),
        [
            ("nvidia.com/dynamo-namespace", "a" * 63, None),
            ("nvidia.com/dynamo-namespace", "a" * 64, "label-value"),
            ("a", "", None),
            ("a", "-x", "label-value"),
            ("a", "x y", "label-value"),
            ("a" * 64, "", "label-key"),
            ("Nvidia.com/x", "", "label-key"),
            ("a/b/c", "", "label-key"),
        ],
    )
    def test_labels(self, key: str, value: str, slug: str | None) -> None:
        found = [line.split()[0] for line in object_refusals(made("ConfigMap", labels={key: value}))]
        assert found == ([f"admission/{slug}"] if slug else [])

    def test_annotations(self) -> None:
        assert object_refusals(made("ConfigMap", annotations={"Nvidia.com/x": "any text at all"})) == []
        found = object_refusals(made("ConfigMap", annotations={"a b": ""}))
        assert found == ["admission/annotation-key metadata.annotations.a b"]
        for size, slugs in ((256 * 1024 - 1, []), (256 * 1024, ["admission/annotation-size metadata.annotations"])):
            assert object_refusals(made("ConfigMap", annotations={"a": "x" * size})) == slugs

    def test_namespaces(self) -> None:
        assert object_refusals(made("ConfigMap", namespace="Team")) == ["admission/object-name metadata.namespace"]


CONTAINER = "containers[0]"
NAMELESS = [
    ({"containers": [{"image": "i"}]}, "container-name", CONTAINER),
    ({"containers": [MAIN], "initContainers": [{"image": "i"}]}, "container-name", "initContainers[0]"),
    ({"containers": [{**MAIN, "env": [{"name": "A"}, {"value": "x"}]}]}, "env-name", f"{CONTAINER}.env[1]"),
    ({"containers": [{**MAIN, "ports": [{"name": "http"}]}]}, "port-number", f"{CONTAINER}.ports[0]"),
    ({"containers": [{**MAIN, "volumeMounts": [{"name": "v"}]}]}, "mount-field", f"{CONTAINER}.volumeMounts[0]"),
    ({"containers": [{**MAIN, "volumeMounts": [{"mountPath": "/v"}]}]}, "mount-field", f"{CONTAINER}.volumeMounts[0]"),
    *(
        ({"containers": [{**MAIN, probe: {handler: {"port": port}}}]}, "probe-port", f"{CONTAINER}.{probe}.{handler}")
        for probe in ("livenessProbe", "readinessProbe", "startupProbe")
        for handler in ("httpGet", "tcpSocket", "grpc")
        for port in (None, 0)
    ),
    ({"containers": [MAIN], "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}, "volume-name", "volumes[0]"),
    (
        {"containers": [MAIN], "volumes": [{"name": "v", "persistentVolumeClaim": {}}]},
        "volume-source",
        "volumes[0].persistentVolumeClaim",
    ),
]


class TestAnyPod:
    """What CRDs demand as much as the API server."""

    @pytest.mark.parametrize(("pod", "slug", "path"), NAMELESS)
    def test_fields_that_no_pod_goes_without(self, pod: Tree, slug: str, path: str) -> None:
        for value, base in (
            (deployment(pod), "spec.template.spec"),
            (clique_set(pod), "spec.template.cliques[0].spec.podSpec"),
            (worker_set(pod), "spec.leaderWorkerTemplate.workerTemplate.spec"),
        ):
            assert object_refusals(value) == [f"admission/{slug} {base}.{path}"]

    def test_labels_of_cliques(self) -> None:
        found = object_refusals(clique_set({"containers": [MAIN]}, labels={"a": "x" * 64}))
        assert found == ["admission/label-value spec.template.cliques[0].labels.a"]

    def test_custom_resources_are_not_validated_any_deeper(self) -> None:
        pod = {"containers": [{**MAIN, "ports": [{"containerPort": 70000}]}, MAIN], "restartPolicy": "Never"}
        assert object_refusals(clique_set(pod)) == object_refusals(worker_set(pod)) == []


def container(**fields: Any) -> Tree:
    return {"containers": [{**MAIN, **fields}]}


ENV = f"{CONTAINER}.env[0]"
PORTS = f"{CONTAINER}.ports"
LIMITS = f"{CONTAINER}.resources.limits"


class TestBuiltInPods:
    @pytest.mark.parametrize(
        ("pod", "slug", "path"),
        [
            ({"containers": []}, "no-containers", "containers"),
            (container(name="Main"), "container-name", f"{CONTAINER}.name"),
            ({"containers": [MAIN, MAIN]}, "container-name", "containers[1].name"),
            ({"containers": [MAIN], "initContainers": [MAIN]}, "container-name", f"{CONTAINER}.name"),
            (container(image=" i"), "image", f"{CONTAINER}.image"),
            (container(imagePullPolicy="never"), "pull-policy", f"{CONTAINER}.imagePullPolicy"),
            (container(env=[{"name": "A=B"}]), "env-name", f"{ENV}.name"),
            (container(env=[{"name": "é"}]), "env-name", f"{ENV}.name"),
            (
                container(env=[{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "p"}}}]),
                "env-value",
                ENV,
            ),
            (container(env=[{"name": "A", "valueFrom": {}}]), "env-value", f"{ENV}.valueFrom"),
            (
                container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]),
                "env-value",
                f"{ENV}.valueFrom.secretKeyRef",
            ),
            (container(envFrom=[{}]), "env-source", f"{CONTAINER}.envFrom[0]"),
            (container(envFrom=[{"secretRef": {}}]), "env-source", f"{CONTAINER}.envFrom[0].secretRef"),
            (container(ports=[{"containerPort": 65536}]), "port-number", f"{PORTS}[0].containerPort"),
            (container(ports=[{"containerPort": 1, "name": "much-too-long-name"}]), "port-name", f"{PORTS}[0].name"),
            (container(ports=[{"containerPort": 1, "name": "80"}]), "port-name", f"{PORTS}[0].name"),
            (
                container(ports=[{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]),
                "port-name",
                f"{PORTS}[1].name",
            ),
            (container(ports=[{"containerPort": 1, "protocol": "tcp"}]), "port-protocol", f"{PORTS}[0].protocol"),
            (
                container(ports=[{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}]),
                "host-port",
                f"{PORTS}[1].hostPort",
            ),
            (
                {"hostNetwork": True, **container(ports=[{"containerPort": 1, "hostPort": 2}])},
                "host-port",
                f"{PORTS}[0].hostPort",
            ),
            (container(livenessProbe={"exec": {}}), "probe-command", f"{CONTAINER}.livenessProbe.exec"),
            (
                container(livenessProbe={"httpGet": {"port": 70000}}),
                "port-number",
                f"{CONTAINER}.livenessProbe.httpGet.port",
            ),
            (
                container(livenessProbe={"httpGet": {"port": "HTTP"}}),
                "port-name",
                f"{CONTAINER}.livenessProbe.httpGet.port",
            ),
            (
                container(readinessProbe={"tcpSocket": {"port": 1}, "periodSeconds": -1}),
                "probe-time",
                f"{CONTAINER}.readinessProbe.periodSeconds",
            ),
            (
                container(startupProbe={"tcpSocket": {"port": 1}, "successThreshold": 2}),
                "probe-time",
                f"{CONTAINER}.startupProbe.successThreshold",
            ),
            (
                container(readinessProbe={"tcpSocket": {"port": 1}, "terminationGracePeriodSeconds": 5}),
                "probe-time",
                f"{CONTAINER}.readinessProbe.terminationGracePeriodSeconds",
            ),
            (container(lifecycle={"preStop": {}}), "lifecycle-handler", f"{CONTAINER}.lifecycle.preStop"),
            (container(resources={"limits": {"cpu": "-1"}}), "resource-amount", f"{LIMITS}.cpu"),
            (container(resources={"limits": {"cpu": "lots"}}), "resource-amount", f"{LIMITS}.cpu"),
            (container(resources={"limits": {"gpu": "1"}}), "resource-name", f"{LIMITS}.gpu"),
            (
                container(resources={"limits": {"nvidia.com/gpu": "500m"}}),
                "resource-amount",
                f"{LIMITS}[nvidia.com/gpu]",
            ),
            (container(resources={"claims": [{"name": "c"}]}), "claim-name", f"{CONTAINER}.resources.claims[0]"),
            (
                container(securityContext={"privileged": True, "allowPrivilegeEscalation": False}),
                "privileges",
                f"{CONTAINER}.securityContext",
            ),
            (container(restartPolicy="Always"), "container-restart", f"{CONTAINER}.restartPolicy"),
            (
                {
                    "containers": [MAIN],
                    "initContainers": [{"name": "i", "image": "i", "livenessProbe": {"exec": {"command": ["x"]}}}],
                },
                "init-container",
                "initContainers[0].livenessProbe",
            ),
            ({"volumes": [{"name": "A", "emptyDir": {}}]}, "volume-name", "volumes[0].name"),
            ({"volumes": [{"name": "a"}]}, "volume-source", "volumes[0]"),
            ({"volumes": [{"name": "a", "emptyDir": {}, "configMap": {"name": "c"}}]}, "volume-source", "volumes[0]"),
            ({"volumes": [{"name": "a", "secret": {}}]}, "volume-source", "volumes[0].secret"),
            (
                {"volumes": [{"name": "a", "emptyDir": {"sizeLimit": "-1Gi"}}]},
                "volume-size",
                "volumes[0].emptyDir.sizeLimit",
            ),
            ({"restartPolicy": "Never"}, "restart-policy", "restartPolicy"),
            ({"priorityClassName": "High"}, "pod-name", "priorityClassName"),
            ({"hostname": "a.b"}, "pod-name", "hostname"),
            ({"dnsPolicy": "default"}, "dns-policy", "dnsPolicy"),
            ({"dnsPolicy": "None"}, "dns-policy", "dnsPolicy"),
            ({"nodeSelector": {"a": "x y"}}, "label-value", "nodeSelector.a"),
            ({"securityContext": {"fsGroup": -1}}, "user-id", "securityContext.fsGroup"),
            (
                {"securityContext": {"seccompProfile": {"type": "Localhost"}}},
                "seccomp-profile",
                "securityContext.seccompProfile",
            ),
            ({"resourceClaims": [{"name": "c"}]}, "claim-source", "resourceClaims[0]"),
            ({"shareProcessNamespace": True, "hostPID": True}, "process-namespace", "shareProcessNamespace"),
        ],
    )
    def test_refused(self, pod: Tree, slug: str, path: str) -> None:
        assert object_refusals(deployment(pod)) == [f"admission/{slug} spec.template.spec.{path}"]

    @pytest.mark.parametrize(
        "pod",
        [
            container(env=[{"name": "A.b-c 1"}, {"name": "A"}, {"name": "A"}]),
            container(env=[{"name": "A", "value": "", "valueFrom": {"fieldRef": {"fieldPath": "p"}}}]),
            container(ports=[{"containerPort": 1}, {"containerPort": 1}]),
            container(livenessProbe={"exec": {"command": ["x"]}, "periodSeconds": 0}),
            container(
                resources={"limits": {"nvidia.com/gpu": "1", "hugepages-2Mi": "2Mi"}, "requests": {"cpu": "1500m"}}
            ),
            container(resources={"claims": [{"name": "c"}]})
            | {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]},
            {"initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always", "lifecycle": {}}]},
            {"volumes": [{"name": "a", "emptyDir": {}, "secret": None}]},
            {"tolerations": [{"operator": "Exists"}], "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"},
        ],
    )
    def test_taken(self, pod: Tree) -> None:
        assert object_refusals(deployment(pod)) == object_warnings(deployment(pod)) == []

    @pytest.mark.parametrize(
        ("pod", "slug"),
        [
            (container(image=""), "image"),
            (container(resources={"limits": {"cpu": 1}, "requests": {"cpu": "2"}}), "request-above-limit"),
            (container(resources={"limits": {"x.y/gpu": 2}, "requests": {"x.y/gpu": 1}}), "request-above-limit"),
            (container(resources={"requests": {"x.y/gpu": 1}}), "request-above-limit"),
            (container(livenessProbe={}), "probe-handler"),
            (container(livenessProbe={"exec": {"command": ["x"]}, "tcpSocket": {"port": 1}}), "probe-handler"),
            (container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), "mount-volume"),
            ({"volumes": [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]}, "volume-twice"),
            ({"serviceAccountName": "-x"}, "pod-name"),
        ],
    )
    def test_what_recorded_runs_took_is_a_warning(self, pod: Tree, slug: str) -> None:
        assert object_refusals(deployment(pod)) == []
        assert [line.split()[0] for line in object_warnings(deployment(pod))] == [f"admission/{slug}"]


AFFINITY = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class TestScheduling:
    @pytest.mark.parametrize(
        ("toleration", "good"),
        [
            ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, True),
            ({"key": "a", "value": "b"}, True),
            ({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}, True),
            ({}, False),
            ({"key": "a", "operator": "exists"}, False),
            ({"key": "a", "operator": "Exists", "value": "x"}, False),
            ({"key": "a b"}, False),
            ({"key": "a", "value": "b c"}, False),
            ({"key": "a", "effect": "Never"}, False),
            ({"key": "a", "tolerationSeconds": 5}, False),
        ],
    )
    def test_tolerations(self, toleration: Tree, good: bool) -> None:
        found = object_refusals(deployment({"tolerations": [toleration]}))
        assert found == ([] if good else ["admission/toleration spec.template.spec.tolerations[0]"])

    @pytest.mark.parametrize(
        ("affinity", "good"),
        [
            ({"nodeAffinity": {AFFINITY: {"nodeSelectorTerms": [{}]}}}, True),
            ({"nodeAffinity": {AFFINITY: {"nodeSelectorTerms": []}}}, False),
            (
                {
                    "nodeAffinity": {
                        AFFINITY: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}
                    }
                },
                True,
            ),
            (
                {
                    "nodeAffinity": {
                        AFFINITY: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}
                    }
                },
                False,
            ),
            (
                {
                    "nodeAffinity": {
                        AFFINITY: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "is"}]}]}
                    }
                },
                False,
            ),
            ({"nodeAffinity": {PREFERRED: [{"weight": 1, "preference": {}}]}}, True),
            ({"nodeAffinity": {PREFERRED: [{"weight": 101, "preference": {}}]}}, False),
            ({"podAntiAffinity": {AFFINITY: [{"topologyKey": "kubernetes.io/hostname"}]}}, True),
            ({"podAntiAffinity": {AFFINITY: [{}]}}, False),
            ({"podAffinity": {PREFERRED: [{"weight": 5, "podAffinityTerm": {"topologyKey": "zone"}}]}}, True),
            ({"podAffinity": {PREFERRED: [{"weight": 5, "podAffinityTerm": {}}]}}, False),
        ],
    )
    def test_affinity(self, affinity: Tree, good: bool) -> None:
        slugs = [line.split()[0] for line in object_refusals(deployment({"affinity": affinity}))]
        assert slugs == ([] if good else ["admission/affinity"])

    def test_spread(self) -> None:
        good = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
        for constraints, count in (([good], 0), ([good, good], 1), ([{**good, "maxSkew": 0}], 1), ([{}], 3)):
            assert len(object_refusals(deployment({"topologySpreadConstraints": constraints}))) == count


class TestWorkloads:
    def test_a_selector_selects_its_pods(self) -> None:
        found = object_refusals(deployment(selector={"matchLabels": {"app": "other"}}))
        assert found == ["admission/selector spec.selector.matchLabels.app"]
        assert object_refusals(deployment(selector={})) == ["admission/selector spec.selector"]

    @pytest.mark.parametrize(
        ("strategy", "good"),
        [
            ({"type": "Recreate"}, True),
            ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}, True),
            ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}, False),
            ({"type": "Recreate", "rollingUpdate": {}}, False),
            ({"type": "Rolling"}, False),
        ],
    )
    def test_strategies(self, strategy: Tree, good: bool) -> None:
        slugs = [line.split()[0] for line in object_refusals(deployment(strategy=strategy))]
        assert slugs == ([] if good else ["admission/strategy"])

    def test_negative_replicas_were_taken(self) -> None:
        assert object_refusals(deployment(replicas=-1)) == []
        assert object_warnings(deployment(replicas=-1)) == ["admission/replicas spec.replicas"]

    def test_jobs_do_not_restart_for_ever(self) -> None:
        assert object_refusals(job({"restartPolicy": "Never"})) == []
        assert object_refusals(job({})) == ["admission/restart-policy spec.template.spec.restartPolicy"]


class TestNetworking:
    @pytest.mark.parametrize(
        ("spec", "path"),
        [
            ({"ports": [{"port": 80}]}, None),
            ({"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81, "targetPort": "http"}]}, None),
            ({"clusterIP": "None"}, None),
            ({}, "service-ports spec.ports"),
            ({"ports": [{"port": 80}, {"name": "b", "port": 81}]}, "port-name spec.ports[0]"),
            ({"ports": [{"name": "a", "port": 80}, {"name": "a", "port": 81}]}, "port-name spec.ports[1]"),
            ({"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]}, "port-number spec.ports[1]"),
            ({"ports": [{"port": 0}]}, "port-number spec.ports[0]"),
            ({"ports": [{"port": 1, "targetPort": 70000}]}, "port-number spec.ports[0].targetPort"),
            ({"ports": [{"port": 1, "targetPort": "HTTP"}]}, "port-name spec.ports[0].targetPort"),
            ({"ports": [{"port": 1}], "selector": {"a": "x" * 64}}, "label-value spec.selector.a"),
        ],
    )
    def test_services(self, spec: Tree, path: str | None) -> None:
        assert object_refusals(made("Service", spec)) == ([f"admission/{path}"] if path else [])

    @pytest.mark.parametrize(
        ("host", "good"),
        [
            ("llm.example.com", True),
            ("*.example.com", True),
            ("", True),
            ("LLM.local", False),
            ("a_b", False),
            ("10.0.0.1", False),
        ],
    )
    def test_hosts(self, host: str, good: bool) -> None:
        found = object_refusals(made("Ingress", {"rules": [{"host": host}]}))
        assert found == ([] if good else ["admission/ingress-host-name spec.rules[0].host"])
        tls = {"rules": [{}], "tls": [{"hosts": [host]}]}
        found = object_refusals(made("Ingress", tls))
        assert found == ([] if good else ["admission/ingress-host-name spec.tls[0].hosts[0]"])

    def test_ingresses(self) -> None:
        assert object_refusals(made("Ingress")) == ["admission/ingress-rules spec"]
        paths = [{"path": "/", "backend": {"service": {"name": "a.b", "port": {"number": 1}}}}]
        found = object_refusals(made("Ingress", {"rules": [{"http": {"paths": paths}}], "ingressClassName": "N"}))
        assert found == [
            "admission/ingress-class spec.ingressClassName",
            "admission/ingress-backend spec.rules[0].http.paths[0]",
        ]

    def test_pools_select_by_labels(self) -> None:
        found = object_refusals(made("InferencePool", {"selector": {"matchLabels": {"a": "x" * 64}}}))
        assert found == ["admission/label-value spec.selector.matchLabels.a"]


class TestSettings:
    def test_keys(self) -> None:
        for key, good in (("a.b-C_1", True), ("a b", False), ("..a", False), ("", False), ("a" * 254, False)):
            assert bool(object_refusals({**made("ConfigMap"), "data": {key: "x"}})) is not good

    def test_size(self) -> None:
        big = {**made("ConfigMap"), "data": {"a": "x" * (1024 * 1024 + 1)}}
        assert object_refusals(big) == ["admission/config-size data"]

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({}, None),
            ({"accessModes": []}, "claim-access spec.accessModes"),
            ({"accessModes": ["RWX"]}, "claim-access spec.accessModes[0]"),
            ({"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]}, "claim-access spec.accessModes"),
            ({"resources": {"requests": {"storage": "0"}}}, "claim-size spec.resources.requests"),
            ({"storageClassName": "Fast"}, "claim-class spec.storageClassName"),
        ],
    )
    def test_claims(self, change: Tree, path: str | None) -> None:
        spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, **change}
        assert object_refusals(made("PersistentVolumeClaim", spec)) == ([f"admission/{path}"] if path else [])

    @pytest.mark.parametrize(
        ("spec", "good"),
        [
            ({"maxReplicas": 1}, True),
            ({"minReplicas": 2, "maxReplicas": 1}, False),
            ({}, False),
            ({"minReplicas": 0, "maxReplicas": 1}, False),
        ],
    )
    def test_autoscalers(self, spec: Tree, good: bool) -> None:
        assert bool(object_refusals(made("HorizontalPodAutoscaler", spec))) is not good

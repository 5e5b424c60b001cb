"""Generated objects, as the API server judges them."""

from typing import Any

import pytest

from tests.webhooks.reviewing import Tree, object_refusals, object_warnings

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
        specs = {
            "PodCliqueSet": {"template": {"cliques": [{"name": "c", "spec": {"podSpec": {"containers": [MAIN]}}}]}},
            "Service": {"ports": [{"port": 1}]},
        }
        found = object_refusals(made(kind, specs.get(kind, {}), name))
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
MOUNT = f"{CONTAINER}.volumeMounts[0]"
V = {"volumes": [{"name": "v"}]}
NAMELESS = [
    ({"containers": [{"image": "i"}]}, "container-name", CONTAINER),
    ({"containers": [MAIN], "initContainers": [{"image": "i"}]}, "container-name", "initContainers[0]"),
    ({"containers": [{**MAIN, "env": [{"name": "A"}, {"value": "x"}]}]}, "env-name", f"{CONTAINER}.env[1]"),
    *(
        ({"containers": [{**MAIN, probe: {handler: {"port": port}}}]}, "probe-port", f"{CONTAINER}.{probe}.{handler}")
        for probe in ("livenessProbe", "readinessProbe", "startupProbe")
        for handler in ("httpGet", "tcpSocket")
        for port in (None, 0)
    ),
]
ZEROS = [
    ({"containers": [{**MAIN, "ports": [{"name": "http"}]}]}, "port-number", f"{CONTAINER}.ports[0]"),
    ({**V, "containers": [{**MAIN, "volumeMounts": [{"name": "v"}]}]}, "mount-field", MOUNT),
    ({"containers": [{**MAIN, "volumeMounts": [{"mountPath": "/v"}]}]}, "mount-field", MOUNT),
    (
        {"containers": [{**MAIN, "livenessProbe": {"grpc": {"port": 0}}}]},
        "probe-port",
        f"{CONTAINER}.livenessProbe.grpc",
    ),
    ({"containers": [MAIN], "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}, "volume-name", "volumes[0]"),
    (
        {"containers": [MAIN], "volumes": [{"name": "v", "persistentVolumeClaim": {}}]},
        "volume-source",
        "volumes[0].persistentVolumeClaim",
    ),
]


class TestAnyPod:
    @pytest.mark.parametrize(("pod", "slug", "path"), NAMELESS)
    def test_fields_that_crds_demand_too(self, pod: Tree, slug: str, path: str) -> None:
        for value, base in (
            (deployment(pod), "spec.template.spec"),
            (clique_set(pod), "spec.template.cliques[0].spec.podSpec"),
            (worker_set(pod), "spec.leaderWorkerTemplate.workerTemplate.spec"),
        ):
            assert object_refusals(value) == [f"admission/{slug} {base}.{path}"]

    @pytest.mark.parametrize(("pod", "slug", "path"), ZEROS)
    def test_zeros_are_enough_for_a_crd_but_not_for_its_pods(self, pod: Tree, slug: str, path: str) -> None:
        assert object_refusals(deployment(pod)) == [f"admission/{slug} spec.template.spec.{path}"]
        for value, base in (
            (clique_set(pod), "spec.template.cliques[0].spec.podSpec"),
            (worker_set(pod), "spec.leaderWorkerTemplate.workerTemplate.spec"),
        ):
            assert object_refusals(value) == []
            assert object_warnings(value) == [f"admission/{slug} {base}.{path}"]

    def test_labels_of_cliques(self) -> None:
        value = clique_set({"containers": [MAIN]}, labels={"a": "x" * 64})
        assert object_refusals(value) == []
        assert object_warnings(value) == ["admission/label-value spec.template.cliques[0].labels.a"]

    def test_pods_of_custom_resources_are_refused_later(self) -> None:
        pod = {"containers": [{**MAIN, "ports": [{"containerPort": 70000}]}], "restartPolicy": "Never"}
        for value in (clique_set(pod), worker_set(pod)):
            assert object_refusals(value) == []
            [warning] = object_warnings(value)
            assert warning.startswith("admission/port-number")

    @pytest.mark.parametrize(
        ("pod", "path"),
        [
            ({"containers": [MAIN, MAIN]}, "containers[1]"),
            ({"containers": [MAIN], "imagePullSecrets": [{"name": "s"}, {"name": "s"}]}, "imagePullSecrets[1]"),
            ({"containers": [{**MAIN, "env": [{"name": "A"}, {"name": "A"}]}]}, f"{CONTAINER}.env[1]"),
            (
                {"containers": [{**MAIN, "ports": [{"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}]}]},
                f"{CONTAINER}.ports[1]",
            ),
        ],
    )
    def test_lists_that_are_maps_in_a_crd(self, pod: Tree, path: str) -> None:
        assert object_refusals(clique_set(pod)) == [f"admission/duplicate spec.template.cliques[0].spec.podSpec.{path}"]
        base = "spec.leaderWorkerTemplate.workerTemplate.spec"
        assert object_refusals(worker_set(pod)) == [f"admission/duplicate {base}.{path}"]

    def test_a_set_without_cliques(self) -> None:
        assert object_refusals(made("PodCliqueSet", {"template": {"cliques": []}})) == [
            "admission/no-cliques spec.template.cliques"
        ]


def container(**fields: Any) -> Tree:
    return {"containers": [{**MAIN, **fields}]}


ENV = f"{CONTAINER}.env[0]"
PORTS = f"{CONTAINER}.ports"
LIMITS = f"{CONTAINER}.resources.limits"


def variable(**source: Any) -> Tree:
    return container(env=[{"name": "A", "valueFrom": source}])


def volume(mounts: Tree | None = None, **source: Any) -> Tree:
    return {**container(**(mounts or {})), "volumes": [{"name": "v", **source}]}


def mount(**fields: Any) -> Tree:
    return volume({"volumeMounts": [{"name": "v", "mountPath": "/v", **fields}]})


def context(**fields: Any) -> Tree:
    return {"securityContext": fields}


def claim(**spec: Any) -> Tree:
    return volume(ephemeral={"volumeClaimTemplate": {"spec": spec}})


def resources(limits: Tree, requests: Tree | None = None) -> Tree:
    return container(resources={"limits": limits, "requests": requests or {}})


def handlers(**probe: Any) -> Tree:
    return container(livenessProbe=probe)


SOURCE = f"{ENV}.valueFrom"
HTTP = f"{CONTAINER}.livenessProbe.httpGet"
REQUESTS = f"{CONTAINER}.resources.requests"
SECURITY = f"{CONTAINER}.securityContext"
STORAGE = {"requests": {"storage": "1Gi"}}
SECRET = {"secretName": "s"}
MORE_REFUSALS: list[tuple[Tree, str, str]] = [
    # variables
    (variable(fieldRef={"fieldPath": "metadata.foo"}), "field-ref", f"{SOURCE}.fieldRef"),
    (variable(fieldRef={"fieldPath": "metadata.name", "apiVersion": "v2"}), "field-ref", f"{SOURCE}.fieldRef"),
    (variable(fieldRef={"fieldPath": "spec.nodeName['a']"}), "field-ref", f"{SOURCE}.fieldRef"),
    (variable(fieldRef={"fieldPath": "metadata.labels['a b']"}), "field-ref", f"{SOURCE}.fieldRef"),
    (variable(resourceFieldRef={"resource": "limits.gpu"}), "resource-ref", f"{SOURCE}.resourceFieldRef.resource"),
    (
        variable(resourceFieldRef={"resource": "limits.cpu", "divisor": "1Mi"}),
        "resource-ref",
        f"{SOURCE}.resourceFieldRef.divisor",
    ),
    (variable(secretKeyRef={"name": "S_s", "key": "k"}), "env-source", f"{SOURCE}.secretKeyRef.name"),
    (variable(configMapKeyRef={"name": "c", "key": "a b"}), "env-value", f"{SOURCE}.configMapKeyRef.key"),
    (
        container(envFrom=[{"prefix": "a=", "secretRef": {"name": "s"}}]),
        "env-name",
        f"{CONTAINER}.envFrom[0].prefix",
    ),
    (container(envFrom=[{"secretRef": {"name": "S_s"}}]), "env-source", f"{CONTAINER}.envFrom[0].secretRef.name"),
    # resources
    (resources({"cpu": 1}, {"cpu": "2"}), "request-above-limit", f"{REQUESTS}.cpu"),
    (resources({"memory": "1G"}, {"memory": "1Gi"}), "request-above-limit", f"{REQUESTS}.memory"),
    (resources({"x.y/gpu": 2}, {"x.y/gpu": 1}), "request-above-limit", f"{REQUESTS}[x.y/gpu]"),
    (resources({}, {"x.y/gpu": 1}), "request-above-limit", f"{REQUESTS}[x.y/gpu]"),
    (resources({"hugepages-2Mi": "2Mi"}), "resource-amount", f"{CONTAINER}.resources"),
    (resources({"hugepages-2Mi": "3Mi", "cpu": 1}), "resource-amount", f"{LIMITS}.hugepages-2Mi"),
    (
        container(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "x"}]),
        "resize-policy",
        f"{CONTAINER}.resizePolicy[0].restartPolicy",
    ),
    ({"resources": {"limits": {"nvidia.com/gpu": 1}}}, "resource-name", "resources.limits[nvidia.com/gpu]"),
    # probes and hooks
    (handlers(), "probe-handler", f"{CONTAINER}.livenessProbe"),
    (handlers(exec={"command": ["x"]}, tcpSocket={"port": 1}), "probe-handler", f"{CONTAINER}.livenessProbe"),
    (handlers(httpGet={"port": 1, "scheme": "x"}), "probe-scheme", f"{HTTP}.scheme"),
    (handlers(httpGet={"port": 1, "httpHeaders": [{"name": "a b"}]}), "probe-header", f"{HTTP}.httpHeaders[0]"),
    (
        container(lifecycle={"preStop": {"sleep": {"seconds": 31}}}),
        "lifecycle-sleep",
        f"{CONTAINER}.lifecycle.preStop.sleep",
    ),
    (
        container(terminationMessagePolicy="x"),
        "termination-message",
        f"{CONTAINER}.terminationMessagePolicy",
    ),
    # mounts and devices
    (container(volumeMounts=[{"name": "w", "mountPath": "/w"}]), "mount-volume", f"{MOUNT}.name"),
    (mount(mountPropagation="Both"), "mount-propagation", f"{MOUNT}.mountPropagation"),
    (mount(mountPropagation="Bidirectional"), "mount-propagation", f"{MOUNT}.mountPropagation"),
    (mount(recursiveReadOnly="Enabled"), "mount-read-only", f"{MOUNT}.recursiveReadOnly"),
    (mount(subPath="../a"), "mount-sub-path", MOUNT),
    (
        container(volumeDevices=[{"name": "w", "devicePath": "/w"}]),
        "mount-volume",
        f"{CONTAINER}.volumeDevices[0].name",
    ),
    (volume({"volumeDevices": [{"name": "v", "devicePath": "/d"}]}), "device", f"{CONTAINER}.volumeDevices[0]"),
    # volumes
    ({"volumes": [{"name": "a"}, {"name": "a"}]}, "volume-twice", "volumes[1].name"),
    (volume(configMap={"name": "c", "items": [{"path": "p"}]}), "volume-source", "volumes[0].configMap.items[0]"),
    (
        volume(configMap={"name": "c", "items": [{"key": "k", "path": "../a"}]}),
        "volume-path",
        "volumes[0].configMap.items[0].path",
    ),
    (volume(secret={**SECRET, "defaultMode": 512}), "volume-mode", "volumes[0].secret.defaultMode"),
    (
        volume(downwardAPI={"items": [{"path": "a", "fieldRef": {"fieldPath": "spec.nodeName"}}]}),
        "field-ref",
        "volumes[0].downwardAPI.items[0].fieldRef",
    ),
    (volume(downwardAPI={"items": [{"path": "a"}]}), "volume-source", "volumes[0].downwardAPI.items[0]"),
    (
        volume(projected={"sources": [{"secret": {"name": "a"}, "configMap": {"name": "b"}}]}),
        "volume-source",
        "volumes[0].projected.sources[0]",
    ),
    (
        volume(projected={"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 5}}]}),
        "volume-source",
        "volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds",
    ),
    (volume(ephemeral={}), "volume-source", "volumes[0].ephemeral"),
    (claim(resources=STORAGE), "claim-access", "volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes"),
    (
        claim(accessModes=["ReadWriteOnce"]),
        "claim-size",
        "volumes[0].ephemeral.volumeClaimTemplate.spec.resources",
    ),
    (volume(gitRepo={}), "volume-source", "volumes[0].gitRepo"),
    (volume(hostPath={"path": "/a/../b"}), "volume-path", "volumes[0].hostPath.path"),
    (volume(hostPath={"path": "/a", "type": "x"}), "volume-source", "volumes[0].hostPath.type"),
    (volume(nfs={"server": "s", "path": "a"}), "volume-path", "volumes[0].nfs.path"),
    (volume(iscsi={"targetPortal": "p", "iqn": "x"}), "volume-source", "volumes[0].iscsi.iqn"),
    (volume(csi={"driver": ""}), "volume-source", "volumes[0].csi"),
    # the pod
    ({"serviceAccountName": "-x"}, "pod-name", "serviceAccountName"),
    ({"activeDeadlineSeconds": 10}, "active-deadline", "activeDeadlineSeconds"),
    ({"ephemeralContainers": [MAIN]}, "ephemeral-containers", "ephemeralContainers"),
    ({"dnsConfig": {"options": [{"value": "1"}]}}, "dns-config", "dnsConfig.options[0]"),
    ({"dnsConfig": {"nameservers": ["x"]}}, "dns-config", "dnsConfig.nameservers[0]"),
    ({"dnsConfig": {"searches": ["A b"]}}, "dns-config", "dnsConfig.searches[0]"),
    ({"hostAliases": [{"ip": "x"}]}, "host-alias", "hostAliases[0].ip"),
    ({"readinessGates": [{"conditionType": "a b"}]}, "gate", "readinessGates[0]"),
    ({"preemptionPolicy": "x"}, "preemption-policy", "preemptionPolicy"),
    ({"hostUsers": False, "hostNetwork": True}, "user-namespace", "hostUsers"),
    (context(runAsUser=2**31), "user-id", "securityContext.runAsUser"),
    (context(supplementalGroups=[-1]), "user-id", "securityContext.supplementalGroups[0]"),
    (context(supplementalGroupsPolicy="x"), "security-policy", "securityContext.supplementalGroupsPolicy"),
    (context(fsGroupChangePolicy="x"), "security-policy", "securityContext.fsGroupChangePolicy"),
    (context(appArmorProfile={"type": "Localhost"}), "apparmor-profile", "securityContext.appArmorProfile"),
    (context(sysctls=[{"name": "a b", "value": "1"}]), "sysctl", "securityContext.sysctls[0]"),
    ({"os": {"name": "windows"}, **context(fsGroup=1000)}, "pod-os", "securityContext.fsGroup"),
    (container(securityContext={"procMount": "Unmasked"}), "proc-mount", f"{SECURITY}.procMount"),
]
MORE_TAKEN: list[Tree] = [
    variable(fieldRef={"fieldPath": "metadata.annotations['Example.com/Some']"}),
    variable(fieldRef={"fieldPath": "status.podIPs"}),
    variable(resourceFieldRef={"resource": "limits.hugepages-2Mi", "divisor": "1Mi"}),
    variable(resourceFieldRef={"resource": "requests.cpu", "divisor": "0"}),
    resources({"memory": "1Gi"}, {"memory": "1024Mi"}),
    container(lifecycle={"preStop": {"sleep": {"seconds": 60}}}) | {"terminationGracePeriodSeconds": 60},
    mount(mountPath="/a:b"),
    mount(mountPath="relative"),
    claim(accessModes=["ReadWriteOnce"], resources=STORAGE),
    volume(persistentVolumeClaim={"claimName": "A_b"}),
    volume(emptyDir={"medium": "HugePages"}),
    {"dnsConfig": {"nameservers": ["10.0.0.1", "2001:db8::1"], "searches": ["_tcp.example.com.", "."]}},
    {"hostAliases": [{"ip": "127.0.0.1", "hostnames": ["a.b"]}]},
    {"imagePullSecrets": [{}]},
    {"resources": {"limits": {"cpu": "1"}}},
    {"os": {"name": "linux"}, **context(sysctls=[{"name": "net/ipv4.tcp_syncookies", "value": "1"}])},
    context(appArmorProfile={"type": "Unconfined"}, seLinuxOptions={"level": "a"}),
]


class TestBuiltInPods:
    @pytest.mark.parametrize(
        ("pod", "slug", "path"),
        [
            ({"containers": []}, "no-containers", "containers"),
            (container(name="Main"), "container-name", f"{CONTAINER}.name"),
            ({"containers": [MAIN, MAIN]}, "container-name", "containers[1].name"),
            ({"containers": [MAIN], "initContainers": [MAIN]}, "container-name", f"{CONTAINER}.name"),
            (container(image=""), "image", CONTAINER),
            (container(imagePullPolicy="never"), "pull-policy", f"{CONTAINER}.imagePullPolicy"),
            (container(env=[{"name": "A=B"}]), "env-name", f"{ENV}.name"),
            (container(env=[{"name": "é"}]), "env-name", f"{ENV}.name"),
            (
                container(env=[{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
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
            (
                {
                    "containers": [MAIN],
                    "initContainers": [{"name": "i", "image": "i", "livenessProbe": {"exec": {"command": ["x"]}}}],
                },
                "init-container",
                "initContainers[0].livenessProbe",
            ),
            ({"volumes": [{"name": "A", "emptyDir": {}}]}, "volume-name", "volumes[0].name"),
            *MORE_REFUSALS,
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
            container(env=[{"name": "A", "value": "", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
            container(ports=[{"containerPort": 1}, {"containerPort": 1}]),
            container(livenessProbe={"exec": {"command": ["x"]}, "periodSeconds": 0}),
            container(
                resources={"limits": {"nvidia.com/gpu": "1", "hugepages-2Mi": "4Mi"}, "requests": {"cpu": "1500m"}}
            ),
            container(resources={"claims": [{"name": "c"}]})
            | {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]},
            {"initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always", "lifecycle": {}}]},
            {"volumes": [{"name": "a", "emptyDir": {}, "secret": None}, {"name": "b"}]},
            *MORE_TAKEN,
            {"tolerations": [{"operator": "Exists"}], "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"},
        ],
    )
    def test_taken(self, pod: Tree) -> None:
        assert object_refusals(deployment(pod)) == object_warnings(deployment(pod)) == []

    @pytest.mark.parametrize(
        ("pod", "slug", "path"),
        [
            (container(image=" i"), "image", f"{CONTAINER}.image"),
            (container(restartPolicy="Always"), "container-restart", f"{CONTAINER}.restartPolicy"),
            (
                {"initContainers": [{**MAIN, "name": "i", "restartPolicy": "Never"}]},
                "container-restart",
                "initContainers[0].restartPolicy",
            ),
            ({"priority": 5}, "priority", "priority"),
        ],
    )
    def test_templates_that_are_taken_with_a_warning(self, pod: Tree, slug: str, path: str) -> None:
        assert object_refusals(deployment(pod)) == []
        assert object_warnings(deployment(pod)) == [f"admission/{slug} spec.template.spec.{path}"]

    def test_annotations_for_apparmor_name_containers(self) -> None:
        value = deployment()
        annotations = value["spec"]["template"]["metadata"].setdefault("annotations", {})
        annotations["container.apparmor.security.beta.kubernetes.io/main"] = "runtime/default"
        assert object_refusals(value) == []
        annotations["container.apparmor.security.beta.kubernetes.io/nope"] = "unconfined"
        [found] = object_refusals(value)
        assert found.startswith("admission/apparmor-profile spec.template.metadata.annotations")


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

    def test_replicas_are_not_negative(self) -> None:
        assert object_refusals(deployment(replicas=-1)) == ["admission/replicas spec.replicas"]

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
        paths = [{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "a.b", "port": {"number": 1}}}}]
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
            ({"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]}, "claim-access spec.accessModes[0]"),
            ({"resources": {"requests": {"storage": "0"}}}, "claim-size spec.resources.requests.storage"),
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

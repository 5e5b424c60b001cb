"""What objects name, and who brings it."""

from __future__ import annotations

from typing import Any

import pytest

from dynamoc.admission.cluster.helm_values import chart_default
from tests.requires.conftest import GRAPH, Ask, item, names, needs_of, pod

Tree = dict[str, Any]
MAIN = {"name": "main", "image": "x"}
NETWORKS = "k8s.v1.cni.cncf.io/networks"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"serviceAccountName": "a"}, "ServiceAccount/a"),
        ({"priorityClassName": "a"}, "PriorityClass/a"),
        ({"runtimeClassName": "a"}, "RuntimeClass/a"),
        ({"nodeName": "a"}, "Node/a"),
        ({"imagePullSecrets": [{"name": "a"}]}, "Secret/a"),
        ({"resourceClaims": [{"name": "x", "resourceClaimName": "a"}]}, "ResourceClaim/a"),
        ({"resourceClaims": [{"name": "x", "resourceClaimTemplateName": "a"}]}, "ResourceClaimTemplate/a"),
        ({"volumes": [{"persistentVolumeClaim": {"claimName": "a"}}]}, "PersistentVolumeClaim/a"),
        ({"volumes": [{"secret": {"secretName": "a"}}]}, "Secret/a"),
        ({"volumes": [{"configMap": {"name": "a"}}]}, "ConfigMap/a"),
        ({"volumes": [{"projected": {"sources": [{"secret": {"name": "a"}}]}}]}, "Secret/a"),
        ({"volumes": [{"projected": {"sources": [{"configMap": {"name": "a"}}]}}]}, "ConfigMap/a"),
        ({"volumes": [{"projected": {"sources": [{"clusterTrustBundle": {"name": "a"}}]}}]}, "ClusterTrustBundle/a"),
        ({"volumes": [{"csi": {"driver": "a"}}]}, "CSIDriver/a"),
        ({"volumes": [{"csi": {"nodePublishSecretRef": {"name": "a"}}}]}, "Secret/a"),
        ({"volumes": [{"csi": {"volumeAttributes": {"secretProviderClass": "a"}}}]}, "SecretProviderClass/a"),
        ({"volumes": [{"azureFile": {"secretName": "a"}}]}, "Secret/a"),
        ({"volumes": [{"rbd": {"secretRef": {"name": "a"}}}]}, "Secret/a"),
        ({"volumes": [{"glusterfs": {"endpoints": "a"}}]}, "Endpoints/a"),
        (
            {"volumes": [{"ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "a"}}}}]},
            "StorageClass/a",
        ),
        ({"containers": [{**MAIN, "envFrom": [{"secretRef": {"name": "a"}}]}]}, "Secret/a"),
        ({"containers": [{**MAIN, "envFrom": [{"configMapRef": {"name": "a"}}]}]}, "ConfigMap/a"),
        ({"initContainers": [{**MAIN, "env": [{"valueFrom": {"secretKeyRef": {"name": "a"}}}]}]}, "Secret/a"),
        (
            {"ephemeralContainers": [{**MAIN, "env": [{"valueFrom": {"configMapKeyRef": {"name": "a"}}}]}]},
            "ConfigMap/a",
        ),
    ],
)
def test_a_pod_needs_what_it_names(fields: Tree, name: str) -> None:
    assert names(needs_of([pod(**fields)])) == {name}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (item("PersistentVolumeClaim", spec={"storageClassName": "a", "volumeName": "b"}),
         {"StorageClass/a", "PersistentVolume/b"}),
        (item("PersistentVolumeClaim", spec={"dataSourceRef": {"kind": "VolumeSnapshot", "name": "a"}}),
         {"VolumeSnapshot/a"}),
        (item("ServiceAccount", imagePullSecrets=[{"name": "a"}], secrets=[{"name": "b"}]), {"Secret/a", "Secret/b"}),
        (item("StatefulSet", version="apps/v1", spec={
            "serviceName": "a", "volumeClaimTemplates": [{"spec": {"storageClassName": "b"}}]}),
         {"Service/a", "StorageClass/b"}),
        (item("HorizontalPodAutoscaler", version="autoscaling/v2", spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}), {"Deployment/a"}),
        (item("Ingress", version="networking.k8s.io/v1", spec={
            "ingressClassName": "a", "tls": [{"secretName": "b"}], "defaultBackend": {"service": {"name": "c"}},
            "rules": [{"http": {"paths": [{"backend": {"service": {"name": "d"}}}]}}]}),
         {"IngressClass/a", "Secret/b", "Service/c", "Service/d"}),
        (item("VirtualService", version="networking.istio.io/v1beta1", spec={
            "gateways": ["mesh", "a", "istio/b"], "http": [{"route": [{"destination": {"host": "c"}}]}]}),
         {"Gateway/a", "Gateway/b", "Service/c"}),
        (item("DestinationRule", version="networking.istio.io/v1", spec={"host": "a.other.svc.cluster.local"}),
         {"Service/a"}),
        (item("DestinationRule", version="networking.istio.io/v1", spec={"host": "*.example.com"}), set()),
        (item("HTTPRoute", version="gateway.networking.k8s.io/v1", spec={
            "parentRefs": [{"name": "a"}], "rules": [{"backendRefs": [
                {"name": "b"}, {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "c"}]}]}),
         {"Gateway/a", "Service/b", "InferencePool/c"}),
        (item("Gateway", version="gateway.networking.k8s.io/v1", spec={
            "gatewayClassName": "a", "listeners": [{"tls": {"certificateRefs": [{"name": "b"}]}}]}),
         {"GatewayClass/a", "Secret/b"}),
        (item("InferencePool", version="inference.networking.k8s.io/v1", spec={"endpointPickerRef": {"name": "a"}}),
         {"Service/a"}),
        (item("PodGroup", version="scheduling.volcano.sh/v1beta1", spec={"queue": "a", "priorityClassName": "b"}),
         {"Queue/a", "PriorityClass/b"}),
        (item("ResourceClaimTemplate", version="resource.k8s.io/v1", spec={"spec": {"devices": {"requests": [
            {"exactly": {"deviceClassName": "a"}}, {"firstAvailable": [{"deviceClassName": "b"}]}]}}}),
         {"DeviceClass/a", "DeviceClass/b"}),
        (item("DynamoGraphDeploymentScalingAdapter", version="nvidia.com/v1alpha1", spec={"dgdRef": {"name": "a"}}),
         {"DynamoGraphDeployment/a"}),
        (item("RoleBinding", version="rbac.authorization.k8s.io/v1", roleRef={"kind": "Role", "name": "a"},
              subjects=[{"kind": "ServiceAccount", "name": "b"}, {"kind": "User", "name": "c"}]),
         {"Role/a", "ServiceAccount/b"}),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)  # fmt: skip
def test_other_objects_need_what_they_name(value: Tree, expected: set[str]) -> None:
    assert names(needs_of([value])) == expected


def test_marks_of_pods_name_queues_groups_and_networks() -> None:
    marked = pod()
    marked["metadata"]["labels"] = {"kai.scheduler/queue": "q"}
    marked["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": "g", NETWORKS: "fast@eth1, ib/slow"}
    found = {
        (entry.group, entry.namespace, entry.name) for entry in needs_of([marked]).objects if entry.kind != "Namespace"
    }
    assert found == {
        ("scheduling.run.ai", "", "q"),
        ("scheduling.volcano.sh", "team", "g"),
        ("k8s.cni.cncf.io", "team", "fast"),
        ("k8s.cni.cncf.io", "ib", "slow"),
    }


def test_networks_may_be_json() -> None:
    marked = pod()
    marked["metadata"]["annotations"] = {NETWORKS: '[{"name": "a"}, {"name": "b", "namespace": "ib"}]'}
    assert names(needs_of([marked])) == {"NetworkAttachmentDefinition/a", "NetworkAttachmentDefinition/b"}


def test_pod_templates_of_kinds_that_nobody_knows_count() -> None:
    step = {"podTemplate": {"spec": {"containers": [MAIN], "serviceAccountName": "runner"}}}
    assert names(needs_of([item("Workflow", version="example.com/v1", spec={"steps": [step]})])) == {
        "ServiceAccount/runner"
    }


def test_optional_names_are_optional_until_somebody_needs_them() -> None:
    def variable(*, optional: bool) -> Tree:
        return {"name": "A", "valueFrom": {"secretKeyRef": {"name": "a", "key": "k", "optional": optional}}}

    free, bound = (pod(containers=[{**MAIN, "env": [variable(optional=choice)]}]) for choice in (True, False))
    bound["metadata"]["name"] = "b"
    (secret,) = (entry for entry in needs_of([free]).objects if entry.kind == "Secret")
    assert (secret.optional, secret.keys) == (True, {"k": True})
    (secret,) = (entry for entry in needs_of([free, bound]).objects if entry.kind == "Secret")
    assert (secret.optional, secret.keys) == (False, {"k": False})


def test_what_the_output_has_is_brought() -> None:
    objects = [pod(serviceAccountName="a", priorityClassName="p"), item("ServiceAccount", "a")]
    found = needs_of(objects)
    assert names(found, missing=True) == {"PriorityClass/p"}
    elsewhere = item("ServiceAccount", "a", metadata={"namespace": "other"})
    assert "ServiceAccount/a" in names(needs_of([objects[0], elsewhere]), missing=True)


@pytest.mark.parametrize(
    "source",
    [
        item("ExternalSecret", "token", version="external-secrets.io/v1", spec={}),
        item("ExternalSecret", "x", version="external-secrets.io/v1", spec={"target": {"name": "token"}}),
        item("SealedSecret", "token", version="bitnami.com/v1alpha1", spec={}),
        item("Certificate", "x", version="cert-manager.io/v1", spec={"secretName": "token"}),
    ],
)
def test_controllers_make_secrets(source: Tree) -> None:
    needy = pod(volumes=[{"secret": {"secretName": "token"}}])
    (entry,) = (entry for entry in needs_of([needy, source]).objects if entry.kind == "Secret")
    assert (entry.by, entry.note) == ("render", f"made from {source['kind']}/{source['metadata']['name']}")
    elsewhere = {**source, "metadata": {**source["metadata"], "namespace": "other"}}
    assert "Secret/token" in names(needs_of([needy, elsewhere]), missing=True)


def test_a_compute_domain_makes_its_claim_template() -> None:
    channel = {"resourceClaimTemplate": {"name": "channel"}}
    domain = item("ComputeDomain", "x", version="resource.nvidia.com/v1beta1", spec={"channel": channel})
    claim = {"name": "c", "resourceClaimTemplateName": "channel"}
    found = needs_of([domain, pod(resourceClaims=[claim])])
    assert names(found, missing=True) == set()
    assert not found.roles[0].unknown


@pytest.mark.parametrize(
    "value",
    [
        pod(serviceAccountName="default"),
        pod(priorityClassName="system-node-critical"),
        pod(volumes=[{"configMap": {"name": "kube-root-ca.crt"}}]),
        item("RoleBinding", version="rbac.authorization.k8s.io/v1", roleRef={"kind": "ClusterRole", "name": "view"}),
    ],
)
def test_what_every_cluster_has_is_brought(value: Tree) -> None:
    (entry,) = (entry for entry in needs_of([value]).objects if entry.kind != "Namespace")
    assert entry.by == "kubernetes"


def test_the_chart_brings_roles_queue_and_the_accounts_of_one_namespace() -> None:
    config = chart_default("1.4")
    config.namespace.restricted = "team"
    role = {"kind": "ClusterRole", "name": config.rbac.planner_cluster_role_name}
    binding = item("RoleBinding", version="rbac.authorization.k8s.io/v1", roleRef=role)
    queued = pod(
        serviceAccountName="planner-serviceaccount", volumes=[{"secret": {"secretName": "mpi-run-ssh-secret"}}]
    )
    queued["metadata"]["labels"] = {"kai.scheduler/queue": "dynamo"}

    def bringers() -> dict[str, str | None]:
        return {entry.kind: entry.by for entry in needs_of([binding, queued], config=config).objects}

    restricted = bringers()
    assert restricted["ServiceAccount"] == "chart"
    config.namespace.restricted = ""
    anywhere = bringers()
    assert anywhere["ServiceAccount"] is None
    assert anywhere["ClusterRole"] == anywhere["Queue"] == "chart"
    assert anywhere["Secret"] == "operator"


CONTEXT = """\
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Secret, metadata: {name: token, namespace: team}}
  - {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models, namespace: elsewhere}}
  - {apiVersion: v1, kind: Namespace, metadata: {name: team}}
  - apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: podcliquesets.grove.io}
    spec: {group: grove.io, names: {kind: PodCliqueSet}, versions: [{name: v1alpha1, served: true}]}
"""


def by_title(document: Tree) -> dict[str, Tree]:
    return {f"{entry['kind']}/{entry['name']}": entry for entry in document["objects"]}


def test_the_context_brings_what_it_shows(ask: Ask, tmp_path: Any) -> None:
    (tmp_path / "context.yaml").write_text(CONTEXT)
    document = ask(GRAPH, "--target", "grove", "--cluster", "context.yaml")
    found = by_title(document)
    assert found["Secret/token"]["broughtBy"] == "context"
    assert found["Secret/token"]["source"] == {"file": "context.yaml", "line": 4, "column": 53}
    assert found["PersistentVolumeClaim/models"]["broughtBy"] is None
    assert found["Namespace/team"]["broughtBy"] == "context"
    apis = {entry["kind"]: entry["broughtBy"] for entry in document["apis"]}
    assert apis == {"DynamoWorkerMetadata": "chart", "PodCliqueSet": "context"}
    assert document["summary"]["missing"] == 3


def test_a_definition_of_another_version_serves_nothing(ask: Ask, tmp_path: Any) -> None:
    (tmp_path / "context.yaml").write_text(CONTEXT.replace("name: v1alpha1", "name: v1"))
    document = ask(GRAPH, "--target", "grove", "--cluster", "context.yaml")
    assert {entry["kind"]: entry["broughtBy"] for entry in document["apis"]}["PodCliqueSet"] is None


def test_an_object_of_the_context_shows_that_its_kind_is_served(ask: Ask, tmp_path: Any) -> None:
    existing = "apiVersion: grove.io/v1alpha1\nkind: PodCliqueSet\nmetadata: {name: other, namespace: team}\n"
    (tmp_path / "context.yaml").write_text(existing)
    document = ask(GRAPH, "--target", "grove", "--cluster", "context.yaml")
    assert {entry["kind"]: entry["broughtBy"] for entry in document["apis"]}["PodCliqueSet"] == "context"


def test_the_input_brings_its_own_documents(ask: Ask) -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: token}\n"
    found = by_title(ask(GRAPH + secret, "-n", "team", "--target", "grove"))
    assert found["Secret/token"]["broughtBy"] == "input"
    assert found["ServiceAccount/chat-k8s-service-discovery"]["broughtBy"] == "render"


def test_needs_have_the_lines_of_the_input(ask: Ask) -> None:
    found = by_title(ask(GRAPH, "--target", "grove"))
    lines = {name: entry["neededBy"][0]["place"]["line"] for name, entry in found.items()}
    text = GRAPH.splitlines()
    assert text[lines["Secret/token"] - 1].strip() == "envFromSecret: token"
    assert text[lines["Secret/registry"] - 1].strip() == "- name: registry"
    assert text[lines["PersistentVolumeClaim/models"] - 1].strip() == "claimName: models"
    assert text[lines["PriorityClass/high"] - 1].strip() == "priorityClassName: high"
    need = found["PersistentVolumeClaim/models"]["neededBy"][0]
    assert need["component"] == "Worker"
    assert need["field"].startswith(
        "spec.template.cliques[worker-ldr].spec.podSpec.volumes[cache].persistentVolumeClaim"
    )


def test_what_only_the_operator_looks_up_is_needed_too(ask: Ask) -> None:
    policy = "    kvTransferPolicy: {clusterTopologyName: racks, domain: rack, enforcement: required}\n"
    graph = GRAPH.replace("  services:\n", f"  experimental:\n{policy}  services:\n", 1)
    document = ask(graph, "--target", "grove")
    entry = by_title(document)["ClusterTopologyBinding/racks"]
    assert entry["broughtBy"] is None
    assert entry["neededBy"][0]["kind"] == "DynamoGraphDeployment"

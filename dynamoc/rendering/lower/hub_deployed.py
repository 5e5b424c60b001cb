"""A v1beta1 DynamoComponentDeployment: its labels, annotations and pod template, and the mesh around endpoint pickers.

Source: internal/dynamo/v1beta1_helpers.go, controller/dynamocomponentdeployment_renderer.go of release 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynamoc.admission.adapters import for_role, has_role_templates, spec_of_role, with_spec
from dynamoc.admission.cluster.config import IstioMesh
from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.names import (
    CLASS_LABEL,
    COMPONENT_LABEL,
    DISCOVERY_LABELS,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SELECTOR_LABEL,
    SUB_TYPE_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
    kube_resource_name,
)
from dynamoc.kube.quantity import canonical_as_read
from dynamoc.kube.text import dumps
from dynamoc.kube.tracing import builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.deployment_config import VARIABLE, json_field, read_config
from dynamoc.rendering.lower.hub_pods import main_container
from dynamoc.rendering.lower.ignored import tell_overwritten_labels
from dynamoc.rendering.lower.parts import metadata, metrics_label, model_label
from dynamoc.rendering.rules.backend import determine_backend
from dynamoc.rendering.rules.checkpoint import Snapshot, component_snapshot
from dynamoc.rendering.rules.draft import Pod
from dynamoc.rendering.rules.multinode import lws_hosts
from dynamoc.rendering.rules.order import build_pod
from dynamoc.rendering.rules.snapshot_storage import mark_pods

Tree = dict[str, Any]

_ORIGIN = "nvidia.com/dynamo-operator-origin-version"


@dataclass(eq=False, slots=True)
class DeployedComponent:
    """A DynamoComponentDeployment, on its own or created from a graph.

    value      the object
    component  its spec; what v1beta1 cannot say was looked up in the v1alpha1 view
    owner      the DynamoGraphDeployment that owns it, "" where there is none
    snapshot   what it starts from, where its graph found that out; None leaves it to `component_snapshot`
    is_kept_worker   whether its pods exist and are workers by label, whatever the component's type is
    """

    value: Tree
    component: Component
    owner: str
    snapshot: Snapshot | None = None
    is_kept_worker: bool = False

    @property
    def name(self) -> str:
        return str(self.value["metadata"].get("name", ""))

    @property
    def namespace(self) -> str:
        return str(self.value["metadata"]["namespace"])

    @property
    def labels(self) -> dict[str, str]:
        return self.value["metadata"].get("labels") or {}

    @property
    def annotations(self) -> dict[str, str]:
        return self.value["metadata"].get("annotations") or {}

    @property
    def spec(self) -> Tree:
        return self.value["spec"] or {}

    @property
    def component_name(self) -> str:
        """GetDCDComponentName; conversion never leaves the name empty where v1alpha1 had one."""
        return self.component.name or self.labels.get(COMPONENT_LABEL, "") or self.name

    @property
    def graph_name(self) -> str:
        """The graph by owner, else by label, "" where there is none."""
        return self.owner or self.labels.get(GRAPH_LABEL, "")

    @builder("lower/hub/deployed/dynamo-namespace", source="internal/dynamo/v1beta1_helpers.go GetDCDDynamoNamespace")
    def dynamo_namespace(self, release: Release) -> str:
        """GetDCDDynamoNamespace: the value of v1alpha1, else the label, else that of a graph with this name.

        Up to 1.2, only an owner identifies the graph.
        """
        component = self.component
        if component.dynamo_namespace is not None:
            return component.dynamo_namespace
        graph = self.graph_name if release.has("dynamo-namespace/of-graph-label") else self.owner
        return self.labels.get(NAMESPACE_LABEL, "") or dynamo_namespace(
            component.global_dynamo_namespace, self.namespace, graph or self.name
        )

    @property
    def workload_type(self) -> str:
        """The component type of pods and selectors: `worker` for prefill and decode where the labels say so.

        Such labels are on objects of operators that had no other type (getDCDWorkloadComponentType).
        """
        labels, spec_type = self.labels, self.component.type
        is_labelled = labels.get(TYPE_LABEL) == "worker" and labels.get(SUB_TYPE_LABEL, "") in ("", spec_type)
        is_legacy = is_labelled or self.is_kept_worker
        return "worker" if is_legacy and spec_type in ("prefill", "decode") else spec_type


@builder("lower/hub/deployed/kube-labels", source="internal/dynamo/v1beta1_helpers.go GetDCDKubeLabels")
def kube_labels(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Labels of the objects: of the metadata, under v1alpha1's, under those of the pods; system labels last."""
    component, own = deployed.component, deployed.labels
    labels = {**own, **component.labels, **component.pod_labels}
    labels.update(model_label(component))
    if component.sub_type:
        labels[SUB_TYPE_LABEL] = component.sub_type
    labels[COMPONENT_LABEL] = deployed.component_name
    namespace = deployed.dynamo_namespace(release)
    if namespace:
        labels[NAMESPACE_LABEL] = namespace
    for key in (COMPONENT_LABEL, NAMESPACE_LABEL, GRAPH_LABEL, WORKER_HASH_LABEL, CLASS_LABEL):
        if own.get(key):
            labels[key] = own[key]
    return labels


@builder(
    "lower/hub/deployed/resource-annotations",
    source="internal/dynamo/v1beta1_helpers.go GetDCDPreservedAlphaAnnotations",
)
def resource_annotations(deployed: DeployedComponent) -> dict[str, str]:
    """v1alpha1's annotations of the component, under those of its pods."""
    return {**deployed.component.annotations, **deployed.component.pod_annotations}


@builder("lower/hub/deployed/kube-annotations", source="internal/dynamo/v1beta1_helpers.go GetDCDKubeAnnotations")
def kube_annotations(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Annotations of the objects and of the pods; the operator's internal annotations are not among them."""
    annotations = resource_annotations(deployed)
    model = (deployed.component.model_ref or {}).get("name")
    if model:
        annotations["nvidia.com/dynamo-base-model"] = model
    topology = release["topology/annotations"]
    for key in (_ORIGIN, *topology):
        annotations.pop(key, None)
    for key in topology:
        if deployed.annotations.get(key):
            annotations[key] = deployed.annotations[key]
    return annotations


@builder(
    "lower/hub/deployed/pod-template", source="controller/dynamocomponentdeployment_renderer.go generatePodTemplateSpec"
)
def pod_template(deployed: DeployedComponent, operator: Operator, role: str) -> Tree:
    """The pod template of a DynamoComponentDeployment, with labels and annotations."""
    release = operator.release
    deployed = _of_role(deployed, role)
    labels, annotations = _pod_labels(deployed, release), kube_annotations(deployed, release)
    snapshot = deployed.snapshot
    if snapshot is None and deployed.component.experimental:
        snapshot = component_snapshot(deployed.component, deployed.namespace, operator)
    spec = build_pod(_pod(deployed, operator, role, snapshot))
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = operator.cluster.component_service_account(deployed.namespace) or "default"
    if operator.kubernetes_discovery(annotations):
        labels.update(DISCOVERY_LABELS)
    tell_overwritten_labels(deployed.component, labels, operator)
    mark_pods(labels, annotations, snapshot, operator, deployed.component.path)
    metadata: Tree = {"labels": labels}
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": spec}


def _of_role(deployed: DeployedComponent, role: str) -> DeployedComponent:
    """The component with the pod template of its leader or its workers, if these have their own."""
    if not has_role_templates(deployed.spec):
        return deployed
    value = {**deployed.value, "spec": spec_of_role(deployed.spec, role)}
    other = DeployedComponent(value, for_role(deployed.component, role), owner=deployed.owner)
    other.snapshot, other.is_kept_worker = deployed.snapshot, deployed.is_kept_worker
    return other


def _pod(deployed: DeployedComponent, operator: Operator, role: str, snapshot: Snapshot | None) -> Pod:
    backend = determine_backend(deployed.component, deployed.spec.get("backendFramework", ""))
    component = with_spec(deployed.component, deployed.spec)
    component.type = deployed.workload_type
    component.keeps_launch = deployed.component.keeps_launch
    component.worker_hash = deployed.labels.get(WORKER_HASH_LABEL, "") or component.worker_hash
    return Pod(
        operator,
        component,
        owner=deployed.owner or deployed.name,
        namespace=deployed.namespace,
        service=deployed.component_name,
        role=role,
        nodes=component.nodes,
        backend=backend,
        hosts=lws_hosts(operator.release),
        snapshot=snapshot,
    )


@builder(
    "lower/hub/deployed/pod-labels", source="controller/dynamocomponentdeployment_renderer.go getDCDWorkloadPodLabels"
)
def _pod_labels(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Labels of the pods of a DynamoComponentDeployment."""
    labels = kube_labels(deployed, release)
    labels.update(metrics_label(kube_annotations(deployed, release)))
    graph = deployed.labels.get(GRAPH_LABEL, "") or deployed.owner
    if graph:
        labels[GRAPH_LABEL] = graph
    if deployed.workload_type:
        labels[TYPE_LABEL] = deployed.workload_type
    labels[COMPONENT_LABEL] = deployed.component_name
    namespace = deployed.dynamo_namespace(release)
    if namespace:
        labels[NAMESPACE_LABEL] = namespace
    if deployed.labels.get(WORKER_HASH_LABEL):
        labels[WORKER_HASH_LABEL] = deployed.labels[WORKER_HASH_LABEL]
    labels[SELECTOR_LABEL] = deployed.name
    return labels


_MODES = ("DISABLE", "ISTIO_MUTUAL", "MUTUAL")


@builder("lower/hub/mesh/epp-destination-rule", source="internal/dynamo/graph.go GenerateEPPDestinationRule")
def epp_destination_rule(graph: Graph, operator: Operator) -> list[Tree]:
    """A DestinationRule that prevents the mesh from wrapping the picker's own TLS again."""
    components = graph.of_type("epp")
    if not components or not operator.capabilities.istio:
        return []
    name = kube_resource_name(f"{graph.name}-{components[0].name}")
    return [
        {
            "apiVersion": "networking.istio.io/v1beta1",
            "kind": "DestinationRule",
            "metadata": metadata(name, graph.namespace),
            "spec": {
                "host": f"{name}.{graph.namespace}.svc.cluster.local",
                "trafficPolicy": {"tls": _tls(operator.config.service_mesh.istio)},
            },
        }
    ]


def _tls(mesh: IstioMesh) -> Tree:
    mode = mesh.tls_mode if mesh.tls_mode in _MODES else "SIMPLE"
    tls: Tree = {"insecureSkipVerify": mesh.insecure_skip_verify}
    if mode != "DISABLE":
        # The first value of a protobuf enum is not printed.
        tls["mode"] = mode
    if mode == "MUTUAL":
        files = (
            ("clientCertificate", mesh.client_certificate),
            ("privateKey", mesh.private_key),
            ("caCertificates", mesh.ca_certificates),
        )
        tls.update((name, file) for name, file in files if file)
    return tls


def apply_deployment_config(spec: Tree, component: Component) -> None:
    """Applies the JSON of the variable to the component's spec.

    A frontend's entry, by the component's name or else by `frontend` in any case, gets port 8000. Workers hold where
    the graph names no replicas; resources are both requests and limits of `main`.
    """
    main = main_container(spec)
    variables = (main or {}).get("env") or ()
    variable = next((entry for entry in variables if entry.get("name") == VARIABLE), None)
    if main is None or variable is None:
        return
    path = (*component.main_path, "env")
    config = read_config(variable.get("value", ""), path)
    entry = _entry(config, component)
    if component.type == "frontend":
        if entry is not None:
            entry["port"] = 8000
        variable["value"] = dumps(config, sort_keys=True).decode()
    arguments = json_field(entry, "ServiceArgs")
    workers = json_field(arguments, "workers")
    if spec.get("replicas") is None and workers is not None:
        spec["replicas"] = workers
    resources = json_field(arguments, "resources")
    if resources is not None:
        _apply_resources(main, resources, path)


def _entry(config: Tree, component: Component) -> Tree | None:
    entry: Tree | None = config.get(component.name)
    if entry is not None or component.type != "frontend":
        return entry
    # Of several the operator takes any; the first by name is as good.
    return next((config[name] for name in sorted(config) if name.lower() == "frontend"), None)


def _apply_resources(main: Tree, resources: Tree, path: Path) -> None:
    amounts = {
        "cpu": json_field(resources, "cpu"),
        "memory": json_field(resources, "memory"),
        "nvidia.com/gpu": json_field(resources, "gpu"),
    }
    named = {name: amount for name, amount in amounts.items() if amount}
    named.update(json_field(resources, "custom") or {})
    for name, text in named.items():
        try:
            amount = canonical_as_read(text)
        except ValueError:
            raise Refusal(
                "env/deployment-config",
                f'{VARIABLE} sets {name} to "{text}", which is not a quantity; the operator fails to create '
                "the component.",
                path,
            ) from None
        for part in ("requests", "limits"):
            main.setdefault("resources", {}).setdefault(part, {})[name] = amount

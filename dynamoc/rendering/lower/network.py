"""Services, Ingresses and VirtualServices of a component; ConfigMap, InferencePool and mesh of an endpoint picker."""

from __future__ import annotations

from dynamoc.admission.cluster.config import IstioMesh
from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.documents.source.scalars import resolve
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import (
    COMPONENT_LABEL,
    DISCOVERY_BACKEND_LABEL,
    DISCOVERY_ENABLED_LABEL,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    TYPE_LABEL,
    dynamo_namespace,
    kube_resource_name,
)
from dynamoc.kube.tracing import ALL, EARLY, NOT_EARLY, builder
from dynamoc.kube.yaml import dump_go_yaml
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.rules.draft import config_map_name, pool_name

_HTTP = 8000


@builder("lower/network/component-service", "internal/dynamo/graph.go GenerateComponentService", NOT_EARLY)
def component_service(
    name: str,
    namespace: str,
    *,
    component: str,
    component_type: str,
    dynamo_namespace: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    kubernetes_discovery: bool,
) -> Tree:
    """The Service of a component: http 8000 of a frontend, grpc 9002 of an EPP, system 9090 of all others.

    The selector never holds the worker hash, so that it survives a rollout. Dots in the name become dashes: a Service
    name is a DNS-1035 label.
    """
    if component_type == "frontend":
        port: Tree = {"name": "http", "port": _HTTP, "targetPort": "http", "protocol": "TCP"}
    elif component_type == "epp":
        port = {"name": "grpc", "port": 9002, "targetPort": 9002, "protocol": "TCP", "appProtocol": "http2"}
    else:
        port = {"name": "system", "port": 9090, "targetPort": "system", "protocol": "TCP"}
    labels = dict(labels)
    if kubernetes_discovery:
        labels[DISCOVERY_BACKEND_LABEL] = "kubernetes"
        labels[DISCOVERY_ENABLED_LABEL] = "true"
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name.replace(".", "-"), namespace, labels, dict(annotations)),
        "spec": {
            "selector": {TYPE_LABEL: component_type, NAMESPACE_LABEL: dynamo_namespace, COMPONENT_LABEL: component},
            "ports": [port],
        },
    }


@builder(
    "lower/network/frontend-service",
    "internal/dynamo/graph.go GenerateComponentService; the component controller's generateService",
    (EARLY,),
)
def frontend_service(metadata: Tree, selector: dict[str, str]) -> Tree:
    """The Service of a frontend in 0.6. Its names and selectors depend on who creates it."""
    port = {"name": "http", "port": _HTTP, "targetPort": "http", "protocol": "TCP"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"selector": selector, "ports": [port]},
    }


def default_ingress(graph_name: str, operator: Operator) -> Tree:
    """The ingress that a frontend gets from the operator's configuration (GenerateDefaultIngressSpec)."""
    config = operator.config.ingress
    spec: Tree = {"host": graph_name}
    if config.virtual_service_gateway or config.controller_class_name:
        spec["enabled"] = True
    if config.controller_class_name:
        spec["ingressControllerClassName"] = config.controller_class_name
    if config.controller_tls_secret_name:
        spec["tls"] = {"secretName": config.controller_tls_secret_name}
    if config.host_suffix:
        spec["hostSuffix"] = config.host_suffix
    if config.virtual_service_gateway:
        spec["useVirtualService"] = True
        spec["virtualServiceGateway"] = config.virtual_service_gateway
    return spec


def ingress_objects(name: str, namespace: str, ingress: Tree | None, operator: Operator) -> list[Tree]:
    """An Ingress if a class is set, a VirtualService if a gateway is set and the operator uses Istio."""
    if not ingress or not ingress.get("enabled"):
        return []
    objects = []
    if ingress.get("ingressControllerClassName") is not None:
        objects.append(_ingress(name, namespace, ingress))
    gateway = ingress.get("virtualServiceGateway")
    if operator.config.ingress.virtual_service_gateway and ingress.get("useVirtualService") and gateway is not None:
        objects.append(_virtual_service(name, namespace, ingress))
    return objects


@builder("lower/network/host", "internal/dynamo/graph.go getIngressHost", ALL)
def _host(ingress: Tree) -> str:
    """hostPrefix + host + "." + hostSuffix, `local` without a suffix."""
    suffix = ingress.get("hostSuffix")
    prefix = ingress.get("hostPrefix") or ""
    return f"{prefix}{ingress.get('host', '')}.{'local' if suffix is None else suffix}"


@builder("lower/network/ingress", "internal/dynamo/graph.go GenerateComponentIngress", ALL)
def _ingress(name: str, namespace: str, ingress: Tree) -> Tree:
    """The Ingress of a component."""
    backend = {"service": {"name": name, "port": {"number": _HTTP}}}
    spec: Tree = {
        "ingressClassName": ingress["ingressControllerClassName"],
        "rules": [
            {"host": _host(ingress), "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}
        ],
    }
    tls = ingress.get("tls")
    if tls is not None:
        entry: Tree = {"hosts": [_host(ingress)]}
        if tls.get("secretName"):
            entry["secretName"] = tls["secretName"]
        spec["tls"] = [entry]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": metadata(name, namespace),
        "spec": spec,
    }


@builder("lower/network/virtual-service", "internal/dynamo/graph.go GenerateComponentVirtualService", ALL)
def _virtual_service(name: str, namespace: str, ingress: Tree) -> Tree:
    """The VirtualService of a component, for Istio."""
    route = {"destination": {"host": name, "port": {"number": _HTTP}}}
    return {
        "apiVersion": "networking.istio.io/v1beta1",
        "kind": "VirtualService",
        "metadata": metadata(name, namespace),
        "spec": {
            "hosts": [_host(ingress)],
            "gateways": [ingress["virtualServiceGateway"]],
            "http": [{"match": [{"uri": {"prefix": "/"}}], "route": [route]}],
        },
    }


def grove_network(
    graph: Graph,
    component: Component,
    operator: Operator,
    *,
    name: str,
    labels: dict[str, str],
    annotations: dict[str, str],
) -> list[Tree]:
    """What leads to the pods of a component under Grove: a Service where pods find each other through Kubernetes.

    A frontend has one in any case, and the ingress of its own or of the operator's configuration.
    Source: internal/dynamo/graph.go; controller/dgd_grove_stable_resources_reconciler.go.
    """
    is_frontend = component.type == "frontend"
    discovery = operator.kubernetes_discovery(graph.annotations)
    objects = []
    if discovery or is_frontend:
        objects.append(
            component_service(
                name,
                graph.namespace,
                component=component.name,
                component_type=component.type,
                dynamo_namespace=dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
                labels=labels,
                annotations=annotations,
                kubernetes_discovery=discovery,
            )
        )
    if is_frontend:
        ingress = component.ingress if component.ingress is not None else default_ingress(graph.name, operator)
        objects += ingress_objects(name, graph.namespace, ingress, operator)
    return objects


@builder("lower/epp/epp-objects", "controller reconcileEPPResources, epp/inference_pool.go", NOT_EARLY)
def epp_objects(graph: Graph, operator: Operator) -> list[Tree]:
    """The objects beside an endpoint picker: its ConfigMap and the InferencePool of the graph."""
    components = graph.of_type("epp")
    if not components:
        return []
    component = components[0]
    labels = {GRAPH_LABEL: graph.name, COMPONENT_LABEL: component.name, TYPE_LABEL: "epp"}
    pool_labels = {
        operator.release["epp/pool-selects-by"]: "worker",
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    picker = {
        "kind": "Service",
        "name": f"{graph.name}-{component.name.lower()}",
        "port": {"number": operator.release["epp/grpc-port"]},
    }
    pool = {
        "apiVersion": f"{operator.release['epp/pool-group']}/v1",
        "kind": "InferencePool",
        "metadata": metadata(pool_name(graph.name), graph.namespace, dict(labels)),
        "spec": {
            "targetPorts": [{"number": 8000}],
            "selector": {"matchLabels": pool_labels},
            "endpointPickerRef": picker,
        },
    }
    return [*_config_map(graph, component, labels, operator), pool]


@builder("lower/epp/config-map", "epp/config.go GenerateConfigMap", NOT_EARLY)
def _config_map(graph: Graph, component: Component, labels: dict[str, str], operator: Operator) -> list[Tree]:
    """The ConfigMap of an endpoint picker, with its configuration as YAML."""
    if component.epp_config is None and operator.release.has("epp/native"):
        return []
    config = component.epp_config or {}
    if config.get("configMapRef") is not None:
        return []
    if config.get("config") is None:
        raise Refusal(
            "epp/no-config",
            "An EPP needs its configuration; the operator fails to reconcile the graph.",
            (*component.path, "eppConfig"),
            "Set eppConfig.config, or eppConfig.configMapRef to your own ConfigMap.",
        )

    # The operator stamps the component itself, so that its DynamoComponentDeployment shows the stamp as well.
    picker = config["config"]
    picker.update(apiVersion=operator.release["epp/config-api-version"], kind="EndpointPickerConfig")
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata(config_map_name(graph.name), graph.namespace, labels),
            "data": {
                operator.release["epp/config-key"]: dump_go_yaml(picker, lambda text: isinstance(resolve(text), str))
            },
        }
    ]


_MODES = ("DISABLE", "ISTIO_MUTUAL", "MUTUAL")


@builder("lower/hub/mesh/epp-destination-rule", "internal/dynamo/graph.go GenerateEPPDestinationRule")
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

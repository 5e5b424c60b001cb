"""The objects that objects other than pods name.

Source: k8s.io/api; Grove's, Volcano's, Istio's and the Gateway API's types.
"""

from __future__ import annotations

from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.requires.pod_references import claim_references
from dynamoc.requires.reference import (
    DEVICE_CLASS,
    GATEWAY_GROUP,
    GRAPH,
    INGRESS_CLASS,
    ISTIO_GATEWAY,
    PRIORITY_CLASS,
    ROLE_GROUP,
    SECRET,
    SERVICE,
    SERVICE_ACCOUNT,
    TOPOLOGY,
    VOLCANO_QUEUE,
    Reference,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_VOLCANO_QUEUE = "scheduling.grove.io/volcano-queue"


def object_references(value: Tree) -> Iterator[Reference]:
    """What an object names beside its pods, empty names left out."""
    group = text(value.get("apiVersion")).rpartition("/")[0]
    find = _KINDS.get((group, text(value.get("kind"))))
    for reference in find(value) if find else ():
        if reference.name:
            yield reference


def _pod_clique_set(value: Tree) -> Iterator[Reference]:
    queue = text(mapping(value, "metadata", "annotations").get(_VOLCANO_QUEUE))
    yield Reference(VOLCANO_QUEUE, queue, ("metadata", "annotations", _VOLCANO_QUEUE), namespace="")
    template, path = mapping(value, "spec", "template"), ("spec", "template")
    yield Reference(PRIORITY_CLASS, text(template.get("priorityClassName")), (*path, "priorityClassName"), namespace="")
    holders: list[tuple[Path, Tree]] = [(path, template), *entries(template, "cliques", path)]
    for at, holder in (*holders, *entries(template, "podCliqueScalingGroups", path)):
        name = mapping(holder, "topologyConstraint").get("topologyName")
        yield Reference(TOPOLOGY, text(name), (*at, "topologyConstraint", "topologyName"), namespace="")
    for at, claim in entries(template, "resourceClaimTemplates", path):
        yield from _devices(mapping(claim, "templateSpec", "spec"), (*at, "templateSpec", "spec"))


def _claim_template(value: Tree) -> Iterator[Reference]:
    return _devices(mapping(value, "spec", "spec"), ("spec", "spec"))


def _resource_claim(value: Tree) -> Iterator[Reference]:
    return _devices(mapping(value, "spec"), ("spec",))


def _devices(spec: Tree, path: Path) -> Iterator[Reference]:
    for at, request in entries(mapping(spec, "devices"), "requests", (*path, "devices")):
        options = [(at, request), *entries(request, "firstAvailable", at)]
        if mapping(request, "exactly"):
            options.append(((*at, "exactly"), request["exactly"]))
        for where, option in options:
            name = text(option.get("deviceClassName"))
            yield Reference(DEVICE_CLASS, name, (*where, "deviceClassName"), namespace="")


def _claim(value: Tree) -> Iterator[Reference]:
    return claim_references(value, ())


def _stateful_set(value: Tree) -> Iterator[Reference]:
    """The claims of its templates are made by Kubernetes."""
    spec = mapping(value, "spec")
    yield Reference(SERVICE, text(spec.get("serviceName")), ("spec", "serviceName"))
    for at, claim in entries(spec, "volumeClaimTemplates", ("spec",)):
        yield from claim_references(claim, at)


def _service_account(value: Tree) -> Iterator[Reference]:
    for field in ("secrets", "imagePullSecrets"):
        for at, secret in entries(value, field):
            yield Reference(SECRET, text(secret.get("name")), (*at, "name"))


def _role_binding(value: Tree) -> Iterator[Reference]:
    role = mapping(value, "roleRef")
    kind = text(role.get("kind"))
    namespace = "" if kind.startswith("Cluster") else None
    yield Reference((ROLE_GROUP, kind), text(role.get("name")), ("roleRef", "name"), namespace=namespace)
    for at, subject in entries(value, "subjects"):
        if subject.get("kind") == "ServiceAccount":
            where = text(subject.get("namespace")) or None
            yield Reference(SERVICE_ACCOUNT, text(subject.get("name")), (*at, "name"), namespace=where)


def _ingress(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    yield Reference(INGRESS_CLASS, text(spec.get("ingressClassName")), ("spec", "ingressClassName"), namespace="")
    for at, tls in entries(spec, "tls", ("spec",)):
        yield Reference(SECRET, text(tls.get("secretName")), (*at, "secretName"))
    backends: list[tuple[Path, Tree]] = [(("spec", "defaultBackend"), mapping(spec, "defaultBackend"))]
    for rule_at, rule in entries(spec, "rules", ("spec",)):
        for at, path in entries(mapping(rule, "http"), "paths", (*rule_at, "http")):
            backends.append(((*at, "backend"), mapping(path, "backend")))
    for at, backend in backends:
        yield Reference(SERVICE, text(mapping(backend, "service").get("name")), (*at, "service", "name"))


def _pod_group(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    yield Reference(VOLCANO_QUEUE, text(spec.get("queue")), ("spec", "queue"), namespace="")
    name = text(spec.get("priorityClassName"))
    yield Reference(PRIORITY_CLASS, name, ("spec", "priorityClassName"), namespace="")


def _virtual_service(value: Tree) -> Iterator[Reference]:
    """Gateways are `name` or `namespace/name`; `mesh` is the mesh itself."""
    spec = mapping(value, "spec")
    gateways = spec.get("gateways")
    for index, gateway in enumerate(gateways if isinstance(gateways, list) else ()):
        namespace, slash, name = text(gateway).rpartition("/")
        if gateway != "mesh":
            of_other = namespace if slash else None
            yield Reference(ISTIO_GATEWAY, name, ("spec", "gateways", index), namespace=of_other)
    for kind in ("http", "tls", "tcp"):
        for at, rule in entries(spec, kind, ("spec",)):
            for where, route in entries(rule, "route", at):
                yield from _host(mapping(route, "destination").get("host"), (*where, "destination", "host"))


def _destination_rule(value: Tree) -> Iterator[Reference]:
    return _host(mapping(value, "spec").get("host"), ("spec", "host"))


def _host(host: Any, path: Path) -> Iterator[Reference]:
    """The Service that a host of Istio's is; others lie outside of the cluster, or match several."""
    service = service_of(text(host))
    if service is not None:
        yield Reference(SERVICE, service[1], path, namespace=service[0])


def service_of(host: str) -> tuple[str | None, str] | None:
    """Namespace (None for the own one) and name of the Service that a host name means, None for other hosts."""
    parts = host.rstrip(".").split(".")
    if not all(parts) or "*" in host:
        return None
    if len(parts) == 1:
        return None, parts[0]
    if len(parts) > 2 and parts[2] == "svc":
        return parts[1], parts[0]
    return None


def _pool(value: Tree) -> Iterator[Reference]:
    for field in ("endpointPickerRef", "extensionRef"):
        picker = mapping(value, "spec", field)
        kind = (text(picker.get("group")), text(picker.get("kind")) or "Service")
        yield Reference(kind, text(picker.get("name")), ("spec", field, "name"))


def _route(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    yield from _parents(spec, "parentRefs", (GATEWAY_GROUP, "Gateway"), ("spec",))
    for at, rule in entries(spec, "rules", ("spec",)):
        yield from _parents(rule, "backendRefs", SERVICE, at)


def _parents(value: Tree, field: str, default: tuple[str, str], path: Path) -> Iterator[Reference]:
    for at, parent in entries(value, field, path):
        group = parent.get("group")
        kind = (default[0] if group is None else text(group), text(parent.get("kind")) or default[1])
        namespace = text(parent.get("namespace")) or None
        yield Reference(kind, text(parent.get("name")), (*at, "name"), namespace=namespace)


def _gateway(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    name = text(spec.get("gatewayClassName"))
    yield Reference((GATEWAY_GROUP, "GatewayClass"), name, ("spec", "gatewayClassName"), namespace="")
    for at, listener in entries(spec, "listeners", ("spec",)):
        yield from _parents(mapping(listener, "tls"), "certificateRefs", SECRET, (*at, "tls"))


def _autoscaler(value: Tree) -> Iterator[Reference]:
    target = mapping(value, "spec", "scaleTargetRef")
    group = text(target.get("apiVersion")).rpartition("/")[0]
    yield Reference((group, text(target.get("kind"))), text(target.get("name")), ("spec", "scaleTargetRef", "name"))


def _scaling_adapter(value: Tree) -> Iterator[Reference]:
    yield Reference(GRAPH, text(mapping(value, "spec", "dgdRef").get("name")), ("spec", "dgdRef", "name"))


_KINDS = {
    ("", "PersistentVolumeClaim"): _claim,
    ("", "ServiceAccount"): _service_account,
    ("apps", "StatefulSet"): _stateful_set,
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    (GATEWAY_GROUP, "Gateway"): _gateway,
    (GATEWAY_GROUP, "GRPCRoute"): _route,
    (GATEWAY_GROUP, "HTTPRoute"): _route,
    ("grove.io", "PodCliqueSet"): _pod_clique_set,
    ("grove.io", "PodGangSet"): _pod_clique_set,
    ("inference.networking.k8s.io", "InferencePool"): _pool,
    ("inference.networking.x-k8s.io", "InferencePool"): _pool,
    ("networking.istio.io", "DestinationRule"): _destination_rule,
    ("networking.istio.io", "VirtualService"): _virtual_service,
    ("networking.k8s.io", "Ingress"): _ingress,
    ("nvidia.com", "DynamoGraphDeploymentScalingAdapter"): _scaling_adapter,
    (ROLE_GROUP, "ClusterRoleBinding"): _role_binding,
    (ROLE_GROUP, "RoleBinding"): _role_binding,
    ("resource.k8s.io", "ResourceClaim"): _resource_claim,
    ("resource.k8s.io", "ResourceClaimTemplate"): _claim_template,
    ("scheduling.volcano.sh", "PodGroup"): _pod_group,
}

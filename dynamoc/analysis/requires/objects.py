"""What objects other than pods name: objects, sources of DynamoModels, and hosts in environments.

Source: k8s.io/api; Grove's, Volcano's, Istio's and the Gateway API's types; internal/modelendpoint/lora.go loadLoRA,
internal/webhook/validation/dynamomodel.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.admission.cluster.helm_values import HELM_NAMESPACE, HELM_RELEASE
from dynamoc.analysis.requires import needs
from dynamoc.analysis.requires.needs import Address, Named, Need, Reference
from dynamoc.analysis.requires.pods import claim_references, variables
from dynamoc.analysis.requires.providers import Known
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text

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
    yield Reference(needs.VOLCANO_QUEUE, queue, ("metadata", "annotations", _VOLCANO_QUEUE), namespace="")
    template, path = mapping(value, "spec", "template"), ("spec", "template")
    yield Reference(
        needs.PRIORITY_CLASS, text(template.get("priorityClassName")), (*path, "priorityClassName"), namespace=""
    )
    holders: list[tuple[Path, Tree]] = [(path, template), *entries(template, "cliques", path)]
    for at, holder in (*holders, *entries(template, "podCliqueScalingGroups", path)):
        name = mapping(holder, "topologyConstraint").get("topologyName")
        yield Reference(needs.TOPOLOGY, text(name), (*at, "topologyConstraint", "topologyName"), namespace="")
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
            yield Reference(needs.DEVICE_CLASS, name, (*where, "deviceClassName"), namespace="")


def _claim(value: Tree) -> Iterator[Reference]:
    return claim_references(value, ())


def _stateful_set(value: Tree) -> Iterator[Reference]:
    """The claims of its templates are made by Kubernetes."""
    spec = mapping(value, "spec")
    yield Reference(needs.SERVICE, text(spec.get("serviceName")), ("spec", "serviceName"))
    for at, claim in entries(spec, "volumeClaimTemplates", ("spec",)):
        yield from claim_references(claim, at)


def _service_account(value: Tree) -> Iterator[Reference]:
    for field in ("secrets", "imagePullSecrets"):
        for at, secret in entries(value, field):
            yield Reference(needs.SECRET, text(secret.get("name")), (*at, "name"))


def _role_binding(value: Tree) -> Iterator[Reference]:
    role = mapping(value, "roleRef")
    kind = text(role.get("kind"))
    namespace = "" if kind.startswith("Cluster") else None
    yield Reference((needs.ROLE_GROUP, kind), text(role.get("name")), ("roleRef", "name"), namespace=namespace)
    for at, subject in entries(value, "subjects"):
        if subject.get("kind") == "ServiceAccount":
            where = text(subject.get("namespace")) or None
            yield Reference(needs.SERVICE_ACCOUNT, text(subject.get("name")), (*at, "name"), namespace=where)


def _ingress(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    yield Reference(needs.INGRESS_CLASS, text(spec.get("ingressClassName")), ("spec", "ingressClassName"), namespace="")
    for at, tls in entries(spec, "tls", ("spec",)):
        yield Reference(needs.SECRET, text(tls.get("secretName")), (*at, "secretName"))
    backends: list[tuple[Path, Tree]] = [(("spec", "defaultBackend"), mapping(spec, "defaultBackend"))]
    for rule_at, rule in entries(spec, "rules", ("spec",)):
        for at, path in entries(mapping(rule, "http"), "paths", (*rule_at, "http")):
            backends.append(((*at, "backend"), mapping(path, "backend")))
    for at, backend in backends:
        yield Reference(needs.SERVICE, text(mapping(backend, "service").get("name")), (*at, "service", "name"))


def _pod_group(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    yield Reference(needs.VOLCANO_QUEUE, text(spec.get("queue")), ("spec", "queue"), namespace="")
    name = text(spec.get("priorityClassName"))
    yield Reference(needs.PRIORITY_CLASS, name, ("spec", "priorityClassName"), namespace="")


def _virtual_service(value: Tree) -> Iterator[Reference]:
    """Gateways are `name` or `namespace/name`; `mesh` is the mesh itself."""
    spec = mapping(value, "spec")
    gateways = spec.get("gateways")
    for index, gateway in enumerate(gateways if isinstance(gateways, list) else ()):
        namespace, slash, name = text(gateway).rpartition("/")
        if gateway != "mesh":
            of_other = namespace if slash else None
            yield Reference(needs.ISTIO_GATEWAY, name, ("spec", "gateways", index), namespace=of_other)
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
        yield Reference(needs.SERVICE, service[1], path, namespace=service[0])


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
    yield from _parents(spec, "parentRefs", (needs.GATEWAY_GROUP, "Gateway"), ("spec",))
    for at, rule in entries(spec, "rules", ("spec",)):
        yield from _parents(rule, "backendRefs", needs.SERVICE, at)


def _parents(value: Tree, field: str, default: tuple[str, str], path: Path) -> Iterator[Reference]:
    for at, parent in entries(value, field, path):
        group = parent.get("group")
        kind = (default[0] if group is None else text(group), text(parent.get("kind")) or default[1])
        namespace = text(parent.get("namespace")) or None
        yield Reference(kind, text(parent.get("name")), (*at, "name"), namespace=namespace)


def _gateway(value: Tree) -> Iterator[Reference]:
    spec = mapping(value, "spec")
    name = text(spec.get("gatewayClassName"))
    yield Reference((needs.GATEWAY_GROUP, "GatewayClass"), name, ("spec", "gatewayClassName"), namespace="")
    for at, listener in entries(spec, "listeners", ("spec",)):
        yield from _parents(mapping(listener, "tls"), "certificateRefs", needs.SECRET, (*at, "tls"))


def _autoscaler(value: Tree) -> Iterator[Reference]:
    target = mapping(value, "spec", "scaleTargetRef")
    group = text(target.get("apiVersion")).rpartition("/")[0]
    yield Reference((group, text(target.get("kind"))), text(target.get("name")), ("spec", "scaleTargetRef", "name"))


def _scaling_adapter(value: Tree) -> Iterator[Reference]:
    yield Reference(needs.GRAPH, text(mapping(value, "spec", "dgdRef").get("name")), ("spec", "dgdRef", "name"))


_KINDS = {
    ("", "PersistentVolumeClaim"): _claim,
    ("", "ServiceAccount"): _service_account,
    ("apps", "StatefulSet"): _stateful_set,
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    (needs.GATEWAY_GROUP, "Gateway"): _gateway,
    (needs.GATEWAY_GROUP, "GRPCRoute"): _route,
    (needs.GATEWAY_GROUP, "HTTPRoute"): _route,
    ("grove.io", "PodCliqueSet"): _pod_clique_set,
    ("grove.io", "PodGangSet"): _pod_clique_set,
    ("inference.networking.k8s.io", "InferencePool"): _pool,
    ("inference.networking.x-k8s.io", "InferencePool"): _pool,
    ("networking.istio.io", "DestinationRule"): _destination_rule,
    ("networking.istio.io", "VirtualService"): _virtual_service,
    ("networking.k8s.io", "Ingress"): _ingress,
    ("nvidia.com", "DynamoGraphDeploymentScalingAdapter"): _scaling_adapter,
    (needs.ROLE_GROUP, "ClusterRoleBinding"): _role_binding,
    (needs.ROLE_GROUP, "RoleBinding"): _role_binding,
    ("resource.k8s.io", "ResourceClaim"): _resource_claim,
    ("resource.k8s.io", "ResourceClaimTemplate"): _claim_template,
    ("scheduling.volcano.sh", "PodGroup"): _pod_group,
}

_NOTES = {
    "s3": "the workers read this bucket, with credentials of their own",
    "hf": "the workers download this repository of Hugging Face, with a token of their own",
    "file": "a path inside the containers of the workers",
}


def model_sources(objects: list[Tree]) -> list[Named]:
    """The sources of the DynamoModels among `objects`, in order of their addresses."""
    named: dict[str, Named] = {}
    for value in objects:
        uri = text(mapping(value, "spec", "source").get("uri"))
        if value.get("kind") == "DynamoModel" and uri:
            item = named.setdefault(_shown(uri), Named("source", _shown(uri)))
            item.note = _NOTES.get(uri.partition("://")[0])
            item.needs.append(Need(value, ("spec", "source", "uri")))
    return [named[key] for key in sorted(named)]


def _shown(uri: str) -> str:
    """The address without the credentials and the query that it may hold."""
    scheme, found, rest = uri.partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{found}{host.rpartition('@')[2]}{slash}{path}"


#: variables that the operator sets from its configuration (internal/dynamo/graph.go addStandardEnvVars)
VARIABLES = ("NATS_SERVER", "ETCD_ENDPOINTS", "MODEL_EXPRESS_URL", "PROMETHEUS_ENDPOINT")

#: Services of the charts that the platform chart can install with its values for NATS and etcd
_OF_CHART = tuple((HELM_NAMESPACE, f"{HELM_RELEASE}-{name}") for name in ("nats", "etcd"))


def address_needs(objects: list[Tree], known: Known, *, installed: bool) -> list[Address]:
    """Addresses in the order of `VARIABLES`, then those of other Services by variable; one for each value."""
    found: dict[tuple[str, str, str], Address] = {}
    namespaces = {text(mapping(value, "metadata").get("namespace")) for value in objects}
    for value in objects:
        own = text(mapping(value, "metadata").get("namespace"))
        for name, address, path in variables(value):
            if name in VARIABLES or _is_in_cluster(address):
                service = _service(address, own, namespaces)
                key = (name, address, own if service else "")
                if key not in found:
                    found[key] = Address(name, address, service)
                found[key].needs.append(Need(value, path))
    for item in found.values():
        if item.service is not None:
            item.by, item.source = known.bring(("", "Service", *item.service))
            if item.by is None and installed and item.service in _OF_CHART:
                item.by = needs.CHART
    return [found[key] for key in sorted(found, key=_order)]


def _order(key: tuple[str, str, str]) -> tuple[int, tuple[str, str, str]]:
    return (VARIABLES.index(key[0]) if key[0] in VARIABLES else len(VARIABLES)), key


def host_of(address: str) -> str:
    """`nats` of `nats://user@nats:4222/x, nats://other`: the first host."""
    address = address.split(",")[0].strip()
    address = address.partition("://")[2] if "://" in address else address
    for end in ("/", "?", "#"):
        address = address.partition(end)[0]
    address = address.rpartition("@")[2]
    return "" if address.startswith("[") else address.partition(":")[0]


def _is_in_cluster(address: str) -> bool:
    """Whether an address names a Service in full, which no host outside of a cluster does."""
    host = host_of(address)
    labels = host.split(".")
    return len(labels) > 2 and labels[2] == "svc" and all(label.replace("-", "").isalnum() for label in labels)


def _service(address: str, namespace: str, namespaces: set[str]) -> tuple[str, str] | None:
    """Namespace and name of the Service that an address leads to, None where it may lie outside of the cluster.

    `name.namespace` looks like a domain of the internet, unless the second part can be no top-level domain or is a
    namespace of the objects.
    """
    host = host_of(address)
    if not host or host == "localhost" or host.replace(".", "").isdigit() or "$" in host:
        return None
    labels = host.split(".")
    if len(labels) == 2 and ("-" in labels[1] or labels[1] in namespaces):
        return labels[1], labels[0]
    service = service_of(host)
    return (service[0] or namespace, service[1]) if service else None

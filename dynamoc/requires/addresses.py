"""Hosts that pods are told in their environment: of NATS, etcd, Model Express, Prometheus, and other Services."""

from __future__ import annotations

from dynamoc.cluster.chart import HELM_NAMESPACE, HELM_RELEASE
from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.requires.needs import CHART, Address, Need
from dynamoc.requires.object_references import service_of
from dynamoc.requires.pod_references import CONTAINER_LISTS
from dynamoc.requires.pod_specs import pod_specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.requires.providers import Known

    Tree = dict[str, Any]

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
                item.by = CHART
    return [found[key] for key in sorted(found, key=_order)]


def variables(value: Tree) -> Iterator[tuple[str, str, Path]]:
    """Name, value and place of the variables with a value in an object's containers."""
    for pod in pod_specs(value):
        for field in CONTAINER_LISTS:
            for at, container in entries(pod.spec, field, pod.path):
                for where, variable in entries(container, "env", at):
                    if text(variable.get("value")):
                        yield text(variable.get("name")), variable["value"], (*where, "value")


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

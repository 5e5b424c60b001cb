"""Generated Services and what is in front of them; what minors of Kubernetes judge differently.

Source: the default of each feature gate in k8s.io/kubernetes/pkg/features/kube_features.go of 1.34, which names the
minor of every change. A cluster may set gates otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Any

from dynamoc.documents.apiserver.containers import port_name_message
from dynamoc.documents.apiserver.fields import Table, check_labels, check_table, fits, one_of, places, required
from dynamoc.documents.findings.finding import ERROR, WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import (
    is_dns_label,
    is_dns_service_name,
    is_dns_subdomain,
    is_env_var_name,
    is_label_key,
    is_port_name,
)
from dynamoc.reference.slugs import ErrorSlug, Severity


def check_service(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidateService"""
    spec = value.get("spec") or {}
    check_labels(spec.get("selector"), ("spec", "selector"), problems)
    ports = spec.get("ports") or []
    if not ports and spec.get("clusterIP") != "None" and spec.get("type") != "ExternalName":
        problems.append(Problem("admission/service-ports", ("spec", "ports"), "A Service needs a port."))
    names: set[str] = set()
    numbers: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        path = ("spec", "ports", index)
        name, number = port.get("name") or "", port.get("port") or 0
        if (not name and len(ports) > 1) or (name and not is_dns_label(name)) or name in names:
            message = (
                f"Each port of a Service needs a unique name of lower-case letters, digits and `-`, unlike {name!r}."
            )
            problems.append(Problem("admission/port-name", path, message))
        names.add(name)
        key = (port.get("protocol") or "TCP", number)
        if not 0 < number < 65536 or key in numbers:
            message = f"`port: {number}` is in use already." if key in numbers else f"`port: {number}` does not exist."
            problems.append(Problem("admission/port-number", path, message))
        numbers.add(key)
        _check_target_port(port.get("targetPort"), (*path, "targetPort"), problems)
    check_table(value, _SERVICE, problems)
    _check_kind_of_service(spec, problems)


def _check_kind_of_service(spec: Tree, problems: list[Problem]) -> None:
    """Fields that go with some types of Services only."""
    kind, address = spec.get("type") or "ClusterIP", spec.get("clusterIP") or ""
    path: Path = ("spec",)
    if address not in ("", "None") and not _is_address(address):
        problems.append(Problem("admission/service-address", (*path, "clusterIP"), f"`{address}` is no IP address."))
    if address == "None" and kind in ("NodePort", "LoadBalancer"):
        message = f"A Service of the type {kind} has a cluster IP."
        problems.append(Problem("admission/service-address", (*path, "clusterIP"), message))
    if kind == "ExternalName" and not is_dns_subdomain((spec.get("externalName") or "").removesuffix(".")):
        message = "A Service of the type ExternalName needs `externalName`, a DNS subdomain."
        problems.append(Problem("admission/service-type", (*path, "externalName"), message))
    if kind == "ClusterIP":
        problems += [
            Problem(
                "admission/service-type", (*path, "ports", index, "nodePort"), "`type: ClusterIP` has no `nodePort`."
            )
            for index, port in enumerate(spec.get("ports") or ())
            if port.get("nodePort")
        ]
        if spec.get("externalTrafficPolicy") and not spec.get("externalIPs"):
            message = "`externalTrafficPolicy` needs the type NodePort or LoadBalancer."
            problems.append(Problem("admission/service-type", (*path, "externalTrafficPolicy"), message))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


_SERVICE: Table = (
    ("admission/service-type", "spec.type", one_of("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
    ("admission/service-type", "spec.sessionAffinity", one_of("ClientIP", "None")),
    ("admission/service-type", "spec.externalTrafficPolicy", one_of("Cluster", "Local")),
    ("admission/service-type", "spec.internalTrafficPolicy", one_of("Cluster", "Local")),
    ("admission/service-type", "spec.trafficDistribution", one_of("PreferClose", "PreferSameNode", "PreferSameZone")),
    ("admission/service-type", "spec.ipFamilies[]", one_of("IPv4", "IPv6")),
    ("admission/service-address", "spec.externalIPs[]", fits(_is_address, "an IP address")),
    ("admission/port-protocol", "spec.ports[].protocol", one_of("TCP", "UDP", "SCTP")),
    ("admission/port-protocol", "spec.ports[].appProtocol", fits(is_label_key, "a name, maybe behind a domain")),
)


def _check_target_port(target: int | str | None, path: Path, problems: list[Problem]) -> None:
    if isinstance(target, int) and target != 0 and not 0 < target < 65536:
        problems.append(Problem("admission/port-number", path, f"`targetPort: {target}` does not exist."))
    elif isinstance(target, str) and target and not is_port_name(target):
        problems.append(Problem("admission/port-name", path, port_name_message(target)))


def check_ingress(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/networking/validation ValidateIngressSpec"""
    spec = value.get("spec") or {}
    name = spec.get("ingressClassName")
    if name and not is_dns_subdomain(name):
        message = f"`ingressClassName: {name}` must be a DNS subdomain."
        problems.append(Problem("admission/ingress-class", ("spec", "ingressClassName"), message))
    if not spec.get("rules") and not spec.get("defaultBackend"):
        message = "An Ingress needs rules or a default backend."
        problems.append(Problem("admission/ingress-rules", ("spec",), message))
    for index, rule in enumerate(spec.get("rules") or ()):
        path = ("spec", "rules", index)
        _check_host(rule.get("host"), (*path, "host"), problems)
        for number, entry in enumerate((rule.get("http") or {}).get("paths") or ()):
            _check_path(entry, (*path, "http", "paths", number), problems)
            service = (entry.get("backend") or {}).get("service") or {}
            if service and not is_dns_service_name(service.get("name") or ""):
                message = f"The backend `{service.get('name', '')}` cannot be the name of a Service."
                problems.append(Problem("admission/ingress-backend", (*path, "http", "paths", number), message))
    check_table(value, _INGRESS, problems)
    for index, tls in enumerate(spec.get("tls") or ()):
        for number, host in enumerate(tls.get("hosts") or ()):
            _check_host(host, ("spec", "tls", index, "hosts", number), problems)


def _check_path(entry: Tree, path: Path, problems: list[Problem]) -> None:
    text, kind, backend = entry.get("path") or "", entry.get("pathType"), entry.get("backend") or {}
    if kind in ("Prefix", "Exact") and (not text.startswith("/") or any(part in text for part in _NO_PARTS)):
        message = f"`path: {text}` must start with `/` and be without `//`, `/./` and `/../`."
        problems.append(Problem("admission/ingress-path", (*path, "path"), message))
    if bool(backend.get("service")) == bool(backend.get("resource")):
        message = "A backend is a Service or a resource."
        problems.append(Problem("admission/ingress-backend", (*path, "backend"), message))
    if not backend.get("service"):
        return
    port = backend["service"].get("port") or {}
    name, number = port.get("name") or "", port.get("number") or 0
    if bool(name) == bool(number) or not 0 <= number < 65536 or (name and not is_port_name(name)):
        message = "The port of a backend has a name or a number from 1 to 65535."
        problems.append(Problem("admission/ingress-backend", (*path, "backend", "service", "port"), message))


_NO_PARTS = ("//", "/./", "/../", "%2f", "%2F")
_PATHS = ("Exact", "Prefix", "ImplementationSpecific")
_INGRESS: Table = (
    ("admission/ingress-path", "spec.rules[].http.paths", required),
    ("admission/ingress-path", "spec.rules[].http.paths[].pathType", required),
    ("admission/ingress-path", "spec.rules[].http.paths[].pathType", one_of(*_PATHS)),
    ("admission/ingress-tls", "spec.tls[].secretName", fits(is_dns_subdomain, "a DNS subdomain")),
)


def _check_host(host: str | None, path: Path, problems: list[Problem]) -> None:
    """A DNS subdomain, or one behind `*.`; an IP address is no host."""
    if not host:
        return
    name = host.removeprefix("*.")
    if not is_dns_subdomain(name) or all(part.isdigit() for part in name.split(".")):
        message = f"The host `{host}` must be a DNS subdomain: lower-case letters, digits, `-` and `.`."
        problems.append(Problem("admission/ingress-host-name", path, message))


def check_inference_pool(value: Tree, problems: list[Problem]) -> None:
    """Labels in the selector have the format of labels (the CRD's schema)."""
    selector = (value.get("spec") or {}).get("selector") or {}
    check_labels(selector.get("matchLabels"), ("spec", "selector", "matchLabels"), problems)


OLDEST, NEWEST = 30, 34

#: Fields of pods that the API server drops without a word before a minor.
DROPPED = (
    ("hostUsers", 33),  # UserNamespacesSupport
    ("resources", 34),  # PodLevelResources
    ("resourceClaims", 34),  # DynamicResourceAllocation
    ("containers[].resources.claims", 34),
    ("initContainers[].resources.claims", 34),
    ("securityContext.supplementalGroupsPolicy", 33),  # SupplementalGroupsPolicy
    ("securityContext.seLinuxChangePolicy", 33),  # SELinuxChangePolicy
    ("containers[].securityContext.procMount", 33),  # ProcMountType
    ("initContainers[].securityContext.procMount", 33),
    ("containers[].volumeMounts[].recursiveReadOnly", 31),  # RecursiveReadOnlyMounts
    ("initContainers[].volumeMounts[].recursiveReadOnly", 31),
)


def _is_plain_env_name(name: str) -> bool:
    return is_env_var_name(name, relaxed=False)


def _is_plain_domain(domain: str) -> bool:
    return is_dns_subdomain(domain.removesuffix("."))


def _is_a_second(seconds: int) -> bool:
    return seconds > 0


_ENV = "letters, digits, `-`, `_` and `.`, the first no digit"
#: Formats that are wider since a minor: slug, field, the minor, the format before it, and how that reads.
NARROWER: tuple[tuple[ErrorSlug, str, int, Callable[[Any], bool], str], ...] = (
    # RelaxedEnvironmentVariableValidation
    ("admission/env-name", "containers[].env[].name", 32, _is_plain_env_name, _ENV),
    ("admission/env-name", "initContainers[].env[].name", 32, _is_plain_env_name, _ENV),
    ("admission/env-name", "containers[].envFrom[].prefix", 32, _is_plain_env_name, _ENV),
    ("admission/env-name", "initContainers[].envFrom[].prefix", 32, _is_plain_env_name, _ENV),
    # RelaxedDNSSearchValidation
    ("admission/dns-config", "dnsConfig.searches[]", 33, _is_plain_domain, "a DNS subdomain"),
    # PodLifecycleSleepActionAllowZero
    ("admission/lifecycle-sleep", "containers[].lifecycle.preStop.sleep.seconds", 33, _is_a_second, "at least 1"),
    ("admission/lifecycle-sleep", "containers[].lifecycle.postStart.sleep.seconds", 33, _is_a_second, "at least 1"),
)


def minor_of(version: str) -> int | None:
    """34 for `1.34`, `v1.34.2`, `1.34+` and `1.34.2-eks-1`; None where it is no version from `OLDEST` on."""
    major, _, rest = version.removeprefix("v").partition(".")
    minor = rest.partition(".")[0].removesuffix("+")
    known = major == "1" and minor.isascii() and minor.isdigit() and len(minor) < 4 and int(minor) >= OLDEST
    return int(minor) if known else None


def in_minor(value: Tree, problems: list[Problem], minor: int) -> list[Problem]:
    """The problems of the newest minor, as an older one has them; it drops fields before it looks at them."""
    found = problems
    for path, spec, severity in _pods(value):
        dropped = [
            place
            for field, since in DROPPED
            if minor < since
            for place, given in places(spec, field, path)
            if given is not None
        ]
        found = [item for item in found if not any(item.path[: len(place)] == place for place in dropped)]
        found += [_dropped(place, minor) for place in dropped]
        known = {(item.slug, item.path) for item in found}
        for slug, field, since, fitting, what in NARROWER:
            for place, text in places(spec, field, path) if minor < since else ():
                if text not in (None, "") and not fitting(text) and (slug, place) not in known:
                    message = f"`{place[-1]}: {text}` must be {what}, before Kubernetes 1.{since}."
                    found.append(Problem(slug, place, message, None, severity))
    return found


def _dropped(place: Path, minor: int) -> Problem:
    message = f"The API server of Kubernetes 1.{minor} drops `{place[-1]}`: it has no effect."
    return Problem("admission/dropped-field", place, message, None, WARNING)


def _pods(value: Tree) -> Iterator[tuple[Path, Tree, Severity]]:
    """Path and spec of each kind of pod, and how bad it is that the pod is refused."""
    kind, spec = value.get("kind"), value.get("spec") or {}
    if kind in ("Deployment", "Job"):
        yield ("spec", "template", "spec"), (spec.get("template") or {}).get("spec") or {}, ERROR
    elif kind == "LeaderWorkerSet":
        templates = spec.get("leaderWorkerTemplate") or {}
        for role in ("leaderTemplate", "workerTemplate"):
            if templates.get(role):
                yield ("spec", "leaderWorkerTemplate", role, "spec"), templates[role].get("spec") or {}, WARNING
    elif kind in ("PodCliqueSet", "PodGangSet"):
        for index, clique in enumerate((spec.get("template") or {}).get("cliques") or ()):
            path = ("spec", "template", "cliques", index, "spec", "podSpec")
            yield path, (clique.get("spec") or {}).get("podSpec") or {}, WARNING

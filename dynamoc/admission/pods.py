"""Pod templates of generated objects, as a CRD's schema judges them, and as the API server does."""

from __future__ import annotations

from dynamoc.admission.containers import check_containers, check_fields
from dynamoc.admission.object_metadata import check_annotations, check_labels
from dynamoc.admission.volumes import check_required, check_volumes
from dynamoc.diagnostics.finding import ERROR, WARNING
from dynamoc.kube.names import is_dns_label, is_dns_subdomain
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_DNS_POLICIES = (None, "", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_SCHEDULING = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
_SUBDOMAINS = ("serviceAccountName", "priorityClassName", "runtimeClassName", "nodeName")


def check_pod_fields(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """What the schema of a custom resource with a pod spec demands."""
    check_fields(spec, path, problems)
    check_required(spec, path, problems)


def check_pod_template(template: Tree, restart_policies: tuple[str, ...], path: Path, problems: list[Problem]) -> None:
    """A template that the API server validates (ValidatePodTemplateSpec), with the restart policies of its owner."""
    metadata = template.get("metadata") or {}
    check_labels(metadata.get("labels"), (*path, "metadata", "labels"), problems)
    check_annotations(metadata.get("annotations"), (*path, "metadata", "annotations"), problems)
    spec = template.get("spec") or {}
    at = (*path, "spec")
    policy = spec.get("restartPolicy") or "Always"
    if policy not in restart_policies:
        message = f"`restartPolicy: {policy}` must be {' or '.join(restart_policies)} here."
        problems.append(Problem("admission/restart-policy", (*at, "restartPolicy"), message))
    check_pod(spec, at, problems)


def check_pod(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidatePodSpec"""
    check_pod_fields(spec, path, problems)
    if not spec.get("containers"):
        problems.append(Problem("admission/no-containers", (*path, "containers"), "A pod needs a container."))
    volumes = check_volumes(spec, path, problems)
    claims = _check_resource_claims(spec, path, problems)
    check_containers(spec, volumes, claims, path, problems)
    if any(spec.get(field) for field in _SCHEDULING):
        from dynamoc.admission.scheduling import check_scheduling

        check_scheduling(spec, path, problems)
    for field in _SUBDOMAINS:
        name = spec.get(field)
        if name and not is_dns_subdomain(name):
            message = f"`{field}: {name}` must be a DNS subdomain."
            # The operator itself names an account `-k8s-service-discovery` where a component stands alone.
            severity = WARNING if field == "serviceAccountName" else ERROR
            problems.append(Problem("admission/pod-name", (*path, field), message, None, severity))
    for field in ("hostname", "subdomain"):
        name = spec.get(field)
        if name and not is_dns_label(name):
            message = f"`{field}: {name}` must be up to 63 lower-case letters, digits and `-`."
            problems.append(Problem("admission/pod-name", (*path, field), message))
    _check_network(spec, path, problems)
    _check_security(spec.get("securityContext") or {}, (*path, "securityContext"), problems)


def _check_resource_claims(spec: Tree, path: Path, problems: list[Problem]) -> frozenset[str]:
    names: set[str] = set()
    for index, claim in enumerate(spec.get("resourceClaims") or ()):
        at = (*path, "resourceClaims", index)
        name = claim.get("name") or ""
        if not is_dns_label(name):
            problems.append(Problem("admission/claim-name", at, f"A resource claim cannot be called {name!r}."))
        if name in names:
            problems.append(Problem("admission/claim-name", at, f"Two resource claims are called `{name}`."))
        names.add(name)
        given = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key)]
        if len(given) != 1:
            message = f"The resource claim `{name}` names a claim or a template for one."
            problems.append(Problem("admission/claim-source", at, message))
    return frozenset(names)


def _check_network(spec: Tree, path: Path, problems: list[Problem]) -> None:
    policy = spec.get("dnsPolicy")
    if policy not in _DNS_POLICIES:
        message = f"`dnsPolicy: {policy}` must be one of {', '.join(str(known) for known in _DNS_POLICIES[2:])}."
        problems.append(Problem("admission/dns-policy", (*path, "dnsPolicy"), message))
    if policy == "None" and not (spec.get("dnsConfig") or {}).get("nameservers"):
        message = "`dnsPolicy: None` needs `dnsConfig.nameservers`."
        problems.append(Problem("admission/dns-policy", (*path, "dnsPolicy"), message))
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        message = "`shareProcessNamespace` and `hostPID` exclude each other."
        problems.append(Problem("admission/process-namespace", (*path, "shareProcessNamespace"), message))


def _check_security(context: Tree, path: Path, problems: list[Problem]) -> None:
    problems += [
        Problem("admission/user-id", (*path, field), f"`{field}` must not be negative.")
        for field in ("runAsUser", "runAsGroup", "fsGroup")
        if (context.get(field) or 0) < 0
    ]
    profile = context.get("seccompProfile")
    if profile is not None and (profile.get("type") == "Localhost") != bool(profile.get("localhostProfile")):
        message = "A seccomp profile has a `localhostProfile` if its type is Localhost, and only then."
        problems.append(Problem("admission/seccomp-profile", (*path, "seccompProfile"), message))

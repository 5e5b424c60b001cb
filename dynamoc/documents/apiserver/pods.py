"""Pods and pod templates as the API server judges them, and as the CRDs of Grove and LeaderWorkerSet do.

Those CRDs demand names and keys of lists that are maps; there the API server takes a variable or a port twice.
Source: k8s.io/kubernetes/pkg/apis/core/validation of 1.34; `x-kubernetes-list-map-keys` and `required` of the CRDs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.documents.apiserver.containers import PROBES, check_containers
from dynamoc.documents.apiserver.fields import check_annotations, check_labels, either
from dynamoc.documents.apiserver.pod_settings import check_pod_security, check_settings
from dynamoc.documents.apiserver.scheduling import check_scheduling
from dynamoc.documents.apiserver.volumes import check_volumes
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_dns_subdomain
from dynamoc.reference.slugs import ErrorSlug

_SCHEDULING = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
_SETTINGS = (
    "dnsConfig", "dnsPolicy", "ephemeralContainers", "hostAliases", "hostUsers", "overhead", "preemptionPolicy",
    "priority", "readinessGates", "resources", "schedulingGates", "shareProcessNamespace",
)  # fmt: skip
_SUBDOMAINS = ("serviceAccountName", "priorityClassName", "runtimeClassName", "nodeName")
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP = ("seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/")
_SECCOMP_PROFILES = ("runtime/default", "docker/default", "unconfined")


def check_pod_template(template: Tree, restart_policies: tuple[str, ...], path: Path, problems: list[Problem]) -> None:
    """A template that the API server validates (ValidatePodTemplateSpec), with the restart policies of its owner."""
    metadata = template.get("metadata") or {}
    check_labels(metadata.get("labels"), (*path, "metadata", "labels"), problems)
    check_annotations(metadata.get("annotations"), (*path, "metadata", "annotations"), problems)
    spec = template.get("spec") or {}
    _check_armor(metadata.get("annotations") or {}, spec, (*path, "metadata", "annotations"), problems)
    at = (*path, "spec")
    policy = spec.get("restartPolicy") or "Always"
    if policy not in restart_policies:
        message = f"`restartPolicy: {policy}` must be {either(restart_policies)} here."
        problems.append(Problem("admission/restart-policy", (*at, "restartPolicy"), message))
    check_pod(spec, at, problems)


def check_pod(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidatePodSpec"""
    if not spec.get("containers"):
        problems.append(Problem("admission/no-containers", (*path, "containers"), "A pod needs a container."))
    volumes = check_volumes(spec, path, problems)
    claims = _check_resource_claims(spec, path, problems)
    check_containers(spec, volumes, claims, path, problems)
    if any(spec.get(field) for field in _SCHEDULING):
        check_scheduling(spec, path, problems)
    for field in _SUBDOMAINS:
        name = spec.get(field)
        if name and not is_dns_subdomain(name):
            message = f"`{field}: {name}` must be a DNS subdomain."
            right = name.lower().replace("_", "-")
            hint = f"write `{right}`" if is_dns_subdomain(right) else None
            problems.append(Problem("admission/pod-name", (*path, field), message, hint))
    for field in ("hostname", "subdomain"):
        name = spec.get(field)
        if name and not is_dns_label(name):
            message = f"`{field}: {name}` must be up to 63 lower-case letters, digits and `-`."
            problems.append(Problem("admission/pod-name", (*path, field), message))
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 0 < deadline < 1 << 31:
        message = f"`activeDeadlineSeconds: {deadline}` must be at least 1."
        problems.append(Problem("admission/active-deadline", (*path, "activeDeadlineSeconds"), message))
    check_pod_security(spec, path, problems)
    if any(spec.get(field) is not None for field in _SETTINGS):
        check_settings(spec, path, problems)


def _check_armor(annotations: dict[str, str], spec: Tree, path: Path, problems: list[Problem]) -> None:
    """The old annotations for AppArmor name containers that the pod has."""
    for key, profile in annotations.items():
        if key.startswith(_SECCOMP) and profile not in _SECCOMP_PROFILES and not profile.startswith("localhost/"):
            message = f"`{profile}` must be runtime/default, docker/default, unconfined or localhost/PROFILE."
            problems.append(Problem("admission/seccomp-profile", (*path, key), message))
        if not key.startswith(_APPARMOR):
            continue
        name = key.removeprefix(_APPARMOR)
        containers = [item.get("name") for field in ("initContainers", "containers") for item in spec.get(field) or ()]
        if name not in containers:
            message = f"The pod has no container `{name}`."
            problems.append(Problem("admission/apparmor-profile", (*path, key), message))
        elif profile not in ("", "runtime/default", "unconfined") and not profile.startswith("localhost/"):
            message = f"`{profile}` must be runtime/default, unconfined or localhost/PROFILE."
            problems.append(Problem("admission/apparmor-profile", (*path, key), message))


def _check_resource_claims(spec: Tree, path: Path, problems: list[Problem]) -> frozenset[str]:
    names: set[str] = set()
    for index, claim in enumerate(spec.get("resourceClaims") or ()):
        at = (*path, "resourceClaims", index)
        name = claim.get("name") or ""
        if not is_dns_label(name):
            problems.append(Problem("admission/claim-name", at, f"A resource claim cannot be named {name!r}."))
        if name in names:
            problems.append(Problem("admission/claim-name", at, f"Two resource claims are named `{name}`."))
        names.add(name)
        given = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key)]
        if len(given) != 1:
            message = f"The resource claim `{name}` names a claim or a template for one."
            problems.append(Problem("admission/claim-source", at, message))
        problems += [
            Problem("admission/claim-source", (*at, key), f"`{key}: {claim[key]}` must be a DNS subdomain.")
            for key in given
            if not is_dns_subdomain(claim[key])
        ]
    return frozenset(names)


_NAMED = ("volumes", "imagePullSecrets", "resourceClaims", "schedulingGates")
_OF_PODS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((field, ("name",)) for field in _NAMED),
    ("hostAliases", ("ip",)),
    ("topologySpreadConstraints", ("topologyKey", "whenUnsatisfiable")),
)
_OF_CONTAINERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("env", ("name",)),
    ("ports", ("containerPort", "protocol")),
    ("volumeDevices", ("devicePath",)),
    ("volumeMounts", ("mountPath",)),
)
_SLUGS: dict[str, ErrorSlug] = {"volumes": "admission/volume-twice", "volumeMounts": "admission/mount-path"}


def check_crd_pod(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """Names that are required, and entries of one key in the lists of a pod and of its containers."""
    for field, keys in _OF_PODS:
        _check_list(spec, field, keys, path, problems)
    for kind in ("initContainers", "containers"):
        _check_list(spec, kind, ("name",), path, problems)
        for index, container in enumerate(spec.get(kind) or ()):
            at = (*path, kind, index)
            for field, keys in _OF_CONTAINERS:
                _check_list(container, field, keys, at, problems)
            if container.get("resources"):
                _check_list(container["resources"], "claims", ("name",), (*at, "resources"), problems)
            _check_required(container, at, problems)


def _check_required(container: Tree, path: Path, problems: list[Problem]) -> None:
    if not container.get("name"):
        problems.append(Problem("admission/container-name", path, "A container has no name.", "add `name`"))
    problems += [
        Problem("admission/env-name", (*path, "env", index), "An environment variable has no name.", "add `name`")
        for index, variable in enumerate(container.get("env") or ())
        if not variable.get("name")
    ]
    problems += [
        Problem("admission/probe-port", (*path, name, handler), f"`{handler}` has no port.", "add `port`")
        for name in PROBES
        for handler in ("httpGet", "tcpSocket")
        # Go writes a port that is missing as 0.
        if ((container.get(name) or {}).get(handler) or {"port": 1}).get("port") in (None, "", 0)
    ]


def _check_list(owner: Tree, field: str, keys: tuple[str, ...], path: Path, problems: list[Problem]) -> None:
    entries = owner.get(field)
    # Almost always, the first key alone distinguishes them.
    if not entries or len({entry.get(keys[0]) or "" for entry in entries}) == len(entries):
        return
    for index, words in _repeated(entries, keys):
        message = f"Two entries of `{field}` have {words}."
        problems.append(Problem(_SLUGS.get(field, "admission/duplicate"), (*path, field, index), message))


def _repeated(entries: list[Tree], keys: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    seen: set[tuple[Any, ...]] = set()
    for index, entry in enumerate(entries):
        # The CRDs' only default for a key.
        values = tuple(entry.get(key) or ("TCP" if key == "protocol" else "") for key in keys)
        if values in seen:
            yield index, " and ".join(f"`{key}: {value}`" for key, value in zip(keys, values, strict=True))
        seen.add(values)

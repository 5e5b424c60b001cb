"""What the API server refuses of the objects that the operator sends (Kubernetes 1.34, or an older minor).

Custom resources are judged by their CRD and their metadata; controllers and webhooks of Grove, LWS, Istio and others
are not asked. What the API server says of the pods of a PodCliqueSet or LeaderWorkerSet is a warning: it takes the set
and refuses the pods that are made of it. Source: k8s.io/kubernetes/pkg/apis/rbac/validation.
"""

from __future__ import annotations

from collections.abc import Callable

from dynamoc.documents.apiserver.fields import (
    Table,
    at_least,
    check_metadata,
    check_table,
    is_config_key,
    one_of,
    required,
)
from dynamoc.documents.apiserver.scheduling import check_claim_spec
from dynamoc.documents.apiserver.services import check_inference_pool, check_ingress, check_service, in_minor
from dynamoc.documents.apiserver.workloads import (
    check_deployment,
    check_job,
    check_leader_worker_set,
    check_pod_clique_set,
)
from dynamoc.documents.findings.finding import ERROR
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_subdomain
from dynamoc.reference.slugs import ErrorSlug


def judge_object(value: Tree) -> list[Problem]:
    """Every reason for which the API server refuses to create the object; paths are paths in it."""
    return [problem for problem in examine_object(value) if problem.severity == ERROR]


def examine_object(value: Tree, minor: int | None = None) -> list[Problem]:
    """As `judge_object`, with warnings about pods that cannot be made, in a minor of Kubernetes 1 or the newest."""
    problems: list[Problem] = []
    check_metadata(value, problems)
    check = CHECKS.get(value.get("kind", ""))
    if check is not None:
        check(value, problems)
    if minor is None:
        return problems

    return in_minor(value, problems, minor)


def _check_service(value: Tree, problems: list[Problem]) -> None:
    check_service(value, problems)


def _check_ingress(value: Tree, problems: list[Problem]) -> None:
    check_ingress(value, problems)


def _check_inference_pool(value: Tree, problems: list[Problem]) -> None:
    check_inference_pool(value, problems)


def _check_settings(value: Tree, problems: list[Problem]) -> None:
    check_settings(value, problems)


def _check_claim(value: Tree, problems: list[Problem]) -> None:
    check_claim_spec(value.get("spec") or {}, ("spec",), problems)


def _check_autoscaler(value: Tree, problems: list[Problem]) -> None:
    check_autoscaler(value, problems)


def _check_role(value: Tree, problems: list[Problem]) -> None:
    check_role(value, problems)


def _check_binding(value: Tree, problems: list[Problem]) -> None:
    check_binding(value, problems)


CHECKS: dict[str, Callable[[Tree, list[Problem]], None]] = {
    "Deployment": check_deployment,
    "Job": check_job,
    "LeaderWorkerSet": check_leader_worker_set,
    "PodCliqueSet": check_pod_clique_set,
    "PodGangSet": check_pod_clique_set,
    "Service": _check_service,
    "Ingress": _check_ingress,
    "InferencePool": _check_inference_pool,
    "ConfigMap": _check_settings,
    "Secret": _check_settings,
    "PersistentVolumeClaim": _check_claim,
    "HorizontalPodAutoscaler": _check_autoscaler,
    "Role": _check_role,
    "RoleBinding": _check_binding,
}


_SLUG: ErrorSlug = "admission/access"
_GROUP = "rbac.authorization.k8s.io"
_ROLE: Table = tuple((_SLUG, f"rules[].{field}", required) for field in ("verbs", "resources", "apiGroups"))
_BINDING: Table = (
    (_SLUG, "roleRef.kind", one_of("Role", "ClusterRole")),
    (_SLUG, "roleRef.name", required),
    (_SLUG, "roleRef.apiGroup", one_of(_GROUP)),
    (_SLUG, "subjects[].name", required),
    (_SLUG, "subjects[].kind", one_of("ServiceAccount", "User", "Group")),
)


def check_role(value: Tree, problems: list[Problem]) -> None:
    """Each rule names verbs, groups and resources; addresses belong to ClusterRoles."""
    check_table(value, _ROLE, problems)
    problems += [
        Problem(_SLUG, ("rules", index, "nonResourceURLs"), "A Role of a namespace has no `nonResourceURLs`.")
        for index, rule in enumerate(value.get("rules") or ())
        if rule.get("nonResourceURLs")
    ]


def check_binding(value: Tree, problems: list[Problem]) -> None:
    check_table(value, _BINDING, problems)
    problems += [
        Problem(_SLUG, ("subjects", index, "name"), f"`{subject['name']}` cannot be the name of a ServiceAccount.")
        for index, subject in enumerate(value.get("subjects") or ())
        if subject.get("kind") == "ServiceAccount" and subject.get("name") and not is_dns_subdomain(subject["name"])
    ]


_SECRET_KEYS = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
SIZE_LIMIT = 1024 * 1024


def check_settings(value: Tree, problems: list[Problem]) -> None:
    """Keys of a ConfigMap or Secret, and the size of all values together."""
    if value.get("kind") == "Secret":
        _check_type(value, problems)
    for key in {*(value.get("data") or {})} & {*(value.get("binaryData") or {})}:
        message = f"The key `{key}` is in `data` and in `binaryData`."
        problems.append(Problem("admission/config-key", ("binaryData", key), message))
    size = 0
    for field in ("data", "binaryData", "stringData"):
        for key, text in (value.get(field) or {}).items():
            if not is_config_key(key):
                message = f"The key `{key}` must be up to 253 letters, digits, `-`, `_` and `.`."
                problems.append(Problem("admission/config-key", (field, key), message))
            size += len(str(text).encode())
    if size > SIZE_LIMIT and value.get("kind") == "ConfigMap":
        message = f"The values have {size} bytes in total; the API server accepts {SIZE_LIMIT}."
        problems.append(Problem("admission/config-size", ("data",), message))


def _check_type(value: Tree, problems: list[Problem]) -> None:
    """Keys that a type of Secret must have."""
    given = {*(value.get("data") or {}), *(value.get("stringData") or {})}
    problems += [
        Problem("admission/secret-type", ("data",), f"A Secret of the type `{value['type']}` needs the key `{key}`.")
        for key in _SECRET_KEYS.get(value.get("type") or "", ())
        if key not in given
    ]


def check_autoscaler(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/autoscaling/validation validateHorizontalPodAutoscalerSpec"""
    spec = value.get("spec") or {}
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        message = f"`minReplicas: {least}` must be at least 1."
        problems.append(Problem("admission/autoscaler-range", ("spec", "minReplicas"), message))
    if most < 1 or (least is not None and most < least):
        message = f"`maxReplicas: {most}` must be at least 1 and not less than `minReplicas`."
        problems.append(Problem("admission/autoscaler-range", ("spec", "maxReplicas"), message))
    check_table(value, _AUTOSCALER, problems)
    for index, metric in enumerate(spec.get("metrics") or ()):
        target = (metric.get("resource") or {}).get("target") or {}
        if target.get("type") == "Utilization" and target.get("averageUtilization") is None:
            at = ("spec", "metrics", index, "resource", "target")
            message = "A target of the type Utilization needs `averageUtilization`."
            problems.append(Problem("admission/autoscaler-metric", at, message))


_METRICS = ("Resource", "Pods", "Object", "External", "ContainerResource")
_AUTOSCALER: Table = (
    ("admission/autoscaler-target", "spec.scaleTargetRef.kind", required),
    ("admission/autoscaler-target", "spec.scaleTargetRef.name", required),
    ("admission/autoscaler-metric", "spec.metrics[].type", one_of(*_METRICS)),
    ("admission/autoscaler-metric", "spec.metrics[].resource.name", required),
    ("admission/autoscaler-metric", "spec.metrics[].resource.target.averageUtilization", at_least(1)),
    ("admission/autoscaler-behavior", "spec.behavior.scaleUp.stabilizationWindowSeconds", at_least(0, 3600)),
    ("admission/autoscaler-behavior", "spec.behavior.scaleDown.stabilizationWindowSeconds", at_least(0, 3600)),
)

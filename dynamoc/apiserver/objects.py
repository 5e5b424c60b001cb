"""What the API server refuses of the objects that the operator sends.

Built-in kinds are judged as the API server validates them (Kubernetes 1.34, or an older minor). Custom resources are
judged by what the schema of their CRD demands and by their metadata; controllers and webhooks of Grove, LWS, Istio and
others are not asked. The pods of a PodCliqueSet or LeaderWorkerSet are judged too: the API server takes the set and
refuses the pods that are made of it, so what it says of them is a warning.
"""

from __future__ import annotations

from dynamoc.apiserver.object_metadata import check_metadata
from dynamoc.apiserver.workloads import (
    check_deployment,
    check_job,
    check_leader_worker_set,
    check_pod_clique_set,
)
from dynamoc.diagnostics.finding import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.schema.problem import Problem

    Tree = dict[str, Any]


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
    from dynamoc.apiserver.kube_versions import in_minor

    return in_minor(value, problems, minor)


def _check_service(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.networking import check_service

    check_service(value, problems)


def _check_ingress(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.networking import check_ingress

    check_ingress(value, problems)


def _check_inference_pool(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.networking import check_inference_pool

    check_inference_pool(value, problems)


def _check_settings(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.config_maps import check_settings

    check_settings(value, problems)


def _check_claim(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.claims import check_claim_spec

    check_claim_spec(value.get("spec") or {}, ("spec",), problems)


def _check_autoscaler(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.config_maps import check_autoscaler

    check_autoscaler(value, problems)


def _check_role(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.access import check_role

    check_role(value, problems)


def _check_binding(value: Tree, problems: list[Problem]) -> None:
    from dynamoc.apiserver.access import check_binding

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

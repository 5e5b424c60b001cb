"""Generated objects that make pods."""

from __future__ import annotations

from dynamoc.admission.object_metadata import check_annotations, check_labels
from dynamoc.admission.pods import check_pod_fields, check_pod_template
from dynamoc.diagnostics.finding import WARNING
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


def check_deployment(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/apps/validation ValidateDeploymentSpec"""
    spec = value.get("spec") or {}
    template = spec.get("template") or {}
    selector = spec.get("selector") or {}
    path: Path = ("spec", "selector")
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        problems.append(Problem("admission/selector", path, "A Deployment needs a selector that is not empty."))
    check_labels(selector.get("matchLabels"), (*path, "matchLabels"), problems)
    labels = (template.get("metadata") or {}).get("labels") or {}
    for key, wanted in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != wanted:
            message = f"The selector asks for the label `{key}: {wanted}`, but the pods have {labels.get(key)!r}."
            problems.append(Problem("admission/selector", (*path, "matchLabels", key), message))
    if (spec.get("replicas") or 0) < 0:
        message = f"`replicas: {spec['replicas']}` must not be negative."
        problems.append(Problem("admission/replicas", ("spec", "replicas"), message, None, WARNING))
    _check_strategy(spec.get("strategy") or {}, problems)
    check_pod_template(template, ("Always",), ("spec", "template"), problems)


def _check_strategy(strategy: Tree, problems: list[Problem]) -> None:
    path = ("spec", "strategy")
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind not in (None, "", "RollingUpdate", "Recreate"):
        message = f"The strategy `{kind}` must be RollingUpdate or Recreate."
        problems.append(Problem("admission/strategy", (*path, "type"), message))
    if rolling is None:
        return
    if kind == "Recreate":
        message = "The strategy Recreate has no `rollingUpdate`."
        problems.append(Problem("admission/strategy", (*path, "rollingUpdate"), message))
    zero = (0, "0%", "0")
    if rolling.get("maxSurge") in zero and rolling.get("maxUnavailable") in zero:
        message = "`maxSurge` and `maxUnavailable` cannot both be 0: no pod could ever be replaced."
        problems.append(Problem("admission/strategy", (*path, "rollingUpdate"), message))


def check_job(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/batch/validation ValidateJobSpec"""
    spec = value.get("spec") or {}
    for field in ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"):
        if (spec.get(field) or 0) < 0:
            message = f"`{field}: {spec[field]}` must not be negative."
            problems.append(Problem("admission/job-limit", ("spec", field), message))
    check_pod_template(spec.get("template") or {}, ("OnFailure", "Never"), ("spec", "template"), problems)


def check_leader_worker_set(value: Tree, problems: list[Problem]) -> None:
    """The schema of the CRD, and metadata of pods."""
    template = (value.get("spec") or {}).get("leaderWorkerTemplate") or {}
    for role in ("leaderTemplate", "workerTemplate"):
        pod = template.get(role)
        if pod is not None:
            path = ("spec", "leaderWorkerTemplate", role)
            metadata = pod.get("metadata") or {}
            check_labels(metadata.get("labels"), (*path, "metadata", "labels"), problems)
            check_annotations(metadata.get("annotations"), (*path, "metadata", "annotations"), problems)
            check_pod_fields(pod.get("spec") or {}, (*path, "spec"), problems)


def check_pod_clique_set(value: Tree, problems: list[Problem]) -> None:
    """The schema of the CRD, and the labels and annotations that Grove puts on cliques and pods."""
    for index, clique in enumerate(((value.get("spec") or {}).get("template") or {}).get("cliques") or ()):
        path = ("spec", "template", "cliques", index)
        check_labels(clique.get("labels"), (*path, "labels"), problems)
        check_annotations(clique.get("annotations"), (*path, "annotations"), problems)
        pod = (clique.get("spec") or {}).get("podSpec")
        if pod is not None:
            check_pod_fields(pod, (*path, "spec", "podSpec"), problems)

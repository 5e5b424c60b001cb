"""Generated objects that make pods."""

from __future__ import annotations

from dynamoc.documents.apiserver.fields import check_choice
from dynamoc.documents.apiserver.pods import check_crd_pod, check_pod_template
from dynamoc.documents.apiserver.scheduling import check_selector
from dynamoc.documents.findings.finding import WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.reference.slugs import ErrorSlug

#: seconds; the API server's default
_PROGRESS_DEADLINE = 600
#: of the name of a StatefulSet whose pods can be labelled: 63, less a dash and the hash of a revision
_LONGEST_SET = 52
_LWS_RESTARTS = ("Default", "RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None")
_STARTUPS = ("CliqueStartupTypeAnyOrder", "CliqueStartupTypeInOrder", "CliqueStartupTypeExplicit")


def check_deployment(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/apps/validation ValidateDeploymentSpec"""
    spec = value.get("spec") or {}
    template = spec.get("template") or {}
    selector = spec.get("selector") or {}
    path: Path = ("spec", "selector")
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        problems.append(Problem("admission/selector", path, "A Deployment needs a selector that is not empty."))
    check_selector(selector, path, problems)
    labels = (template.get("metadata") or {}).get("labels") or {}
    for key, wanted in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != wanted:
            message = f"The selector requires the label `{key}: {wanted}`, but the pods have {labels.get(key)!r}."
            problems.append(Problem("admission/selector", (*path, "matchLabels", key), message))
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        if not _selects(expression, labels):
            message = f"The selector does not choose the Deployment's own pods: see `{expression.get('key')}`."
            problems.append(Problem("admission/selector", (*path, "matchExpressions", index), message))
    for field in ("replicas", "minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit"):
        if (spec.get(field) or 0) < 0:
            message = f"`{field}: {spec[field]}` must not be negative."
            problems.append(Problem("admission/replicas", ("spec", field), message))
    ready, deadline = spec.get("minReadySeconds") or 0, spec.get("progressDeadlineSeconds")
    if ready >= (_PROGRESS_DEADLINE if deadline is None else deadline):
        message = "`progressDeadlineSeconds`, 600 where it is not set, must be more than `minReadySeconds`."
        problems.append(Problem("admission/replicas", ("spec", "progressDeadlineSeconds"), message))
    _check_strategy(spec.get("strategy") or {}, problems)
    if (template.get("spec") or {}).get("activeDeadlineSeconds") is not None:
        message = "The pods of a Deployment cannot have `activeDeadlineSeconds`."
        at = ("spec", "template", "spec", "activeDeadlineSeconds")
        problems.append(Problem("admission/active-deadline", at, message, "delete it"))
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
        message = "The strategy Recreate cannot have `rollingUpdate`."
        problems.append(Problem("admission/strategy", (*path, "rollingUpdate"), message))
    for field in ("maxSurge", "maxUnavailable"):
        _check_share(field, rolling.get(field), (*path, "rollingUpdate", field), problems)
    zero = (0, "0%", "0")
    if rolling.get("maxSurge") in zero and rolling.get("maxUnavailable") in zero:
        message = "`maxSurge` and `maxUnavailable` cannot both be 0: no pod could be replaced."
        problems.append(Problem("admission/strategy", (*path, "rollingUpdate"), message))


def _check_share(field: str, share: int | str | None, path: Path, problems: list[Problem]) -> None:
    """A number of pods or a percentage; more than all cannot be unavailable."""
    if isinstance(share, str):
        digits = share.removesuffix("%")
        fits = share.endswith("%") and digits.isdigit() and (field == "maxSurge" or int(digits) <= 100)
    else:
        fits = share is None or share >= 0
    if not fits:
        message = f"`{field}: {share}` must be a number of pods, or a percentage such as 25%."
        problems.append(Problem("admission/strategy", path, message))


def _selects(expression: Tree, labels: dict[str, str]) -> bool:
    key, operator = expression.get("key") or "", expression.get("operator")
    if operator in ("Exists", "DoesNotExist"):
        return (key in labels) is (operator == "Exists")
    is_listed = labels.get(key) in (expression.get("values") or ())
    return is_listed is (operator == "In")


def check_job(value: Tree, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/batch/validation ValidateJobSpec"""
    spec = value.get("spec") or {}
    for field in ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"):
        if (spec.get(field) or 0) < 0:
            message = f"`{field}: {spec[field]}` must not be negative."
            problems.append(Problem("admission/job-limit", ("spec", field), message))
    slug: ErrorSlug = "admission/job-field"
    check_choice(spec, "completionMode", ("NonIndexed", "Indexed"), slug, ("spec",), problems)
    check_choice(spec, "podReplacementPolicy", ("TerminatingOrFailed", "Failed"), slug, ("spec",), problems)
    if spec.get("selector") and not spec.get("manualSelector"):
        message = "A Job makes its selector itself."
        problems.append(Problem(slug, ("spec", "selector"), message, "delete it"))
    name = (value.get("metadata") or {}).get("name") or ""
    if len(name) > 63:
        # Its pods carry it as a label.
        message = f"The name `{name}` of a Job must have at most 63 characters, not {len(name)}."
        problems.append(Problem("admission/object-name", ("metadata", "name"), message, "shorten the name"))
    check_pod_template(spec.get("template") or {}, ("OnFailure", "Never"), ("spec", "template"), problems)


def check_leader_worker_set(value: Tree, problems: list[Problem]) -> None:
    """What the schema of the CRD demands, and warnings about pods that the API server will refuse."""
    spec = value.get("spec") or {}
    template = spec.get("leaderWorkerTemplate") or {}
    slug: ErrorSlug = "admission/lws-field"
    at = ("spec", "leaderWorkerTemplate")
    check_choice(spec, "startupPolicy", ("LeaderCreated", "LeaderReady"), slug, ("spec",), problems)
    check_choice(template, "restartPolicy", _LWS_RESTARTS, slug, at, problems)
    _check_set_name(value, template, problems)
    for role in ("leaderTemplate", "workerTemplate"):
        if template.get(role) is not None:
            path = ("spec", "leaderWorkerTemplate", role)
            check_crd_pod(template[role].get("spec") or {}, (*path, "spec"), problems)
            _check_made_pods(template[role], path, problems)


def _check_set_name(value: Tree, template: Tree, problems: list[Problem]) -> None:
    """The name in a label of the pods: that of the StatefulSet of a group, with the hash of a revision.

    Source: pkg/controller/history ControllerRevisionName of Kubernetes, whose hash has ten characters at most; the
    names of StatefulSets in pkg/controllers of LeaderWorkerSet: that of the set for leaders, with the number of the
    group for workers.
    """
    name = (value.get("metadata") or {}).get("name") or ""
    groups = (value.get("spec") or {}).get("replicas")
    workers = f"-{max((1 if groups is None else groups) - 1, 0)}" if (template.get("size") or 1) > 1 else ""
    excess = len(name) + len(workers) - _LONGEST_SET
    if groups != 0 and excess > 0:
        message = (
            f"LeaderWorkerSet creates no pods for `{name}`: their label `controller-revision-hash` is "
            f"`{name}{workers}`, a dash and a hash of up to 10 characters, and a label has at most 63."
        )
        problems.append(Problem("lws/long-name", ("metadata", "name"), message, severity=WARNING, excess=excess))


def check_pod_clique_set(value: Tree, problems: list[Problem]) -> None:
    """The schema of the CRD, and the labels and annotations that Grove puts on cliques and pods."""
    template = (value.get("spec") or {}).get("template") or {}
    cliques = template.get("cliques")
    check_choice(template, "cliqueStartupType", _STARTUPS, "admission/clique-startup", ("spec", "template"), problems)
    if not cliques:
        # Go writes null for it.
        message = "A PodCliqueSet needs a clique, but the graph has no component."
        problems.append(Problem("admission/no-cliques", ("spec", "template", "cliques"), message))
    for index, clique in enumerate(cliques or ()):
        path = ("spec", "template", "cliques", index)
        pod = (clique.get("spec") or {}).get("podSpec")
        if pod is not None:
            at = (*path, "spec", "podSpec")
            check_crd_pod(pod, at, problems)
            metadata = {field: clique.get(field) for field in ("labels", "annotations")}
            _warn_of_pods({"metadata": metadata, "spec": pod}, path, at, problems)


def check_clique_names(value: Tree) -> list[Problem]:
    """Two cliques of one name, which the CRDs of newer Groves refuse; source: `x-kubernetes-list-map-keys` there."""
    found: list[Problem] = []
    names: set[str] = set()
    for index, clique in enumerate(((value.get("spec") or {}).get("template") or {}).get("cliques") or ()):
        name = clique.get("name", "")
        if name in names:
            message = f"Two cliques are named `{name}`: component names must differ in more than case."
            found.append(Problem("admission/clique-name", ("spec", "template", "cliques", index, "name"), message))
        names.add(name)
    return found


def _check_made_pods(template: Tree, path: Path, problems: list[Problem]) -> None:
    _warn_of_pods(template, (*path, "metadata"), (*path, "spec"), problems)


def _warn_of_pods(template: Tree, metadata: Path, spec: Path, problems: list[Problem]) -> None:
    """What the API server says of the pods that a controller makes of a template; paths are those of the template."""
    found: list[Problem] = []
    check_pod_template(template, ("Always", "OnFailure", "Never"), (), found)
    known = {(problem.slug, problem.path) for problem in problems}
    for problem in found:
        at = (*metadata, *problem.path[1:]) if problem.path[:1] == ("metadata",) else (*spec, *problem.path[1:])
        if (problem.slug, at) not in known:
            message = (
                problem.message
                if problem.severity == WARNING
                else f"{problem.message} The API server will reject the pods."
            )
            later = Problem(
                problem.slug, at, message, problem.hint, WARNING, change=problem.change, excess=problem.excess
            )
            later.is_later = problem.severity != WARNING
            problems.append(later)

"""Where pods may run: tolerations, node selectors, affinity, spreading (k8s.io/kubernetes/pkg/apis/core/validation).

Claims to volumes, on their own and in ephemeral volumes (k8s.io/kubernetes/pkg/apis/core/validation).
"""

from __future__ import annotations

from dynamoc.documents.apiserver.fields import check_choice, check_labels, either, in_known_case
from dynamoc.documents.findings.finding import WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_dns_subdomain, is_label_key, is_label_value
from dynamoc.kube.quantity import sign
from dynamoc.reference.slugs import Slug

_EFFECTS = ("", "NoSchedule", "PreferNoSchedule", "NoExecute")
#: Operator to the number of values it takes: (least, most).
_NODE_OPERATORS = {
    "In": (1, None),
    "NotIn": (1, None),
    "Exists": (0, 0),
    "DoesNotExist": (0, 0),
    "Gt": (1, 1),
    "Lt": (1, 1),
}
_LABEL_OPERATORS = {key: value for key, value in _NODE_OPERATORS.items() if key not in ("Gt", "Lt")}


def check_scheduling(spec: Tree, path: Path, problems: list[Problem]) -> None:
    if spec.get("nodeSelector"):
        check_labels(spec["nodeSelector"], (*path, "nodeSelector"), problems)
    for index, toleration in enumerate(spec.get("tolerations") or ()):
        _check_toleration(toleration, (*path, "tolerations", index), problems)
    affinity = spec.get("affinity") or {}
    if affinity.get("nodeAffinity"):
        _check_node_affinity(affinity["nodeAffinity"], (*path, "affinity", "nodeAffinity"), problems)
    for kind in ("podAffinity", "podAntiAffinity"):
        if affinity.get(kind):
            _check_pod_affinity(affinity[kind], (*path, "affinity", kind), problems)
    _check_spread(spec.get("topologySpreadConstraints") or (), (*path, "topologySpreadConstraints"), problems)


def _check_toleration(toleration: Tree, path: Path, problems: list[Problem]) -> None:
    key, operator = toleration.get("key") or "", toleration.get("operator") or "Equal"
    value, effect = toleration.get("value") or "", toleration.get("effect") or ""
    message = hint = None
    if operator not in ("Equal", "Exists"):
        message = f"The operator `{operator}` of a toleration must be Equal or Exists."
        hint = "write `Exists`" if not value else "write `Equal`"
    elif not key and operator != "Exists":
        message = "A toleration without a key needs the operator Exists."
    elif key and not is_label_key(key):
        message = f"`{key}` cannot be the key of a taint."
    elif operator == "Exists" and value:
        message = f"A toleration with the operator Exists cannot have a value, but this one has `{value}`."
    elif not is_label_value(value):
        message = f"`{value}` cannot be the value of a taint."
    elif effect not in _EFFECTS:
        message = f"The effect `{effect}` of a toleration must be NoSchedule, PreferNoSchedule or NoExecute."
    elif toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        message = f"`tolerationSeconds` applies only with the effect NoExecute, not with `{effect}`."
    if message is not None:
        problems.append(Problem("admission/toleration", path, message, hint))


def _check_node_affinity(affinity: Tree, path: Path, problems: list[Problem]) -> None:
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is not None:
        at = (*path, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
        terms = required.get("nodeSelectorTerms")
        if not terms:
            problems.append(Problem("admission/affinity", at, "A required node affinity needs a term."))
        for index, term in enumerate(terms or ()):
            _check_expressions(term.get("matchExpressions"), _NODE_OPERATORS, (*at, index), problems, values=True)
            _check_fields(term.get("matchFields") or (), (*at, index, "matchFields"), problems)
    for index, preferred in enumerate(affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
        at = (*path, "preferredDuringSchedulingIgnoredDuringExecution", index)
        _check_weight(preferred, at, problems)
        term = preferred.get("preference") or {}
        _check_expressions(term.get("matchExpressions"), _NODE_OPERATORS, (*at, "preference"), problems)
        _check_fields(term.get("matchFields") or (), (*at, "preference", "matchFields"), problems)


def _check_fields(fields: list[Tree] | tuple[()], path: Path, problems: list[Problem]) -> None:
    """Nodes are known by one field, their name."""
    for index, field in enumerate(fields):
        at, values = (*path, index), field.get("values") or ()
        if field.get("key") != "metadata.name":
            problems.append(Problem("admission/affinity", at, f"`key: {field.get('key')}` must be `metadata.name`."))
        elif field.get("operator") not in ("In", "NotIn") or len(values) != 1:
            message = "`matchFields` accepts the operator In or NotIn, with one value."
            problems.append(Problem("admission/affinity", at, message))


def _check_pod_affinity(affinity: Tree, path: Path, problems: list[Problem]) -> None:
    for index, term in enumerate(affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or ()):
        at = (*path, "requiredDuringSchedulingIgnoredDuringExecution", index)
        _check_pod_term(term, at, problems)
    for index, preferred in enumerate(affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
        at = (*path, "preferredDuringSchedulingIgnoredDuringExecution", index)
        _check_weight(preferred, at, problems)
        _check_pod_term(preferred.get("podAffinityTerm") or {}, (*at, "podAffinityTerm"), problems)


def _check_pod_term(term: Tree, path: Path, problems: list[Problem]) -> None:
    topology = term.get("topologyKey") or ""
    if not is_label_key(topology):
        message = f"A pod affinity needs a `topologyKey`, and {topology!r} is not one."
        problems.append(Problem("admission/affinity", path, message))
    check_selector(term.get("labelSelector") or {}, (*path, "labelSelector"), problems)
    check_selector(term.get("namespaceSelector") or {}, (*path, "namespaceSelector"), problems)
    problems += [
        Problem("admission/affinity", (*path, "namespaces", index), f"`{name}` cannot be the name of a namespace.")
        for index, name in enumerate(term.get("namespaces") or ())
        if not is_dns_label(name)
    ]
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        _check_label_keys(term, field, "admission/affinity", path, problems)
    for key in {*(term.get("matchLabelKeys") or ())} & {*(term.get("mismatchLabelKeys") or ())}:
        message = f"`{key}` is among `matchLabelKeys` and `mismatchLabelKeys`."
        problems.append(Problem("admission/affinity", (*path, "matchLabelKeys"), message))


def _check_label_keys(owner: Tree, field: str, slug: Slug, path: Path, problems: list[Problem]) -> None:
    """Keys that are merged into the label selector beside them, so there must be one."""
    keys = owner.get(field)
    if not keys:
        return
    selector = owner.get("labelSelector")
    if selector is None:
        message = f"`{field}` needs `labelSelector`."
        problems.append(Problem(slug, (*path, field), message))
    taken = {**((selector or {}).get("matchLabels") or {})}
    taken.update({item.get("key"): "" for item in (selector or {}).get("matchExpressions") or ()})
    for index, key in enumerate(keys):
        at = (*path, field, index)
        if not is_label_key(key):
            problems.append(Problem(slug, at, f"{key!r} cannot be the key of a label."))
        elif field == "matchLabelKeys" and key in taken:
            # The API server merges them when the pod is made, and finds it there.
            message = f"`{key}` is already a key of `labelSelector`: the API server rejects the pods."
            problems.append(Problem(slug, at, message, "delete one of them", WARNING))


def check_selector(selector: Tree, path: Path, problems: list[Problem]) -> None:
    """A label selector with `matchLabels` and `matchExpressions`."""
    check_labels(selector.get("matchLabels"), (*path, "matchLabels"), problems)
    _check_expressions(selector.get("matchExpressions"), _LABEL_OPERATORS, path, problems, values=True)


def _check_expressions(
    expressions: list[Tree] | None,
    operators: dict[str, tuple[int, int | None]],
    path: Path,
    problems: list[Problem],
    *,
    values: bool = False,
) -> None:
    """Expressions of a selector; `values` asks for values that a label can have, which not all of them need."""
    for index, expression in enumerate(expressions or ()):
        at = (*path, "matchExpressions", index)
        key, operator = expression.get("key") or "", expression.get("operator") or ""
        if not is_label_key(key):
            problems.append(Problem("admission/affinity", at, f"{key!r} cannot be the key of a label."))
        if operator not in operators:
            message = f"The operator {operator!r} must be one of {', '.join(operators)}."
            problems.append(Problem("admission/affinity", at, message))
            continue
        least, most = operators[operator]
        count = len(expression.get("values") or ())
        if count < least or (most is not None and count > most):
            message = f"The operator {operator} does not accept {count} values."
            problems.append(Problem("admission/affinity", at, message))
        if values and operator in ("In", "NotIn"):
            problems += [
                Problem("admission/affinity", (*at, "values", number), f"{value!r} cannot be the value of a label.")
                for number, value in enumerate(expression.get("values") or ())
                if not is_label_value(value)
            ]


def _check_weight(preferred: Tree, path: Path, problems: list[Problem]) -> None:
    weight = preferred.get("weight") or 0
    if not 1 <= weight <= 100:
        message = f"The weight of a preference must be between 1 and 100, not {weight}."
        problems.append(Problem("admission/affinity", (*path, "weight"), message))


def _check_spread(constraints: list[Tree] | tuple[()], path: Path, problems: list[Problem]) -> None:
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        at = (*path, index)
        topology, unsatisfiable = constraint.get("topologyKey") or "", constraint.get("whenUnsatisfiable") or ""
        if (constraint.get("maxSkew") or 0) < 1:
            problems.append(Problem("admission/spread", at, "`maxSkew` must be at least 1."))
        if not topology:
            problems.append(Problem("admission/spread", at, "A constraint needs `topologyKey`."))
        if unsatisfiable not in ("DoNotSchedule", "ScheduleAnyway"):
            message = f"`whenUnsatisfiable` must be DoNotSchedule or ScheduleAnyway, not {unsatisfiable!r}."
            problems.append(Problem("admission/spread", at, message))
        if (topology, unsatisfiable) in seen:
            message = f"Two constraints spread over `{topology}` with {unsatisfiable}."
            problems.append(Problem("admission/spread", at, message))
        seen.add((topology, unsatisfiable))
        _check_domains(constraint, unsatisfiable, at, problems)
        check_selector(constraint.get("labelSelector") or {}, (*at, "labelSelector"), problems)
        _check_label_keys(constraint, "matchLabelKeys", "admission/spread", at, problems)
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            check_choice(constraint, field, ("Honor", "Ignore"), "admission/spread", at, problems)


def _check_domains(constraint: Tree, unsatisfiable: str, path: Path, problems: list[Problem]) -> None:
    domains = constraint.get("minDomains")
    if domains is None:
        return
    message = None
    if domains < 1:
        message = f"`minDomains: {domains}` must be at least 1."
    elif unsatisfiable != "DoNotSchedule":
        message = f"`minDomains` needs `whenUnsatisfiable: DoNotSchedule`, not {unsatisfiable}."
    if message is not None:
        problems.append(Problem("admission/spread", (*path, "minDomains"), message))


_ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")


def check_claim_spec(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """k8s.io/kubernetes/pkg/apis/core/validation ValidatePersistentVolumeClaimSpec"""
    modes = spec.get("accessModes") or ()
    if not modes:
        message = "A claim needs at least one of `accessModes`."
        problems.append(Problem("admission/claim-access", (*path, "accessModes"), message, "add `ReadWriteOnce`"))
    for index, mode in enumerate(modes):
        if mode not in _ACCESS_MODES:
            message = f"The access mode `{mode}` must be {either(_ACCESS_MODES)}."
            change, at = in_known_case(mode, _ACCESS_MODES), (*path, "accessModes", index)
            problems.append(Problem("admission/claim-access", at, message, change=change))
        elif mode == "ReadWriteOncePod" and len(modes) > 1:
            message = "`ReadWriteOncePod` cannot be combined with other access modes."
            problems.append(Problem("admission/claim-access", (*path, "accessModes", index), message))
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        message = "A claim needs `resources.requests.storage`."
        problems.append(Problem("admission/claim-size", (*path, "resources"), message))
    elif sign(storage) <= 0:
        message = f"`storage: {storage}` must be more than 0."
        problems.append(Problem("admission/claim-size", (*path, "resources", "requests", "storage"), message))
    check_choice(spec, "volumeMode", ("Block", "Filesystem"), "admission/claim-mode", path, problems)
    name = spec.get("storageClassName")
    if name and not is_dns_subdomain(name):
        message = f"`storageClassName: {name}` must be a DNS subdomain."
        problems.append(Problem("admission/claim-class", (*path, "storageClassName"), message))
    check_selector(spec.get("selector") or {}, (*path, "selector"), problems)

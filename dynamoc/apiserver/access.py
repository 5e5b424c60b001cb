"""Generated Roles and their bindings (k8s.io/kubernetes/pkg/apis/rbac/validation)."""

from __future__ import annotations

from dynamoc.apiserver.field_table import check_table, one_of, required
from dynamoc.kube.names import is_dns_subdomain
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.apiserver.field_table import Table
    from dynamoc.diagnostics.catalog.slugs import ErrorSlug

    Tree = dict[str, Any]

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

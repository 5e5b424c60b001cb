"""Pods, GPUs and nodes by component."""

from __future__ import annotations

from dynamoc.compare.pod_counts import claimed_gpus, gpu_claims, is_gpu
from dynamoc.kube.labels import GRAPH_LABEL, TYPE_LABEL
from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.kube.scope import GROVE_SETS, with_namespace
from dynamoc.requires.made import made_from
from dynamoc.requires.needs import Role
from dynamoc.requires.pod_needs import pod_resources
from dynamoc.requires.workload_pods import templates_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.compare.pod_counts import Claims
    from dynamoc.diagnostics.finding import Path
    from dynamoc.requires.workload_pods import Template
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


def known_claims(objects: list[Tree], context: Iterable[Document], namespace: str) -> Claims:
    """GPUs of the claim templates among objects and in the context, which are in `namespace` where they name none."""
    values = [*(document.value for document in context), *objects]
    placed = [with_namespace(value, namespace) for value in values]
    claims = {**gpu_claims(values), **gpu_claims(placed)}
    for value in placed:
        made = made_from(value)
        if made is not None:
            # The channels of a ComputeDomain are no GPUs.
            claims.setdefault(made[2:], 0)
    return claims


class Count:
    """Counts what the pods of workloads hold. `claims` are the GPUs of ResourceClaimTemplates that are known."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self.resources: dict[str, tuple[int, int]] = {}
        self._roles: dict[tuple[str, str, str], Role] = {}

    def gpus(self, value: Tree, template: Template) -> int:
        """GPUs of one pod."""
        counted = sum(number for name, number in pod_resources(template.spec).items() if is_gpu(name))
        return counted + claimed_gpus(template.spec, _namespace(value), self._claims)

    def add(self, value: Tree) -> list[tuple[Role, Path]]:
        """Takes the pods of a workload into account; the roles that they belong to, and where their templates are."""
        touched: list[tuple[Role, Path]] = []
        seen: set[tuple[str, str]] = set()
        for template in templates_of(value):
            role = self._role(value, template)
            unit = (role.name, template.unit or template.name)
            _count(role, template, self.gpus(value, template), again=unit in seen)
            seen.add(unit)
            for claim in _unknown_claims(template.spec, _namespace(value), self._claims):
                role.unknown[claim] = None
            self._add_resources(template)
            touched.append((role, template.path))
        return touched

    @property
    def roles(self) -> list[Role]:
        """In order of namespace, graph and name; what belongs to no graph comes last."""
        keys = sorted(self._roles, key=lambda key: (key[0], not key[1], key[1], key[2].lower()))
        return [self._roles[key] for key in keys]

    def _role(self, value: Tree, template: Template) -> Role:
        name, graph = template.component, text(template.labels.get(GRAPH_LABEL))
        if value.get("kind") in GROVE_SETS:
            # Cliques up to 0.6 have no label of their component, but its name.
            name = name or template.name.removesuffix("-ldr").removesuffix("-wkr")
            graph = graph or text(mapping(value, "metadata").get("name"))
        name = name or f"{value.get('kind')}/{mapping(value, 'metadata').get('name')}"
        key = (_namespace(value), graph, name)
        if key not in self._roles:
            self._roles[key] = Role(*key)
            self._roles[key].type = text(template.labels.get(TYPE_LABEL))
        return self._roles[key]

    def _add_resources(self, template: Template) -> None:
        for name, number in pod_resources(template.spec).items():
            most, total = self.resources.get(name, (0, 0))
            if template.pods:
                self.resources[name] = max(most, number), total + number * template.pods


def _count(role: Role, template: Template, gpus: int, *, again: bool) -> None:
    """`again`: another template of the same replicas."""
    role.pods += template.pods
    shared = template.units * template.shared
    role.shared += shared
    role.gpus += template.pods * gpus + shared
    if template.pods:
        role.per_pod[template.name] = gpus
    if again:
        role.nodes += template.nodes
    else:
        role.replicas += template.units
        role.nodes = template.nodes


def _unknown_claims(spec: Tree, namespace: str, claims: Claims) -> list[str]:
    names = [text(claim.get("resourceClaimTemplateName")) for _, claim in entries(spec, "resourceClaims")]
    return [name for name in names if name and (namespace, name) not in claims]


def _namespace(value: Tree) -> str:
    return text(mapping(value, "metadata").get("namespace"))

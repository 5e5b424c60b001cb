"""Pods, GPUs and nodes by component, pods that have to be scheduled together, and objects made from others.

Source: the APIs of the NVIDIA DRA driver (ComputeDomain), cert-manager, External Secrets and Sealed Secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dynamoc.analysis.compare.pod_counts import (
    Claims,
    Template,
    claimed_gpus,
    gpu_claims,
    gpus_of,
    pod_resources,
    templates_of,
)
from dynamoc.analysis.requires.needs import CLAIM_TEMPLATE, SECRET, Gang, Role
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import (
    GRAPH_LABEL,
    GROVE_SETS,
    TYPE_LABEL,
    Identity,
    entries,
    identity,
    mapping,
    text,
    whole,
    with_namespace,
)

Gpus = Callable[[Tree, Template], int]

#: (group, kind) to what is made, and where its name stands; the object's own name where nothing does
_MADE = {
    ("bitnami.com", "SealedSecret"): (SECRET, ("spec", "template", "metadata", "name")),
    ("cert-manager.io", "Certificate"): (SECRET, ("spec", "secretName")),
    ("external-secrets.io", "ExternalSecret"): (SECRET, ("spec", "target", "name")),
    ("resource.nvidia.com", "ComputeDomain"): (
        CLAIM_TEMPLATE,
        ("spec", "channel", "resourceClaimTemplate", "name"),
    ),
}


def made_from(value: Tree) -> Identity | None:
    """The object that a controller makes from another, in the same namespace; None for objects that stay alone."""
    group, kind, namespace, name = identity(value)
    found = _MADE.get((group, kind))
    if found is None:
        return None
    made, path = found
    return *made, namespace, text(mapping(value, *path[:-1]).get(path[-1])) or name


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
        return gpus_of(template.spec) + claimed_gpus(template.spec, _namespace(value), self._claims)

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


def gangs_of(value: Tree, gpus: Gpus) -> list[Gang]:
    """The gangs of a workload; pods that run alone do not count.

    A PodCliqueSet has one for each replica: cliques, and the first replicas of its scaling groups, with as many pods
    as `minAvailable` says; and one for each further replica of a scaling group.
    Source: Grove's controller/podcliqueset/components/podgang/syncflow.go. A LeaderWorkerSet has one a replica.
    """
    templates = [template for template in templates_of(value) if template.pods]
    if value.get("kind") == "LeaderWorkerSet":
        found = [_gang(value, "", templates[0].units, templates, gpus)] if templates else []
    elif value.get("kind") in GROVE_SETS:
        found = _of_cliques(value, templates, gpus)
    else:
        return []
    return [gang for gang in found if gang.count and gang.pods]


def _gang(value: Tree, group: str, count: int, templates: list[Template], gpus: Gpus, *, base: bool = False) -> Gang:
    gang = Gang(value, group, count)
    for template in templates:
        pods, units = template.minimum
        times = units if base else 1
        if pods * times:
            gang.parts.append((template.name, pods * times, gpus(value, template)))
            gang.shared += template.shared * times
            gang.scheduler = gang.scheduler or text(template.spec.get("schedulerName"))
    return gang


def _of_cliques(value: Tree, templates: list[Template], gpus: Gpus) -> list[Gang]:
    sets = whole(mapping(value, "spec").get("replicas"))
    found = [_gang(value, "", sets, templates, gpus, base=True)]
    groups: dict[str, list[Template]] = {}
    for template in templates:
        if template.unit:
            groups.setdefault(template.unit, []).append(template)
    for name, members in groups.items():
        further = members[0].units - sets * members[0].minimum[1]
        found.append(_gang(value, name, further, members, gpus))
    return found

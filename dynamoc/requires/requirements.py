"""From rendered objects to what they need: the way in."""

from __future__ import annotations

from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.kube.lenient import mapping, text
from dynamoc.kube.scope import GROVE_SETS
from dynamoc.requires.addresses import address_needs
from dynamoc.requires.api_versions import api_needs, operator_reasons, version_note
from dynamoc.requires.by_component import Count, known_claims
from dynamoc.requires.gangs import gangs_of
from dynamoc.requires.installers import SCHEDULERS
from dynamoc.requires.model_sources import model_sources
from dynamoc.requires.needs import KUBERNETES, Named, Need, Requirement, Requirements
from dynamoc.requires.object_references import object_references
from dynamoc.requires.pod_needs import IMAGE, SCHEDULER, named_needs
from dynamoc.requires.pod_references import pod_references
from dynamoc.requires.pod_specs import pod_specs
from dynamoc.requires.providers import DEFAULT_SCHEDULER, Installation, Known, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.kube.identity import Identity
    from dynamoc.release import Release
    from dynamoc.requires.places import Places
    from dynamoc.requires.reference import Reference
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


class Surroundings:
    """What there is beside the objects.

    config     the operator's
    context    documents of objects that exist in the cluster
    namespace  of documents that name none
    installed  whether Dynamo's operator and chart are
    apis       what the cluster serves, as the command line says
    """

    __slots__ = ("apis", "config", "context", "installed", "namespace", "release")

    def __init__(
        self,
        release: Release,
        config: OperatorConfig,
        context: list[Document],
        namespace: str,
        *,
        installed: bool = True,
        apis: Iterable[str] = (),
    ) -> None:
        self.release = release
        self.config = config
        self.context = context
        self.namespace = namespace
        self.installed = installed
        self.apis = apis


def requirements(objects: list[Tree], places: Places, around: Surroundings, asked: list[Requirement]) -> Requirements:
    """What rendered objects need.

    `asked` is what the operator looked up when it made them, which need not stand in them.
    """
    known = Known(objects, places.inputs, around.context, around.namespace, around.apis)
    found = Requirements()
    found.shown = bool(around.context or list(around.apis))
    installation = Installation(around.config, around.release) if around.installed else None
    found.objects = _objects(objects, known, installation, asked)
    found.apis = api_needs(objects, around.release, known, installed=around.installed)
    found.addresses = address_needs(objects, known, installed=around.installed)
    found.operator = operator_reasons(objects)
    _add_named(found, objects, around.release)
    found.sources = model_sources(objects)
    _add_pods(found, objects, around, places)
    _place(found, places)
    return found


def references_of(value: Tree) -> Iterator[Reference]:
    """All that an object names, its pods' references first."""
    for pod in pod_specs(value):
        yield from pod_references(pod)
    yield from object_references(value)


def _objects(
    objects: list[Tree], known: Known, installation: Installation | None, asked: list[Requirement]
) -> list[Requirement]:
    found: dict[Identity, Requirement] = {}
    for value in objects:
        namespace = text(mapping(value, "metadata").get("namespace"))
        for reference in references_of(value):
            where = namespace if reference.namespace is None else reference.namespace
            key = (reference.group, reference.kind, where, reference.name)
            requirement = found.setdefault(key, Requirement(*key))
            requirement.needs.append(Need(value, reference.path, optional=reference.optional))
            if reference.key is not None:
                optional = requirement.keys.get(reference.key, True)
                requirement.keys[reference.key] = optional and reference.optional
        if namespace:
            key = ("", "Namespace", "", namespace)
            requirement = found.setdefault(key, Requirement(*key))
            requirement.needs.append(Need(value, ("metadata", "namespace")))
    for requirement in asked:
        found.setdefault(requirement.identity, requirement)
    for requirement in found.values():
        requirement.by, requirement.source, note = settle(requirement.identity, known, installation)
        requirement.note = note or requirement.note
    return [found[key] for key in sorted(found)]


def _add_named(found: Requirements, objects: list[Tree], release: Release) -> None:
    named: dict[tuple[str, str], Named] = {}
    for value in objects:
        for pod in pod_specs(value):
            for what, name, need in named_needs(value, pod):
                named.setdefault((what, name), Named(what, name)).needs.append(need)
    for (what, name), item in sorted(named.items()):
        if what == IMAGE:
            found.images.append(item)
        elif what == SCHEDULER:
            item.by = KUBERNETES if name == DEFAULT_SCHEDULER else None
            project = SCHEDULERS.get(name)
            item.note = version_note(project, release) if project else None
            found.schedulers.append(item)
        else:
            found.nodes.append(item)


def _add_pods(found: Requirements, objects: list[Tree], around: Surroundings, places: Places) -> None:
    count = Count(known_claims(objects, around.context, around.namespace))
    for value in objects:
        for role, path in count.add(value):
            role.place = role.place or places.of(value, path)
        found.gangs += gangs_of(value, count.gpus)
    found.roles, found.resources = count.roles, dict(sorted(count.resources.items()))
    # sorted() keeps the order of the objects among equals
    found.gangs.sort(key=lambda gang: (-gang.gpus, -gang.pods))


def _place(found: Requirements, places: Places) -> None:
    needs = [item.needs for item in found.objects] + [item.needs for item in found.apis]
    needs += [item.needs for item in (*found.schedulers, *found.images, *found.nodes, *found.sources)]
    needs += [item.needs for item in found.addresses] + [listed for _, listed in found.operator]
    for listed in needs:
        _place_needs(listed, places)


def _place_needs(needs: list[Need], places: Places) -> None:
    for need in needs:
        need.component = need.component or component_of_field(need)
        if need.place is None:
            need.place = places.of(need.subject, need.path)


def component_of_field(need: Need) -> str:
    """The component of the clique that a field is in, else that of the object."""
    labels = mapping(need.subject, "metadata", "labels")
    path = need.path
    if need.subject.get("kind") in GROVE_SETS and len(path) > 3 and path[2] == "cliques":
        labels = mapping(need.subject["spec"]["template"]["cliques"][path[3]], "labels")
    return text(labels.get(COMPONENT_LABEL))

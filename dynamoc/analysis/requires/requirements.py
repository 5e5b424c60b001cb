"""From documents and rendered objects to what they need.

`--deny=context`: each object that the output refers to is in it, in the input or in the context, or is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.context import unknown_object
from dynamoc.analysis.requires.needs import KUBERNETES, Named, Need, Reference, Requirement, Requirements, need_text
from dynamoc.analysis.requires.objects import address_needs, model_sources, object_references
from dynamoc.analysis.requires.pods import IMAGE, SCHEDULER, named_needs, pod_references, pod_specs
from dynamoc.analysis.requires.providers import (
    DEFAULT_SCHEDULER,
    SCHEDULERS,
    Installation,
    Known,
    api_needs,
    operator_reasons,
    settle,
    version_note,
)
from dynamoc.analysis.requires.workload_pods import Count, gangs_of, known_claims
from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.explain.traced import USER
from dynamoc.compiler.explain.traced_compilation import Explained, explain_documents
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.options import Options, read_surroundings
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import WARNING, Finding, Findings, Path, Place
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_paths
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.names import (
    COMPONENT_LABEL,
    GROVE_SETS,
    Identity,
    identity,
    is_namespaced,
    mapping,
    text,
    with_namespace,
)
from dynamoc.reference.releases import Release

#: API groups of what it looks up
_GROUPS = {
    "ClusterTopology": "grove.io",
    "ClusterTopologyBinding": "grove.io",
    "DaemonSet": "apps",
    "DeviceClass": "resource.k8s.io",
    "DynamoCheckpoint": "nvidia.com",
    "PodSnapshot": "nvidia.com",
    "Queue": "scheduling.run.ai",
    "ResourceClaim": "resource.k8s.io",
    "ResourceClaimTemplate": "resource.k8s.io",
}
_NAME = ("metadata", "name")
_COMPONENTS = (("spec", "services"), ("spec", "components"))


@dataclass(eq=False, slots=True)
class Surroundings:
    """What there is beside the objects.

    config     the operator's
    context    documents of objects that exist in the cluster
    namespace  of documents that name none
    installed  whether Dynamo's operator and chart are
    apis       what the cluster serves, as the command line says
    """

    release: Release
    config: OperatorConfig
    context: list[Document]
    namespace: str
    _: KW_ONLY
    installed: bool = True
    apis: Iterable[str] = ()


def requirements(objects: list[Tree], places: Places, around: Surroundings, asked: list[Requirement]) -> Requirements:
    """What rendered objects need.

    `asked` is what the operator looked up when it made them, which need not be in them.
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


def references_of(value: Tree) -> Iterator[tuple[Identity, Reference]]:
    """All that an object names, by what that is called; its pods' references first."""
    own = text(mapping(value, "metadata").get("namespace"))
    of_pods = (reference for pod in pod_specs(value) for reference in pod_references(pod))
    for reference in (*of_pods, *object_references(value)):
        namespace = own if reference.namespace is None else reference.namespace
        yield (reference.group, reference.kind, namespace, reference.name), reference


def _objects(
    objects: list[Tree], known: Known, installation: Installation | None, asked: list[Requirement]
) -> list[Requirement]:
    found: dict[Identity, Requirement] = {}
    for value in objects:
        namespace = text(mapping(value, "metadata").get("namespace"))
        for key, reference in references_of(value):
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


def requirements_of(documents: list[Document], options: Options, findings: Findings) -> Requirements:
    """What the objects of documents need, which together are one cluster. Of no use where `findings` holds errors.

    Objects that are not shown are requirements, and no findings.
    """
    trace = Trace()
    options.place_passed()
    explained = explain_documents(documents, options, findings, trace)
    return traced_requirements(documents, explained, trace, options, findings)


def traced_requirements(
    documents: list[Document], explained: Explained, trace: Trace, options: Options, findings: Findings
) -> Requirements:
    """`requirements_of` for documents that were traced before, with the findings of that."""
    findings.items, asked = split_findings(findings.items)
    # The compilation has reported what is wrong with them.
    config, context = read_surroundings(options, Findings())
    namespace = options.namespace or "default"
    around = Surroundings(
        options.release, config, context, namespace, installed=not options.standalone, apis=options.apis
    )
    places = Places(documents, explained.objects, FaultSources(explained.objects, options), trace, options)
    # What passes through without a namespace is applied to that of the graphs.
    objects = [with_namespace(item, namespace) for item in explained.plain]
    return requirements(objects, places, around, asked)


def without_missing(
    objects: list[Tree],
    documents: list[Document],
    options: Options,
    findings: Findings,
    *,
    context: Sequence[Document] = (),
) -> list[Tree]:
    """The objects of documents that refer to nothing missing; each missing object is an error.

    The objects were made from the documents; `context` exists beside what the options name. Optional references may
    lead nowhere, and so may those to the namespace that an object is in: nothing is created in a namespace that does
    not exist.
    """
    told = set(filter(None, map(unknown_object, findings.items)))
    relaxed = copy(options)
    relaxed.strict_context = False
    # A graph that was refused for one object may lack more.
    whole = compile_documents(documents, relaxed, Findings(), context=context) if told else objects
    missing = [item for item in _missing(whole, documents, options, context) if item.identity[1:] not in told]
    if not missing:
        return objects
    trace = Trace()
    compile_documents(documents, relaxed, Findings(), trace, context=context)
    traced = explain_documents(documents, relaxed, Findings()).objects
    places = Places(documents, traced, FaultSources(traced, relaxed), trace, relaxed)
    default = options.namespace or "default"
    refused: set[Identity] = set()
    for requirement in missing:
        owners = {_owner(need.subject, trace, default) for need in requirement.needs}
        refused |= owners
        findings.add(_finding(requirement, places, min(owners)))
    kept = [document for document in documents if identity(document.value, default) not in refused]
    return compile_documents(kept, options, Findings(), context=context)


def read_again(files: list[str], findings: Findings) -> list[Document]:
    """The documents of files that were read before; what is wrong with them is known."""
    again = Findings()
    again.texts = findings.texts
    again.inputs.stdin = findings.inputs.stdin
    again.inputs.found = findings.inputs.found
    again.inputs.patches = findings.inputs.patches
    return read_paths(files, again)


def _missing(
    objects: list[Tree], documents: list[Document], options: Options, more: Sequence[Document]
) -> list[Requirement]:
    """What the objects refer to and nothing provides, in order of kind and name."""
    config, context = read_surroundings(options, Findings())
    default = options.namespace or "default"
    whole = [with_namespace(item, default) for item in objects]
    inputs = {identity(document.value, default): document for document in documents}
    known = Known(whole, inputs, [*context, *more], default, options.apis)
    installation = None if options.standalone else Installation(config, options.release)
    found: dict[Identity, Requirement] = {}
    for value in whole:
        for key, reference in references_of(value):
            if not reference.optional and key not in inputs:
                found.setdefault(key, Requirement(*key)).needs.append(Need(value, reference.path))
    return [found[key] for key in sorted(found) if settle(key, known, installation)[0] is None]


def _owner(value: Tree, trace: Trace, default: str) -> Identity:
    """The document that an object is made from, which may be the object itself."""
    found = identity(value, default)
    return trace.owners.get(identity(value, "default"), found)


def _finding(requirement: Requirement, places: Places, owner: Identity) -> Finding:
    need = requirement.needs[0]
    need.component = component_of_field(need)
    label = f"{requirement.namespace}/{requirement.name}" if requirement.namespace else requirement.name
    more = f", and in {len(requirement.needs) - 1} more fields" if len(requirement.needs) > 1 else ""
    message = f"{requirement.kind} `{label}` is not in the input or --cluster; it is named in {need_text(need)}{more}."
    hint = f"add the {requirement.kind} to the input, or to a file given with --cluster"
    place = places.of(need.subject, need.path)
    return Finding("context/missing", message, place=place, hint=hint, subject=f"{owner[1]}/{owner[3]}")


def split_findings(findings: list[Finding]) -> tuple[list[Finding], list[Requirement]]:
    """The findings without those on objects that are not shown, and these as requirements of the operator."""
    others: list[Finding] = []
    asked: list[Requirement] = []
    for finding in findings:
        found = unknown_object(finding) if finding.severity == WARNING else None
        if found is None:
            others.append(finding)
            continue
        kind, namespace, name = found
        group = _GROUPS.get(kind, "")
        if not is_namespaced({"apiVersion": f"{group}/x" if group else "x", "kind": kind}):
            namespace = ""
        requirement = Requirement(group, kind, namespace, name)
        requirement.needs.append(_need(finding, namespace))
        requirement.asked = True
        requirement.note = finding.message.partition("; ")[2].rstrip(".")
        asked.append(requirement)
    return others, asked


def _need(finding: Finding, namespace: str) -> Need:
    """The document is the subject: the objects that it becomes need not name the thing."""
    kind, _, name = (finding.subject or "").partition("/")
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    need = Need({"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": metadata}, finding.path)
    need.place = finding.place
    return need


class Places:
    """Finds lines. `inputs` are the documents of the input by identity, `objects` what they become."""

    def __init__(
        self, documents: list[Document], objects: list[Tree], sources: FaultSources, trace: Trace, options: Options
    ) -> None:
        namespace = options.namespace or "default"
        self.inputs: dict[Identity, Document] = {
            identity(with_namespace(document.value, namespace)): document for document in documents
        }
        self._owners = trace.owners
        self._numbers = {identity(item): number for number, item in enumerate(objects)}
        self._sources = sources

    def of(self, value: Tree, path: Path) -> Place | None:
        """Where the input says what is at a field of an object of the output.

        A document that is an object itself has the field. A text of a graph is where it was written; what the operator
        makes up has the component that it is for, else the graph. None where an object has no document.
        """
        key = identity(value)
        document = self.inputs.get(key)
        if document is not None:
            return document.place(path)
        number = self._numbers.get(key)
        place = None if number is None else self._traced(number, path, at(value, path))
        if place is not None:
            return place
        owner = self._owners.get((key[0], key[1], key[2] or "default", key[3]))
        document = self.inputs.get(owner) if owner else None
        return document.place(_NAME, key=True) if document else None

    def _traced(self, number: int, path: Path, value: Any) -> Place | None:
        written = self._sources.written(number, path) if isinstance(value, str) else None
        if written is not None and written.kind == USER and written.path != _NAME:
            return written.place
        for origin in self._sources.owner(number, path):
            if origin.document is not None and origin.path[:2] in _COMPONENTS:
                return origin.document.place(origin.path[:3], key=True)
        return None

"""A rendering as the rules of `dynamoc check` see it: a document, its objects and their pods; the rules by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.analysis.check.arguments import MODE, Arguments
from dynamoc.analysis.compare.pod_counts import Template, claimed_gpus, gpu_claims, gpus_of, templates_of
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Findings, Path, severity_of
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import TYPE_LABEL, entries, identity, mapping, text, with_namespace
from dynamoc.reference.releases import Release
from dynamoc.reference.slugs import Severity, Slug


class Workload:
    """One pod template of a generated object.

    index      number of the object
    item       the object
    template   of the pods
    gpus       of the container that serves; of one pod, where that one has none
    main       the container that serves, `main` or the first, with its path in the object
    arguments  of that container
    """

    def __init__(self, index: int, item: Tree, template: Template, gpus: int) -> None:
        self.index = index
        self.item = item
        self.template = template
        self.gpus = gpus
        self.main = _main(template.spec, template.path)
        self.arguments = Arguments(self.main[1])
        self._variables = {text(pair[1].get("name")): pair for pair in entries(self.main[1], "env", self.main[0])}

    @property
    def component(self) -> str:
        return self.template.component or self.template.name

    @property
    def type(self) -> str:
        """Of the component: `frontend`, `worker`, `decode`, ..."""
        of_pods = mapping(self.item, "spec", "template", "metadata", "labels")
        return text(self.template.labels.get(TYPE_LABEL) or of_pods.get(TYPE_LABEL))

    @property
    def role(self) -> str:
        """`prefill` or `decode`, "" for a worker that does both."""
        mode = (self.arguments.value(MODE) or "").removesuffix("_only")
        if mode in ("prefill", "decode"):
            return mode
        if self.arguments.has("--is-prefill-worker") or self.type == "prefill":
            return "prefill"
        return "decode" if self.arguments.has("--is-decode-worker") else ""

    def variable(self, name: str) -> tuple[Path, Tree] | None:
        """An environment variable of the main container; the last one counts."""
        return self._variables.get(name)

    def containers(self) -> Iterator[tuple[Path, Tree]]:
        for name in ("initContainers", "containers"):
            yield from entries(self.template.spec, name, self.template.path)

    def value(self, name: str) -> tuple[Path, str]:
        """Where the value of an environment variable of the main container stands, and the value; "" for none."""
        found = self.variable(name)
        return ((*found[0], "value"), text(found[1].get("value"))) if found else ((), "")

    def fault(
        self,
        slug: Slug,
        path: Path,
        message: str,
        hint: str | None = None,
        severity: Severity | None = None,
        change: Change | None = None,
    ) -> Fault:
        """A finding on a field of the object."""
        return Fault(
            self.index, self.item, Problem(slug, path, message, hint, severity or severity_of(slug), change=change)
        )

    def at(
        self,
        slug: Slug,
        flags: tuple[str, ...],
        message: str,
        hint: str | None = None,
        severity: Severity | None = None,
    ) -> Fault:
        """A finding on the last of some flags of the main container."""
        return self.fault(slug, (*self.main[0], *self.arguments.place(*flags)), message, hint, severity)


@dataclass(eq=False)
class Component:
    """The pods that run one replica of a component: one node, or a leader and its workers."""

    name: str
    workloads: list[Workload] = dataclasses.field(default_factory=list, init=False)

    @property
    def first(self) -> Workload:
        return self.workloads[0]

    @property
    def nodes(self) -> int:
        """Pods of one replica."""
        return sum(workload.template.each for workload in self.workloads)

    @property
    def gpus(self) -> int:
        """Of one replica."""
        return sum(workload.template.each * workload.gpus + workload.template.shared for workload in self.workloads)


@dataclass(eq=False)
class Rendering:
    """A document, and what the operator makes of it.

    document  as it was written
    value     as the operator stores it
    objects   that it leads to, and `others` all documents of input and context by their kinds
    workloads, components  of the objects
    namespace of documents that name none
    sizes     billions of parameters of models, by component, as the user gives them
    engines   what the rules about GPUs make of them, once
    """

    document: Document
    value: Tree
    objects: list[Tree]
    release: Release
    config: OperatorConfig
    others: Mapping[str, list[Tree]]
    namespace: str = "default"
    engines: list[Any] = field(default_factory=list)
    sizes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.workloads = self._workloads()
        self.components = self._components()

    def _workloads(self) -> list[Workload]:
        beside = self.others.get("ResourceClaimTemplate", ())
        claims = gpu_claims([*self.objects, *(with_namespace(value, self.namespace) for value in beside)])
        found = []
        for index, item in enumerate(self.objects):
            namespace = text(mapping(item, "metadata").get("namespace"))
            for template in templates_of(item):
                claimed = claimed_gpus(template.spec, namespace, claims)
                found.append(Workload(index, item, template, _gpus(template.spec) + claimed))
        return found

    def _components(self) -> list[Component]:
        """Leaders and workers together; objects that are made twice, as LeaderWorkerSets up to 1.0, count once."""
        found: dict[str, Component] = {}
        seen: set[tuple[str, str]] = set()
        for workload in self.workloads:
            name = workload.component.removesuffix("-ldr").removesuffix("-wkr")
            if (name, workload.template.name) in seen:
                continue
            seen.add((name, workload.template.name))
            found.setdefault(name, Component(name)).workloads.append(workload)
        return list(found.values())

    def leaders(self) -> Iterator[tuple[Component, Workload]]:
        """Each component with the pod that leads it."""
        return ((component, component.first) for component in self.components)

    def written_components(self) -> Iterator[tuple[str, Path, Tree]]:
        """The components of the document as it was written: name, path and content."""
        spec = mapping(self.document.value, "spec")
        for path, component in entries(spec, "components", ("spec",)):
            yield text(component.get("name")), path, component
        for name, service in mapping(spec, "services").items():
            if isinstance(service, dict):
                yield name, ("spec", "services", name), service
        if self.document.value.get("kind") == "DynamoComponentDeployment":
            yield text(spec.get("name") or spec.get("serviceName")), ("spec",), spec

    def claims(self) -> dict[tuple[str, ...], Tree]:
        """The claims of volumes that are known, by namespace and name."""
        kind = "PersistentVolumeClaim"
        own = [item for item in self.objects if item.get("kind") == kind]
        return {identity(value, "default")[2:]: value for value in (*self.others.get(kind, ()), *own)}

    def problem(self, slug: Slug, path: Path, message: str, hint: str | None = None) -> Problem:
        """A finding on a field of the document."""
        return Problem(slug, path, message, hint)


def _gpus(spec: Tree) -> int:
    """GPUs of the container that serves, as others may have their own; of the whole pod where that one has none."""
    return gpus_of({**spec, "containers": [_main(spec, ())[1]], "initContainers": []}) or gpus_of(spec)


def _main(spec: Tree, path: Path) -> tuple[Path, Tree]:
    """The container `main`, else the first."""
    found = list(entries(spec, "containers", path))
    named = [pair for pair in found if pair[1].get("name") == "main"]
    return (*named, *found, (path, {}))[0]


def image_parts(image: str) -> tuple[str, str, str]:
    """Repository, tag and digest of an image; the last two are empty where it has none."""
    rest, _, digest = image.partition("@")
    head, colon, tag = rest.rpartition(":")
    if not colon or "/" in tag:
        return rest, "", digest
    return head, tag, digest


def dynamo_minor(tag: str) -> str | None:
    """`1.4` of `1.4.0`, `v1.4.0-cuda13`; None where a tag is no version."""
    parts = tag.removeprefix("v").split("-")[0].split(".")
    return ".".join(parts[:2]) if len(parts) >= 2 and all(part.isdigit() for part in parts[:2]) else None


def settings_in(rendering: Rendering, workload: Workload, file: str) -> Tree | None:
    """What a file says that the pods of a workload read; None where the input does not have it, or it is no mapping."""
    found = _content(rendering, workload, file)
    if found is None:
        return None
    values = [each.value for each in read_text(found.encode(), file, Findings(), objects=False)]
    return values[0] if len(values) == 1 and isinstance(values[0], dict) else None


def mounted_from(workload: Workload, file: str) -> tuple[str, str] | None:
    """The ConfigMap that a file is mounted from, and the key that it must have; None where it is from elsewhere."""
    _, container = workload.main
    volumes = {text(each.get("name")): each for _, each in entries(workload.template.spec, "volumes", ())}
    mounts = [each for _, each in entries(container, "volumeMounts", ())]
    # The mount nearest to the file has it.
    for mount in sorted(mounts, key=lambda each: -len(text(each.get("mountPath")))):
        at = text(mount.get("mountPath")).rstrip("/")
        if not at or not (file == at or file.startswith(f"{at}/")):
            continue
        source = mapping(volumes.get(text(mount.get("name")), {}), "configMap")
        inside = "/".join(part for part in (text(mount.get("subPath")), file[len(at) :].strip("/")) if part)
        keys = {text(each.get("path")): text(each.get("key")) for _, each in entries(source, "items", ())}
        key = keys.get(inside, "") if keys else inside
        return (text(source.get("name")), key) if source else None
    return None


def _content(rendering: Rendering, workload: Workload, file: str) -> str | None:
    name, key = mounted_from(workload, file) or ("", "")
    namespace = text(mapping(workload.item, "metadata").get("namespace"))
    for value in rendering.others.get("ConfigMap", ()) if name else ():
        metadata = mapping(with_namespace(value, rendering.namespace), "metadata")
        if metadata.get("name") == name and metadata.get("namespace") == namespace:
            return text(mapping(value, "data").get(key)) or None
    return None


Rule = Callable[[Rendering], Iterator[Fault | Problem]]
"""Problems are on the document, faults on generated objects, which are shown at the lines that led to them."""

RULES: dict[Slug, Rule] = {}


def rule(*slugs: Slug) -> Callable[[Rule], Rule]:
    """Registers a rule under the names of all findings that it makes."""

    def register(function: Rule) -> Rule:
        for slug in slugs:
            if slug in RULES:
                raise ValueError(f"{slug} has two rules")
            RULES[slug] = function
        return function

    return register

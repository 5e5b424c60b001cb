"""What the operator looks up in the cluster while it makes objects, and the lines of the input behind fields."""

from __future__ import annotations

from typing import Any, Protocol

from dynamoc.admission.cluster.context import unknown_object
from dynamoc.analysis.requires.needs import Need, Requirement
from dynamoc.compiler.explain.traced import USER, Origin
from dynamoc.compiler.options import Options
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import WARNING, Finding, Path, Place
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import at
from dynamoc.kube.names import Identity, Tree, identity, is_namespaced, with_namespace


class Sources(Protocol):
    """Where the values of objects come from, by the index of the object and the path in it."""

    def written(self, index: int, path: Path) -> Origin | None: ...
    def owner(self, index: int, path: Path) -> list[Origin]: ...


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


def split_findings(findings: list[Finding]) -> tuple[list[Finding], list[Requirement]]:
    """The findings without those on objects that nobody showed, and these as requirements of the operator."""
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


_NAME = ("metadata", "name")
_COMPONENTS = (("spec", "services"), ("spec", "components"))


class Places:
    """Finds lines. `inputs` are the documents of the input by identity, `objects` what they become."""

    def __init__(
        self, documents: list[Document], objects: list[Tree], sources: Sources, trace: Trace, options: Options
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

"""The script that fills a directory with what a cluster shows: `kubectl get` of named resources, and nothing else.

The layout of the directory is that of `dynamoc.admission.cluster.capabilities`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from shlex import quote

from dynamoc.reference.features import read_data

FULL = ""
"""The whole object, as `kubectl get -o yaml` prints it."""


@dataclass(eq=False, slots=True)
class Asked:
    """One `kubectl get`.

    file       in the captured directory; several resources may share one
    resource   as kubectl takes it
    template   a Go template that writes YAML documents, or FULL
    """

    file: str
    resource: str
    template: str = FULL
    _: KW_ONLY
    namespaced: bool = False


def _documents(api_version: str, kind: str, rest: str) -> str:
    """A template that writes one document an object: its name, its namespace and `rest`. Go quotes as YAML reads."""
    metadata = 'name: {{printf "%q" .metadata.name}}{{with .metadata.namespace}}, namespace: {{printf "%q" .}}{{end}}'
    head = f"---\napiVersion: {api_version}\nkind: {kind}\nmetadata: {{{metadata}{_LABELS}}}\n"
    return f"{{{{range .items}}}}{head}{rest}{{{{end}}}}"


_QUOTED: Callable[[str], str] = '{{{{printf "%q" {}}}}}'.format
_MAPPING: Callable[[str], str] = (
    # A template starts with two braces, so the one of YAML keeps its distance.
    ' {{{{with {}}}}}{{{{range $key, $value := .}}}}{{{{printf "%q" $key}}}}: {{{{printf "%q" $value}}}}, '
    "{{{{end}}}}{{{{end}}}}"
).format
_LABELS = f", labels: {{{_MAPPING('.metadata.labels')}}}"
_VERSIONS = f"{{{{range .spec.versions}}}}{{name: {_QUOTED('.name')}, served: {{{{.served}}}}}}, {{{{end}}}}"
_CRD = (
    f"spec:\n  group: {_QUOTED('.spec.group')}\n  names: {{kind: {_QUOTED('.spec.names.kind')},"
    f" plural: {_QUOTED('.spec.names.plural')}}}\n  versions: [{_VERSIONS}]\n"
)
_TAINT = (
    f"{{key: {_QUOTED('.key')}, effect: {_QUOTED('.effect')}{{{{with .value}}}}, value: {_QUOTED('.')}{{{{end}}}}}}"
)
_NODE = (
    f"spec:\n  taints: [{{{{range .spec.taints}}}}{_TAINT}, {{{{end}}}}]\n"
    f"status:\n  allocatable: {{{_MAPPING('.status.allocatable')}}}\n  capacity: {{{_MAPPING('.status.capacity')}}}\n"
)
ASKED: tuple[Asked, ...] = (
    Asked(
        "context/crds.yaml",
        "customresourcedefinitions",
        _documents("apiextensions.k8s.io/v1", "CustomResourceDefinition", _CRD),
    ),
    Asked("context/nodes.yaml", "nodes", _documents("v1", "Node", _NODE)),
    Asked("context/classes.yaml", "storageclasses.storage.k8s.io"),
    Asked("context/classes.yaml", "priorityclasses.scheduling.k8s.io"),
    Asked("context/classes.yaml", "runtimeclasses.node.k8s.io"),
    Asked("context/classes.yaml", "deviceclasses.resource.k8s.io"),
    Asked("context/queues.yaml", "queues.scheduling.run.ai"),
    Asked("context/queues.yaml", "queues.scheduling.volcano.sh"),
    Asked("context/topologies.yaml", "clustertopologies.grove.io"),
    Asked("context/topologies.yaml", "clustertopologybindings.grove.io"),
    Asked("context/claims.yaml", "persistentvolumeclaims", namespaced=True),
    Asked("context/claims.yaml", "resourceclaimtemplates.resource.k8s.io", namespaced=True),
    Asked(
        "context/secrets.yaml",
        "secrets",
        _documents("v1", "Secret", f"type: {_QUOTED('.type')}\n"),
        namespaced=True,
    ),
    Asked("context/accounts.yaml", "serviceaccounts", _documents("v1", "ServiceAccount", ""), namespaced=True),
    Asked("against/graphs.yaml", "dynamographdeployments.nvidia.com", namespaced=True),
    Asked("against/graphs.yaml", "dynamocomponentdeployments.nvidia.com", namespaced=True),
    Asked("against/graphs.yaml", "dynamographdeploymentrequests.nvidia.com", namespaced=True),
    Asked("against/graphs.yaml", "dynamomodels.nvidia.com", namespaced=True),
    Asked("context/checkpoints.yaml", "dynamocheckpoints.nvidia.com", namespaced=True),
    Asked("context/checkpoints.yaml", "podsnapshots.nvidia.com", namespaced=True),
    Asked("context/checkpoints.yaml", "snapshotjobs.nvidia.com", namespaced=True),
)


def script(directory: str, context: str | None, namespaces: list[str]) -> str:
    """The text of the script. `namespaces` limits what has one; an empty list asks for all."""
    words = {"@dir@": directory, "@context@": context or "", "@namespaces@": " ".join(namespaces)}
    text = read_data("scripts/capture-cluster.txt")
    for mark, word in words.items():
        text = text.replace(mark, quote(word))
    return text.replace("@asked@", "\n".join(map(_line, ASKED)) + "\n")


def _line(asked: Asked) -> str:
    output = "yaml" if asked.template == FULL else f"go-template={asked.template}"
    if asked.namespaced:
        return f"get_namespaced {asked.file} {asked.resource} {quote(output)}"
    return f"get {asked.file} {asked.resource} --output {quote(output)}"

"""What a compilation takes for granted, reported once a run: the namespace, and what runs pods in the cluster.

The operator finds the pods of a base model by the EndpointSlices of one headless Service, which exists in the namespace
of each graph that has a component with `modelRef`.
Source: internal/controller/dynamo_model_controller.go getEndpointCandidates, internal/dynamo/model_service.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dynamoc.admission.cluster.capabilities import GROVE
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.objects import is_dynamo
from dynamoc.compiler.cluster import Cluster
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, Refusal
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import nearest
from dynamoc.documents.source.document import Document
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, identity, is_namespaced, mapping, text

_NAMESPACE = "Documents without a namespace are rendered for `default`."
_PASSED = "Documents without a namespace pass through without one, and count as objects of `default`."
_NAMESPACE_HINT = "set it with -n or --namespace NAMESPACE; `kubectl apply -n` rejects objects of another namespace"
_TARGET_HINT = "set it with --target grove, lws or plain"


def tell_assumptions(documents: list[Document], options: Options, cluster: ClusterContext, findings: Findings) -> None:
    """Adds a note on the namespace of documents that name none, and one on the target `auto` of graphs.

    People see the first where other documents name another namespace, and the second where a component has several
    nodes: LeaderWorkerSets and Grove are not in each cluster.
    """
    lacking = [] if options.namespace else [item.value for item in documents if _lacks_namespace(item)]
    if lacking:
        message = _NAMESPACE if any(map(is_dynamo, lacking)) else _PASSED
        note = Finding("input/no-namespace", message, hint=_NAMESPACE_HINT)
        named = {(item.value.get("metadata") or {}).get("namespace") for item in documents}
        note.aside = not named - {None, "", "default"}
        findings.add(note)
    graphs = [item.value for item in documents if item.value["kind"] == "DynamoGraphDeployment"]
    if options.target == "auto" and graphs:
        note = Finding("config/target", _decision(options, cluster), hint=_TARGET_HINT)
        note.aside = not any(map(_has_several_nodes, graphs))
        findings.add(note)


def _lacks_namespace(document: Document) -> bool:
    metadata = document.value.get("metadata") or {}
    return not metadata.get("namespace") and is_namespaced(document.value)


def _has_several_nodes(graph: dict[str, Any]) -> bool:
    """Whether a component of a graph, which may be wrong in any way, asks for several nodes."""
    spec = mapping(graph, "spec")
    components = [*mapping(spec, "services").values(), *(each for _, each in entries(spec, "components"))]
    return any(mapping(component, "multinode") for component in components)


def _decision(options: Options, cluster: ClusterContext) -> str:
    """What --target auto decided, why, and what the operator makes of the same graphs in another cluster."""
    whole = f"one {cluster.release['grove/kind']} per graph"
    several = "a LeaderWorkerSet" if cluster.capabilities.lws else "nothing, and an error,"
    apart = f"a Deployment per component, and {several} for several nodes"
    why = _reason(options, cluster)
    told = cluster.config.orchestrators.grove.enabled is not None
    if cluster.capabilities.grove:
        other = "With Grove turned off" if told else "In a cluster without Grove"
        return f"--target auto renders {whole}, because {why}. {other}, it is {apart}."
    other = "With Grove turned on" if told else "In a cluster with Grove"
    return f"--target auto renders {apart}, because {why}. {other}, it is {whole}."


def _reason(options: Options, cluster: ClusterContext) -> str:
    """Where the decision for or against Grove comes from."""
    enabled = cluster.config.orchestrators.grove.enabled
    if enabled is not None:
        if options.operator_config:
            return f"{options.operator_config} turns Grove {'on' if enabled else 'off'}"
        return f"the Helm chart of release {cluster.release.name} turns Grove {'on' if enabled else 'off'} by default"
    groups = cluster.groups
    if groups.serves(GROVE):
        return f"the API group {GROVE} is in {'--cluster' if groups.names(GROVE) else 'the input or --cluster'}"
    if groups.serves(GROVE) is False:
        return f"the cluster has no API group {GROVE}"
    return f"--cluster does not have the API group {GROVE}"


def tell_surroundings(cluster: Cluster, others: list[Document], compiled: list[Document], findings: Findings) -> None:
    """What keeps the operator from starting, and Secrets among the inputs that it cannot read."""
    for setting, group in cluster.existing.capabilities.missing:
        message = (
            f"The configuration enables {setting}, but the cluster does not have the API {group}; the operator exits."
        )
        hint = f"Install the project that serves {group}, or set {setting} to false."
        findings.add(Finding("config/missing-api", message, hint=hint))
    if any(document.value["kind"] == "Secret" for document in (*others, *cluster.context)):
        for name, problem in cluster.existing.broken_pull_secrets():
            message = f"The operator cannot use Secret {name} as a pull secret: {problem}."
            findings.add(Finding("context/broken-pull-secret", message))
        namespaces = {identity(document.value, cluster.namespace)[2] for document in compiled}
        names = cluster.existing.unread_pull_secrets(namespaces)
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:3]) + f" and {len(names) - 3} more" * (len(names) > 3)
            message = f"--cluster has only the names of {shown}: the operator may add them to imagePullSecrets."
            hint = "add the whole Secrets to --cluster if pods depend on them"
            findings.add(Finding("context/secret-content", message, hint=hint))


_KINDS = ("DynamoGraphDeployment", "DynamoComponentDeployment")
_ANNOTATION = "nvidia.com/dynamo-base-model"
_PATH = ("spec", "baseModelName")


@dataclass(eq=False, slots=True)
class Server:
    """A component, or a Service of the context, that has to do with a model.

    who    `component Worker of graph chat`
    model  its `modelRef.name`, "" where it has none
    words  of its arguments
    """

    namespace: str
    who: str
    model: str
    words: tuple[str, ...] = ()


def check_base_model(model: Tree, others: Iterable[Tree], default: str, *, strict: bool) -> list[Problem]:
    """A warning (in strict mode an error) where nothing serves the base model of a DynamoModel.

    `others` are the documents and objects of the same cluster, `default` is the namespace of those that name none.
    """
    spec, namespace = model.get("spec") or {}, model["metadata"]["namespace"]
    wanted = str(spec.get("baseModelName") or "")
    servers = [server for value in others for server in _servers(value, default)]
    if any(server.model == wanted and server.namespace == namespace for server in servers):
        return []
    effect = "loads the adapter nowhere" if spec.get("modelType") == "lora" else "lists no endpoints"
    message = (
        f"No component in the input or --cluster has `modelRef.name: {wanted}` in namespace {namespace}: the operator "
        f"finds no pods for this DynamoModel and {effect}."
    )
    severity = ERROR if strict else WARNING
    return [Problem("model/not-served", _PATH, message, _hint(wanted, namespace, servers), severity)]


def _hint(wanted: str, namespace: str, servers: list[Server]) -> str:
    """The likeliest mistake: another namespace, another spelling, a worker without `modelRef`."""
    for server in servers:
        if server.model == wanted:
            return f"{server.who} serves it in namespace {server.namespace}: put both into one namespace"
    here = [server for server in servers if server.namespace == namespace]
    near = _near(wanted, [server.model for server in here if server.model])
    if near is not None:
        who = next(server.who for server in here if server.model == near)
        case = "; the case of letters matters" if near.lower() == wanted.lower() else ""
        return f"write `{near}`, which {who} serves{case}"
    for server in here:
        if not server.model and wanted in server.words:
            return f"{server.who} names the model in its arguments only: add `modelRef: {{name: {wanted}}}` to it"
    return f"add `modelRef: {{name: {wanted}}}` to the workers that serve it, or add their graph to --cluster"


def _near(wanted: str, models: list[str]) -> str | None:
    last = wanted.rpartition("/")[2].lower()
    same = (model for model in sorted(models) if model.rpartition("/")[2].lower() == last)
    return next(same, None) or nearest(wanted, models)


def _servers(value: Tree, default: str) -> Iterator[Server]:
    """Nobody has checked the value yet."""
    kind, namespace, name = identity(value, default)[1:]
    if kind == "Service":
        served = text(mapping(value, "metadata", "annotations").get(_ANNOTATION))
        if served:
            yield Server(namespace, f"Service {name}", served)
    elif kind in _KINDS:
        for component, who in _components(kind, name, mapping(value, "spec")):
            model = text(mapping(component, "modelRef").get("name"))
            yield Server(namespace, who, model, tuple(_words(component)))


def _components(kind: str, name: str, spec: Tree) -> Iterator[tuple[Tree, str]]:
    if kind == "DynamoComponentDeployment":
        yield spec, f"component {name}"
        return
    for service in mapping(spec, "services"):
        yield mapping(spec, "services", service), f"component {service} of graph {name}"
    for _, component in entries(spec, "components"):
        yield component, f"component {text(component.get('name'))} of graph {name}"


def _words(component: Tree) -> Iterator[str]:
    """The words of what the containers run, whatever the version of the document."""
    for pod in (mapping(component, "extraPodSpec"), mapping(component, "podTemplate", "spec")):
        for container in (mapping(pod, "mainContainer"), *(item for _, item in entries(pod, "containers"))):
            for field in ("command", "args"):
                listed = container.get(field)
                for item in listed if isinstance(listed, list) else ():
                    yield from str(item).replace("=", " ").split()


#: What the operator does with a kind instead of creating objects.
_REASONS = {
    "DynamoModel": "The operator creates no objects for a DynamoModel: it loads the adapter into the pods that serve "
    "the base model, and lists them in the status.",
    "DynamoWorkerMetadata": "The operator creates no objects for a DynamoWorkerMetadata: workers write it themselves, "
    "so that others find them.",
    "PodSnapshot": "The operator creates no objects for a PodSnapshot: it needs the running pod that is to be saved.",
    "PodSnapshotContent": "The operator creates no objects for a PodSnapshotContent: it only describes a saved pod.",
}


def reason(value: Tree) -> str:
    """Why the output holds nothing that is made of a document."""
    kind = str(value["kind"])
    if kind == "DynamoGraphDeploymentScalingAdapter":
        return _of_adapter(value.get("spec") or {})
    if kind in ("DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoCheckpoint"):
        return f"The operator creates no objects for this {kind}."
    return _REASONS.get(kind, f"dynamoc checks this {kind}, but renders no objects for it.")


def _of_adapter(spec: Tree) -> str:
    graph = spec.get("dgdRef") or {}
    component = graph.get("serviceName") or graph.get("componentName") or ""
    return (
        f"The operator creates no objects for a scaling adapter: it writes `replicas: {spec.get('replicas')}` into "
        f"component `{component}` of graph `{graph.get('name', '')}`. dynamoc renders the replicas that the graph sets."
    )


#: what the name of one pod takes in the objects at least
_BYTES_OF_A_POD = 100
_SHARED = ("env", "envs", "annotations", "labels")


def expected_bytes(value: Tree, written: Tree) -> int:
    """What a document becomes at least, in bytes: names of pods, and what all components repeat.

    Raises Refusal where a component has more pods than may be. `written` is the document as the user wrote it.
    """
    components = _components_of(value, written)
    pods = 0
    for path, component in components:
        # Go takes an empty `multinode` for no nodes.
        nodes = (component.get("multinode") or {}).get("nodeCount", 0)
        refuse_many_pods(nodes, (*path, "multinode", "nodeCount"))
        pods += nodes
    spec = value.get("spec") or {}
    shared = sum(map(_size, (spec.get(key) for key in _SHARED))) if len(components) > 1 else 0
    return pods * _BYTES_OF_A_POD + shared * len(components)


def refuse_many_pods(number: int, path: Path) -> None:
    """Raises Refusal above the limit; `path` is where the number stands."""
    if number > limit("pods"):
        message = f"The component has {number:,} pods that need names of their own; the limit `pods` is {{limit:,}}."
        raise Refusal("output/too-large", message.format(limit=limit("pods")), path, hint("pods", number))


def _components_of(value: Tree, written: Tree) -> list[tuple[Path, Tree]]:
    spec = value.get("spec") or {}
    if value["kind"] != "DynamoGraphDeployment":
        return [(("spec",), spec)]
    if "services" in spec:
        return [(("spec", "services", name), item or {}) for name, item in (spec["services"] or {}).items()]
    in_services = "services" in (written.get("spec") or {})
    components = spec.get("components") or []
    return [
        (("spec", "services", item.get("name", "")) if in_services else ("spec", "components", index), item)
        for index, item in enumerate(components)
    ]


def _size(value: Any) -> int:
    """The bytes of a tree as JSON, roughly."""
    if value.__class__ is dict:
        return sum(len(key) + _size(item) + 4 for key, item in value.items())
    if value.__class__ is list:
        return sum(_size(item) + 2 for item in value)
    return len(value) if value.__class__ is str else 5

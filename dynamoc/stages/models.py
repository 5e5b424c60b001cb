"""Which base models the graphs of a cluster serve, and DynamoModels whose base model none of them serves.

The operator finds the pods of a base model by the EndpointSlices of one headless Service, which exists in the namespace
of each graph that has a component with `modelRef`.
Source: internal/controller/dynamo_model_controller.go getEndpointCandidates, internal/dynamo/model_service.go.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, WARNING
from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Tree = dict[str, Any]

_KINDS = ("DynamoGraphDeployment", "DynamoComponentDeployment")
_ANNOTATION = "nvidia.com/dynamo-base-model"
_PATH = ("spec", "baseModelName")


class Server:
    """A component, or a Service of the context, that has to do with a model.

    who    `component Worker of graph chat`
    model  its `modelRef.name`, "" where it has none
    words  of its arguments
    """

    __slots__ = ("model", "namespace", "who", "words")

    def __init__(self, namespace: str, who: str, model: str, words: tuple[str, ...] = ()) -> None:
        self.namespace = namespace
        self.who = who
        self.model = model
        self.words = words


def check_base_model(model: Tree, others: Iterable[Tree], default: str, *, strict: bool) -> list[Problem]:
    """A warning (in strict mode an error) where nothing serves the base model of a DynamoModel.

    `others` are the documents and objects of the same cluster, `default` is the namespace of those that name none.
    """
    wanted, namespace = str(model["spec"].get("baseModelName") or ""), model["metadata"]["namespace"]
    servers = [server for value in others for server in _servers(value, default)]
    if any(server.model == wanted and server.namespace == namespace for server in servers):
        return []
    effect = "loads the adapter nowhere" if model["spec"].get("modelType") == "lora" else "lists no endpoints"
    message = (
        f"No component in the input or --context has `modelRef.name: {wanted}` in namespace {namespace}: the operator "
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
    return f"add `modelRef: {{name: {wanted}}}` to the workers that serve it, or add their graph to --context"


def _near(wanted: str, models: list[str]) -> str | None:
    from dynamoc.schema.nearest import nearest

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

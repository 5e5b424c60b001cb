"""Which base models the graphs of a cluster serve, and DynamoModels whose base model none of them serves.

The operator finds the pods of a base model by the EndpointSlices of one headless Service, which exists in the namespace
of each graph that has a component with `modelRef`.
Source: internal/controller/dynamo_model_controller.go getEndpointCandidates, internal/dynamo/model_service.go.
"""

from __future__ import annotations

from dynamoc.kube.identity import identity
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
    severity = "error" if strict else "warning"
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
    kind, namespace, name = identity(value, default)[1:]
    spec = value.get("spec")
    if kind == "Service":
        served = ((value.get("metadata") or {}).get("annotations") or {}).get(_ANNOTATION)
        if isinstance(served, str):
            yield Server(namespace, f"Service {name}", served)
    elif kind in _KINDS and isinstance(spec, dict):
        for component, of in _components(kind, name, spec):
            reference = component.get("modelRef")
            model = reference.get("name") if isinstance(reference, dict) else None
            yield Server(namespace, of, model if isinstance(model, str) else "", tuple(_words(component)))


def _components(kind: str, name: str, spec: Tree) -> Iterator[tuple[Tree, str]]:
    if kind == "DynamoComponentDeployment":
        yield spec, f"component {name}"
        return
    services, listed = spec.get("services"), spec.get("components")
    named = list(services.items()) if isinstance(services, dict) else []
    if isinstance(listed, list):
        named += [(item.get("name"), item) for item in listed if isinstance(item, dict)]
    for component, found in named:
        if isinstance(found, dict):
            yield found, f"component {component} of graph {name}"


def _words(component: Tree) -> Iterator[str]:
    """The words of what the containers run, whatever the version of the document."""
    pods = (component.get("extraPodSpec"), (component.get("podTemplate") or {}).get("spec"))
    for pod in pods:
        if isinstance(pod, dict):
            for container in (pod.get("mainContainer"), *(pod.get("containers") or ())):
                if isinstance(container, dict):
                    for text in (*(container.get("command") or ()), *(container.get("args") or ())):
                        yield from str(text).replace("=", " ").split()

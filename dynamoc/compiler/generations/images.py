"""Images, names and settings of converted components, and what took the place of fields without a successor.

Source of `DYN_DEPLOYMENT_CONFIG`: internal/dynamo/graph.go overrideWithDynDeploymentConfig.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from dynamoc.compiler.generations.kinds import artifact_of, early_kind
from dynamoc.documents.findings.finding import NOTE, WARNING, Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import loads
from dynamoc.reference.slugs import Severity, Slug

#: today's images by a part of their names: the backend, its module, and the option that names its model
BACKENDS = {
    "sglang-runtime": ("sglang", "dynamo.sglang", "--model-path"),
    "tensorrtllm-runtime": ("trtllm", "dynamo.trtllm", "--model-path"),
    "vllm-runtime": ("vllm", "dynamo.vllm", "--model"),
}


@dataclass(eq=False, slots=True)
class Built:
    """An image of the generation, and what pulls it. `document` is what named it."""

    document: Document
    image: str
    secrets: list[str]


class Images:
    """Answers which image a component gets.

    given  by name of component or archive
    every  for components that `given` does not name, "" for none
    """

    __slots__ = ("_built", "every", "given", "used")

    def __init__(self, words: Iterable[str]) -> None:
        """`words` are `NAME=IMAGE` or `IMAGE`."""
        self.given: dict[str, str] = {}
        self.every = ""
        self.used: set[str] = set()
        self._built: dict[str, Built] = {}
        for word in words:
            name, equals, image = word.partition("=")
            if equals:
                self.given[name] = image
            else:
                self.every = name

    def learn(self, documents: Iterable[Document]) -> None:
        """Takes the images that documents of the input name for their archives."""
        for document in documents:
            kind = early_kind(document.value)
            if kind is not None and kind.role == "image" and _image(document.value):
                spec = document.value["spec"]
                self._built[artifact_of(kind, document.value)] = Built(document, _image(document.value), _secrets(spec))

    def today(self, component: str, artifact: str) -> str:
        """The image that the command line gives, "" for none."""
        for name in (component, artifact):
            if name in self.given:
                self.used.add(name)
                return self.given[name]
        return self.every

    def built(self, artifact: str) -> Built | None:
        return self._built.get(artifact)

    def unused(self) -> list[str]:
        return sorted(set(self.given) - self.used)


def backend(image: str) -> tuple[str, str, str] | None:
    """Framework, module and the option that names the model, for an image that is known to have them."""
    name = image.rpartition("/")[2].partition(":")[0]
    return next((found for part, found in BACKENDS.items() if part in name), None)


def _image(value: Tree) -> str:
    """The image that a document names, or that its status has once it was built."""
    spec, status = value.get("spec"), value.get("status")
    if isinstance(spec, dict) and isinstance(spec.get("image"), str) and spec["image"]:
        return str(spec["image"])
    conditions = status.get("conditions") if isinstance(status, dict) and isinstance(spec, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == "ImageExists" and condition.get("status") == "True":
            return str(condition.get("message") or "")
    return ""


def _secrets(spec: Tree) -> list[str]:
    """Source: dynamocomponent_controller.go: the registry's own Secret first."""
    names = [spec.get("dockerConfigJsonSecretName")]
    listed = spec.get("imagePullSecrets")
    names += [item.get("name") for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))


FRONTEND, WORKER, PREFILL, DECODE, PLANNER = "frontend", "worker", "prefill", "decode", "planner"
#: services of the examples whose work the frontend does today
TAKEN_OVER = ("processor", "router")
_WORDS = ((PREFILL, PREFILL), (DECODE, DECODE), (PLANNER, PLANNER), (WORKER, WORKER), (FRONTEND, FRONTEND))


def role_of(name: str, archived: str = "") -> str:
    """The type of a component; "" where its name says nothing. `archived` is the type that its archive gives."""
    if archived == PLANNER:
        return PLANNER
    return next((role for word, role in _WORDS if word in name.lower()), "")


def roles_of(names: dict[str, str]) -> dict[str, str]:
    """The types of a graph's components, by name: beside a prefill worker, the other workers decode."""
    roles = {name: role_of(name, archived) for name, archived in names.items()}
    if PREFILL in roles.values():
        roles = {name: DECODE if role == WORKER else role for name, role in roles.items()}
    return roles


#: field, severity, why it is dropped, what to do
_LOST: tuple[tuple[str, Severity, str, str | None], ...] = (
    ("externalServices", NOTE, "components find each other by themselves", None),
    ("dynamoNamespace", NOTE, "the operator computes the Dynamo namespace of a graph", None),
    ("runMode", NOTE, "each component runs in pods of its own", None),
    ("monitorExporter", WARNING, "no operator since 0.2 reads it", "collect the metrics of the pods with a PodMonitor"),
    (
        "ingress",
        WARNING,
        "in v1beta1, the operator's configuration decides about the ingress of frontends",
        "set `ingress` in the operator's configuration, or write an Ingress for the frontend's Service, port 8000",
    ),
    (
        "autoscaling",
        WARNING,
        "no operator since 1.0 creates a HorizontalPodAutoscaler",
        "add `scalingAdapter: {}` to the component and let your own autoscaler scale that adapter",
    ),
    (
        "labels",
        WARNING,
        "the operators that read this document ignored them",
        "write them to podTemplate.metadata.labels if pods are to have them",
    ),
    (
        "annotations",
        WARNING,
        "the operators that read this document did not copy them to pods",
        "write them to podTemplate.metadata.annotations if pods are to have them",
    ),
)
_OF_NODES = ("nvidia.com/lws-size", "nvidia.com/deployment-type")


def tell_lost(spec: Tree, name: str, tell: Tell) -> None:
    """Reports each field of a service that does not come along, but those that say nothing."""
    for field, severity, reason, hint in _LOST:
        if _says_something(field, spec.get(field)):
            verb = "are" if field in ("labels", "annotations") else "is"
            tell((field,), "convert/no-successor", f"`{field}` {verb} dropped: {reason}.", hint, severity)
    written = spec.get("serviceName")
    if written and written != name:
        message = f"`serviceName` is dropped: the component is called `{name}`, as its key says."
        tell(("serviceName",), "convert/no-successor", message, severity=NOTE)


def _says_something(field: str, value: Any) -> bool:
    if field in ("ingress", "autoscaling"):
        return isinstance(value, dict) and bool(value.get("enabled"))
    if field == "annotations" and isinstance(value, dict):
        return any(key not in _OF_NODES for key in value)
    return bool(value)


NAME = "DYN_DEPLOYMENT_CONFIG"


class DeploymentConfig:
    """What the settings say of one service.

    readable  whether they are JSON at all
    settings  names of those that have no home in a graph
    """

    __slots__ = ("_args", "_own", "model", "readable", "settings")

    def __init__(self, text: str, service: str) -> None:
        whole = _read(text)
        self.readable = whole is not None
        common, self._own = _map(whole, "Common"), _map(whole, service)
        self._args = _map(self._own, "ServiceArgs")
        model = self._own.get("model") or common.get("model")
        self.model = model if isinstance(model, str) else ""
        self.settings = [key for key in self._own if key not in ("ServiceArgs", "common-configs", "model")]

    @property
    def spec(self) -> Tree:
        """The part that the operator took: replicas, and resources that are requests and limits."""
        out: Tree = {}
        if isinstance(self._args.get("workers"), int):
            out["replicas"] = self._args["workers"]
        given = _map(self._args, "resources")
        found: Tree = {name: str(given[name]) for name in ("cpu", "memory", "gpu") if given.get(name) is not None}
        if _map(given, "custom"):
            found["custom"] = {key: str(value) for key, value in given["custom"].items()}
        if found:
            out["resources"] = {"limits": found, "requests": dict(found)}
        return out

    @property
    def gpus(self) -> tuple[Any, Any]:
        """All GPUs of a replica, and those of one node."""
        return self._args.get("total_gpus"), _map(self._args, "resources").get("gpu")


def _read(text: str) -> Tree | None:
    try:
        value = loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _map(value: Tree | None, key: str) -> Tree:
    found = (value or {}).get(key)
    return found if isinstance(found, dict) else {}


class Tell(Protocol):
    """Takes what has no successor, with a path in the spec of the service."""

    def __call__(
        self, below: Path, slug: Slug, message: str, hint: str | None = None, severity: Severity | None = None
    ) -> None: ...

"""The images of converted components: from the command line, else from documents that named one for an archive."""

from __future__ import annotations

from dynamoc.generations.kinds import artifact_of, early_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.source.document import Document

    Tree = dict[str, Any]

#: today's images by a part of their names: the backend, its module, and the option that names its model
BACKENDS = {
    "sglang-runtime": ("sglang", "dynamo.sglang", "--model-path"),
    "tensorrtllm-runtime": ("trtllm", "dynamo.trtllm", "--model-path"),
    "vllm-runtime": ("vllm", "dynamo.vllm", "--model"),
}


class Built:
    """An image of the generation, and what pulls it. `document` is what named it."""

    __slots__ = ("document", "image", "secrets")

    def __init__(self, document: Document, image: str, secrets: list[str]) -> None:
        self.document = document
        self.image = image
        self.secrets = secrets


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

"""Objects whose YAML is written already: by another process, which hands it over in their place."""

from __future__ import annotations

from dynamoc.emit.yaml import join_texts, yaml_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]
    #: apiVersion, kind, namespace and name, and the YAML
    Plain = tuple[str, str, str | None, str | None, str]


class Printed(dict[str, "Any"]):
    """The fields that tell an object from others, and its YAML, without which no two of them are equal."""

    __slots__ = ("text",)
    __hash__ = None

    def __init__(self, plain: Plain) -> None:
        api_version, kind, namespace, name, self.text = plain
        metadata = {key: item for key, item in (("name", name), ("namespace", namespace)) if item is not None}
        super().__init__(apiVersion=api_version, kind=kind, metadata=metadata)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Printed) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other


class Printer:
    """Writes objects one document after the other."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def plain(self, objects: list[Tree]) -> list[Plain]:
        """The objects as `Printed` takes them."""
        return [_plain(item, text) for item, text in zip(objects, yaml_texts(objects, self._known), strict=True)]


def _plain(item: Tree, text: str) -> Plain:
    metadata = item["metadata"]
    return item["apiVersion"], item["kind"], metadata.get("namespace"), metadata.get("name"), text


def dump_printed(objects: list[Any]) -> str:
    """What `dump_yaml` gives for the objects of which these are `Printed`."""
    return join_texts([item.text for item in objects])

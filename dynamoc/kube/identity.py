"""What makes an object one of its own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]
    #: group, kind, namespace, name; the version does not make another object
    Identity = tuple[str, str, str, str]


def identity(value: Tree, namespace: str = "") -> Identity:
    """The identity of an object; `namespace` is taken where it names none. Its shape may be unchecked."""
    metadata = value.get("metadata")
    if metadata.__class__ is not dict:
        metadata = {}
    group = _text(value.get("apiVersion")).rpartition("/")[0]
    return group, _text(value.get("kind")), _text(metadata.get("namespace")) or namespace, _text(metadata.get("name"))


def _text(value: Any) -> str:
    return "" if value is None else str(value)

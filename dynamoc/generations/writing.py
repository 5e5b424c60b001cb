"""New documents as YAML in the order in which people write them."""

from __future__ import annotations

from dynamoc.convert.nodes import Layout, NodeMaker, serialize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAYOUT = Layout(2, 0)


def yaml_text(objects: list[dict[str, Any]]) -> str:
    """One document an object, keys in the order that they have."""
    return "---\n".join(serialize(NodeMaker({}, value).take(()), _LAYOUT) for value in objects)

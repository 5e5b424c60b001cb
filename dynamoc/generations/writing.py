"""New documents as YAML in the order in which people write them."""

from __future__ import annotations

from dynamoc.convert import spelling
from dynamoc.convert.nodes import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAYOUT = Layout(2, 0)


def yaml_text(objects: list[dict[str, Any]]) -> str:
    """One document an object, keys in the order that they have."""
    return "---\n".join(map(_text, objects))


def _text(value: dict[str, Any]) -> str:
    try:
        return spelling.serialize(spelling.NodeMaker({}, value).take(()), _LAYOUT)
    except spelling.Unusual:
        from dynamoc.convert import round_trip

        return round_trip.serialize(round_trip.NodeMaker({}, value).take(()), _LAYOUT)

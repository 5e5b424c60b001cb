"""Bounds of a single value: enums, ranges, lengths, patterns and formats.

Ranges of integer formats: kubernetes/kube-openapi, pkg/validation/validate/values.go, `IsValueValidAgainstRange`;
an integer without a format must fit 64 bits.
"""

from __future__ import annotations

from dynamoc.schema.chain import unrolled
from dynamoc.schema.string_patterns import is_quantity, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.schema.chain import Chain
    from dynamoc.schema.walk import Node, Walk

_INT32 = 0x8000_0000
_INT64 = 0x8000_0000_0000_0000


def check_bounds(value: Any, node: Node, at: Chain, walk: Walk) -> None:
    """Check a value of the right type; each limit that it breaks is a problem of its own."""
    cls = value.__class__
    if cls is str:
        if "quantity" in node:
            if not is_quantity(value) or not _is_readable(value):
                _broken("pattern", value, node, at, walk)
        else:
            _check_string(value, node, at, walk)
    elif cls is int:
        limit = _INT32 if node.get("format") == "int32" else _INT64
        if not -limit <= value < limit:
            _broken("format", value, node, at, walk)
    elif cls is list:
        _check_size(len(value), "Items", value, node, at, walk)
    elif cls is dict:
        _check_size(len(value), "Properties", value, node, at, walk)
    if (cls is int or cls is float) and ("minimum" in node or "maximum" in node):
        if value < node.get("minimum", value):
            _broken("minimum", value, node, at, walk)
        if value > node.get("maximum", value):
            _broken("maximum", value, node, at, walk)
    if "enum" in node and value not in node["enum"]:
        _broken("enum", value, node, at, walk)


def _is_readable(value: str) -> bool:
    """Whether Go reads the quantity, as the webhooks do next: the pattern takes `1e1.5`, and numbers without end."""
    from dynamoc.golang.quantity import canonical_as_read

    try:
        canonical_as_read(value)
    except ValueError:
        return False
    return True


def _check_string(value: str, node: Node, at: Chain, walk: Walk) -> None:
    if "minLength" in node or "maxLength" in node:
        _check_size(len(value), "Length", value, node, at, walk)
    if "pattern" in node and not matches(node["pattern"], value):
        _broken("pattern", value, node, at, walk)


def _check_size(size: int, noun: str, value: Any, node: Node, at: Chain, walk: Walk) -> None:
    if size < node.get("min" + noun, size):
        _broken("min" + noun, value, node, at, walk)
    if size > node.get("max" + noun, size):
        _broken("max" + noun, value, node, at, walk)


def _broken(limit: str, value: Any, node: Node, at: Chain, walk: Walk) -> None:
    from dynamoc.schema.messages import broken_limit

    walk.errors.append(broken_limit(limit, value, node, unrolled(at)))

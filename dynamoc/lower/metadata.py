"""Parts that all objects share."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]


def metadata(
    name: str, namespace: str, labels: dict[str, str] | None = None, annotations: dict[str, str] | None = None
) -> Tree:
    """ObjectMeta without empty maps."""
    result: Tree = {"name": name, "namespace": namespace}
    if labels:
        result["labels"] = labels
    if annotations:
        result["annotations"] = annotations
    return result


def int_or_string(text: str) -> int | str:
    """intstr.Parse: an integer if strconv.Atoi reads one, else the string."""
    from dynamoc.rules.backends.command import parse_int64

    number = parse_int64(text)
    if number is None:
        return text
    return int32(number)


def int32(number: int) -> int:
    """A number in a type of 32 bits, as Go makes it from a wider one: the rest is cut off."""
    return (number + 2**31) % 2**32 - 2**31

"""Values of fields as people and programs may see them: what is secret never leaves."""

from __future__ import annotations

from dynamoc.diagnostics.printable import one_line as printable_line
from dynamoc.emit.json import json_line
from dynamoc.kube.confidential import HIDDEN, is_confidential, names_a_secret, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.path import Steps
    from dynamoc.compare.result import Change

    Tree = dict[str, Any]

_WIDTH = 100
_CUT = "..."


def shown(kind: str, change: Change, value: Any) -> Any:
    """The value of a change, without the content of Secrets and the values of secret variables."""
    if value is None:
        return None
    if is_confidential(kind, change.steps) or _is_of_secret_variable(change.steps):
        return HIDDEN
    return without_secrets(value)


def _is_of_secret_variable(steps: Steps) -> bool:
    """Whether a path ends with the value of a variable whose name says that it is secret."""
    if len(steps) < 2 or steps[-1] != "value":
        return False
    element = steps[-2]
    return isinstance(element, tuple) and element[0] == "name" and names_a_secret(element[1])


def one_line(value: Any, width: int = _WIDTH) -> str:
    """A value in one line: scalars as YAML would quote them, trees in JSON, cut where they are long."""
    text = full_line(value)
    return text if len(text) <= width else text[: width - len(_CUT)] + _CUT


def full_line(value: Any) -> str:
    """The same, of any length: two values that differ never give the same line."""
    text = value if isinstance(value, str) else json_line(value)
    if isinstance(value, str) and (not value or value != value.strip() or "\n" in value or _looks_typed(value)):
        text = json_line(value)
    # Named, not masked: two texts may differ in these only.
    return printable_line(text)


def two_lines(old: Any, new: Any, width: int = _WIDTH) -> tuple[str, str]:
    """Two values that differ, each in one line. Long ones are cut around what differs."""
    left, right = full_line(old), full_line(new)
    return shortened(left, right, width), shortened(right, left, width)


def shortened(line: str, other: str, width: int = _WIDTH) -> str:
    """A line cut around what tells it from another one."""
    if len(line) <= width and len(other) <= width:
        return line
    return _around(line, *_alike(line, other), width)


def likeness(left: str, right: str) -> int:
    """How many characters two lines share at their ends."""
    return sum(_alike(left, right))


def _alike(left: str, right: str) -> tuple[int, int]:
    """The lengths of what two texts begin and end with alike, which do not overlap."""
    shortest = min(len(left), len(right))
    before = next((at for at in range(shortest) if left[at] != right[at]), shortest)
    rest = shortest - before
    return before, next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)


def _around(text: str, before: int, behind: int, width: int) -> str:
    """The part of a text between two parts that the other text has as well, with as much of these as there is room."""
    middle = text[before : len(text) - behind]
    room = width - 2 * len(_CUT)
    if len(middle) > room:
        half = (room - len(_CUT)) // 2
        shown = middle[:half] + _CUT + middle[-half:]
        return (_CUT if before else "") + shown + (_CUT if behind else "")
    # Of the part before, enough to find the place again; the part behind takes what is left, and gives it back.
    lead = min(before, max((room - len(middle)) // 2, room - len(middle) - behind))
    trail = min(behind, room - len(middle) - lead)
    start, end = before - lead, len(text) - behind + trail
    return (_CUT if start else "") + text[start:end] + (_CUT if end < len(text) else "")


def _looks_typed(text: str) -> bool:
    """Strings that a reader would take for a number, a boolean or null."""
    if text in ("true", "false", "null"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 pod`, `3 pods`"""
    return f"{number} {one if number == 1 else many or one + 's'}"

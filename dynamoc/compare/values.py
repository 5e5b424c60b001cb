"""Values of fields as people and programs may see them: content of Secrets never leaves."""

from __future__ import annotations

from dynamoc.diagnostics.excerpt import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.model import Change
    from dynamoc.compare.path import Steps

    Tree = dict[str, Any]

HIDDEN = "(hidden)"
_SECRET_FIELDS = ("data", "stringData")
_WIDTH = 100


def is_hidden(kind: str, steps: Steps) -> bool:
    """Whether the value at a path is content of a Secret."""
    return kind == "Secret" and steps[:1] in (("data",), ("stringData",))


def shown(kind: str, change: Change, value: Any) -> Any:
    """The value of a change, with the content of Secrets masked."""
    return value if value is None or not is_hidden(kind, change.steps) else HIDDEN


def masked(value: Tree) -> Tree:
    """An object whose content may be shown."""
    if value.get("kind") != "Secret":
        return value
    hidden = {
        field: dict.fromkeys(value[field], HIDDEN) for field in _SECRET_FIELDS if isinstance(value.get(field), dict)
    }
    return {**value, **hidden}


def one_line(value: Any, width: int = _WIDTH) -> str:
    """A value in one line: scalars as YAML would quote them, trees in JSON, cut where they are long."""
    text = value if isinstance(value, str) else _json(value)
    if isinstance(value, str) and (not value or value != value.strip() or "\n" in value or _looks_typed(value)):
        text = _json(value)
    text = printable(text)
    return text if len(text) <= width else text[: width - 3] + "..."


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, sort_keys=True)


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

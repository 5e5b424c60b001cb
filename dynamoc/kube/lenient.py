"""Reading objects whose shape nobody checked: what is not as it should be counts as absent."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Tree = dict[str, Any]
    Path = tuple[str | int, ...]


def mapping(value: Any, *keys: str) -> Tree:
    """The mapping below `keys`, an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def entries(value: Any, key: str, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    """The mappings of the list at `key`, each with its path."""
    items = value.get(key) if isinstance(value, dict) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield (*path, key, index), item


def texts(value: Any) -> list[str]:
    """The texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def whole(value: Any, default: int = 1) -> int:
    """A whole number, 0 where it is negative."""
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else default

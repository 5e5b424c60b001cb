"""YAML text of an object, line by line, each with the path of the value that it belongs to."""

from __future__ import annotations

from dynamoc.emit import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]
    Line = tuple[str, Path, bool]
    """The text, the path, and whether the value at the path is a leaf that begins on this line."""


def yaml_lines(value: Any) -> list[Line]:
    """The lines of `dump_yaml([value])`. A line on which nested blocks begin belongs to the innermost."""
    writer = _Writer()
    writer.node(value, "", "", ())
    return writer.lines


class _Writer:
    """The same walk as `dynamoc.emit.yaml`, which must not be slowed down by paths."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._known: dict[str, str] = {}

    def node(self, value: Any, lead: str, indent: str, path: Path) -> None:
        kind = value.__class__
        if kind is dict and value:
            self._mapping(value, lead, indent, path)
        elif kind is list and value:
            for index, item in enumerate(value):
                self.node(item, f"{lead}- ", indent + "  ", (*path, index))
                lead = indent
        else:
            self._leaf(lead, value, indent, path)

    def _mapping(self, value: dict[str, Any], lead: str, indent: str, path: Path) -> None:
        inner = indent + "  "
        for key in sorted(value):
            item, below = value[key], (*path, str(key))
            text = yaml._string(str(key))
            if len(text) > yaml._LONGEST_KNOWN and len(text.encode()) > yaml._LONGEST_KEY:
                self.lines.append((f"{lead}? {text}", below, False))
                self.node(item, f"{indent}: ", inner, below)
            elif item.__class__ is dict and item:
                self.lines.append((f"{lead}{text}:", below, False))
                self._mapping(item, inner, inner, below)
            elif item.__class__ is list and item:
                self.lines.append((f"{lead}{text}:", below, False))
                self.node(item, indent, indent, below)
            else:
                self._leaf(f"{lead}{text}: ", item, inner, below)
            lead = indent

    def _leaf(self, lead: str, value: Any, indent: str, path: Path) -> None:
        first, *others = (lead + yaml._scalar(value, indent, self._known)).split("\n")
        self.lines.append((first, path, True))
        self.lines += [(other, path, False) for other in others]

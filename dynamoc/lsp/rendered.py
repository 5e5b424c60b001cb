"""What a text renders to, as a text of its own whose lines lead back to the input."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lsprotocol.types import Location, Position, Range

from dynamoc.lsp.documents import Document, uri_of

#: the scheme of the addresses of rendered texts, which editors show read-only
SCHEME = "dynamoc"


class Rendered:
    """The answer to `render`, under an address that ends as the name of the input does."""

    def __init__(self, document: Document, answer: dict[str, Any]) -> None:
        self.uri = f"{SCHEME}:rendered/{quote(document.path.lstrip('/'))}"
        self._document = document
        self._places: dict[int, dict[str, Any]] = dict(answer["places"])

    def origins(self, line: int) -> list[Location]:
        """The place of the input that the value on a line comes from."""
        place = self._places.get(line)
        if place is None:
            return []
        if place["file"] == self._document.path:
            at = self._document.lines.position(place["line"], place["column"])
            return [Location(self._document.uri, Range(at, at))]
        at = Position(place["line"], place["column"])
        return [Location(uri_of(place["file"]), Range(at, at))]

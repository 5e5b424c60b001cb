"""The texts that the editor has open, positions in them, and the documents beside them in the folders of the editor.

dynamoc counts positions in code points from 0, an editor as it asks for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from lsprotocol.types import Position, PositionEncodingKind, Range
from pygls.uris import from_fs_path, to_fs_path

from dynamoc.documents.source.files import walk
from dynamoc.interfaces.lsp.outline import Outline

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNITS = {PositionEncodingKind.Utf8: "utf-8", PositionEncodingKind.Utf16: "utf-16-le"}
_WIDTHS = {"utf-8": 1, "utf-16-le": 2}


class Lines:
    """The lines of a text, without their ends, and the positions in them.

    Lines end at LF, CR LF and CR, as the protocol says, and at nothing else.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind | str | None = None) -> None:
        self.texts = _LINE_END.split(text)
        self._codec = _UNITS.get(PositionEncodingKind(encoding or PositionEncodingKind.Utf16))

    def position(self, line: int, column: int) -> Position:
        """The position of a code point; behind the last line, the end of the text."""
        if line >= len(self.texts):
            line, column = len(self.texts) - 1, len(self.texts[-1])
        before = self.texts[line][:column]
        return Position(line, len(before) if before.isascii() else self._units(before))

    def range(self, line: int, start: int, end: int) -> Range:
        return Range(self.position(line, start), self.position(line, end))

    def point(self, position: Position) -> tuple[int, int]:
        """Line and column of a position; a position inside of a character is that character's."""
        if position.line >= len(self.texts):
            return len(self.texts) - 1, len(self.texts[-1])
        text = self.texts[position.line]
        if text.isascii() or self._codec is None:
            return position.line, min(position.character, len(text))
        units = 0
        for column, char in enumerate(text):
            units += self._units(char)
            if units > position.character:
                return position.line, column
        return position.line, len(text)

    def _units(self, text: str) -> int:
        if self._codec is None:
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // _WIDTHS[self._codec]


_ACTION = r"\{\{-?\s*"
_HELM = re.compile(
    _ACTION
    + r"(?:[.$(]|/\*|(?:block|default|define|else|end|fail|if|include|lookup|printf|quote|range|required|template"
    r"|toYaml|tpl|with)\b)"
)
_ANY = re.compile(_ACTION)
#: characters; nothing but findings is offered in longer texts, which are generated
_LONGEST = 1 << 20


class Document:
    """One text.

    path     of the file, or what the editor calls a text that is in no file
    version  of the editor; None for a text from the disk
    """

    def __init__(
        self,
        uri: str,
        text: str,
        version: int | None = None,
        language: str | None = None,
        encoding: PositionEncodingKind | str | None = None,
    ) -> None:
        self.uri = uri
        self.path = path_of(uri)
        self.text = text
        self.version = version
        self.language = language
        self.encoding = encoding
        self.lines = Lines(text, encoding)

    @property
    def is_large(self) -> bool:
        return len(self.text) > _LONGEST

    @cached_property
    def outline(self) -> Outline:
        """Of a large text, that of an empty one."""
        return Outline([""] if self.is_large else self.lines.texts)

    @cached_property
    def is_template(self) -> bool:
        """Whether Helm makes something else of the text before Kubernetes sees it.

        Other braces are part of a text, such as the Jinja template of a chat, where they are in quotes or in a block.
        """
        if self.language != "helm" and "{{" not in self.text:
            return False
        if self.language == "helm" or _HELM.search(self.text):
            return True
        return any(_ANY.search(line) and _is_bare(line) for line in self.lines.texts)

    @property
    def is_json(self) -> bool:
        """Whether the text can have no comments."""
        return self.path.endswith(".json") or self.text.lstrip().startswith("{")

    @property
    def line_end(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"


def _is_bare(line: str) -> bool:
    """Whether the braces of a line are YAML's own, which no object has."""
    start = line.split("#")[0].lstrip(" -")
    return re.match(r"(?:[\w./-]+:\s+)?\{\{", start) is not None


def path_of(uri: str) -> str:
    path = to_fs_path(uri)
    if path is not None and uri.startswith("file:"):
        return path
    return uri.partition(":")[2] or uri


def uri_of(path: str) -> str:
    return from_fs_path(os.path.abspath(path)) or path


#: files that are looked at for a name; a workspace may be a home directory
MOST_FILES = 5_000
_LARGEST = 1 << 20


def documents_with(word: str, opened: Iterable[Document], folders: Iterable[str]) -> Iterator[Document]:
    """Documents whose text has a word: the open ones as they are, others from the disk. Templates are left out."""
    seen = set()
    opened = list(opened)
    for document in opened:
        seen.add(os.path.realpath(document.path))
        if word in document.text and not document.is_template:
            yield document
    encoding = next((each.encoding for each in opened), None)
    for path in _files(folders):
        if os.path.realpath(path) not in seen:
            seen.add(os.path.realpath(path))
            text = _text(path)
            if text is not None and word in text:
                document = Document(uri_of(path), text, encoding=encoding)
                if not document.is_template:
                    yield document


def _files(folders: Iterable[str]) -> Iterator[str]:
    left = MOST_FILES
    for folder in folders:
        for path in walk(folder):
            if left == 0:
                return
            left -= 1
            yield path


def _text(path: str) -> str | None:
    try:
        if os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None

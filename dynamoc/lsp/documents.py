"""The texts that the editor has open, each with its lines and its outline."""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING

from pygls.uris import from_fs_path, to_fs_path

from dynamoc.lsp.outline import Outline
from dynamoc.lsp.positions import Lines

if TYPE_CHECKING:
    from lsprotocol.types import PositionEncodingKind

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

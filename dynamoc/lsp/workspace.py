"""The documents beside the one that is open: other open ones, and the manifests in the folders of the editor."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from dynamoc.lsp.documents import Document, uri_of
from dynamoc.source.directories import walk

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

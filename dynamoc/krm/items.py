"""Items of a ResourceList as documents, whose findings lead to what the user wrote."""

from __future__ import annotations

import os

from dynamoc.emit.yaml import dump_yaml
from dynamoc.krm.resource_list import ORIGIN, PATHS, without_internal
from dynamoc.source.document import Document
from dynamoc.source.links import is_inside
from dynamoc.source.reader import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics import Findings

    Tree = dict[str, Any]


#: the names that an item had before kustomize changed them
_EARLIER = "internal.config.kubernetes.io/previousNames"


def documents_of(items: list[Tree], findings: Findings) -> list[Document]:
    """A document an item, with the places of its file if that has the same, but for metadata; else of `Kind/name`."""
    files: dict[str, list[Document]] = {}
    documents: list[Document] = []
    for item in items:
        value, internal = without_internal(item)
        path = _path(internal)
        if path is not None and path not in files:
            files[path] = _read(path)
        same = [found for found in files.get(path or "", ()) if _content(found.value) == _content(value)]
        documents += [_placed(value, internal, same)] if same else _written(value, findings)
    return documents


def _content(value: Tree) -> Tree:
    return {key: part for key, part in value.items() if key != "metadata"}


def _placed(value: Tree, internal: dict[str, Any], same: list[Document]) -> Document:
    """The item where its file has it; its name may have got a prefix since then."""
    names = (_name(value), *str(internal.get(_EARLIER, "")).split(","))
    found = next((document for document in same if _name(document.value) in names), same[0])
    return Document(value, found.file, found.index, found.shared_marks)


def _path(internal: dict[str, Any]) -> str | None:
    """The file that an item comes from, from the folder that kustomize and kpt run functions in."""
    for key in PATHS:
        if internal.get(key):
            return _inside(str(internal[key]))
    words = [line.split(": ", 1) for line in str(internal.get(ORIGIN, "")).splitlines()]
    origin = {word[0]: word[1] for word in words if len(word) == 2}
    return _inside(origin["path"]) if "path" in origin and "repo" not in origin else None


def _inside(path: str) -> str | None:
    return path if is_inside(path, os.curdir) and os.path.isfile(path) else None


def _read(path: str) -> list[Document]:
    from dynamoc.diagnostics import Findings
    from dynamoc.source.files import read_paths

    return read_paths([path], Findings())


def _name(value: Tree) -> str:
    metadata = value.get("metadata")
    return str(metadata.get("name", "")) if isinstance(metadata, dict) else ""


def _written(value: Tree, findings: Findings) -> list[Document]:
    file = f"{value.get('kind', '')}/{_name(value)}"
    number = sum(known.partition(" ")[0] == file for known in findings.texts)
    # Two namespaces may have the same name in them.
    file += f" ({number + 1})" if number else ""
    text = findings.texts[file] = dump_yaml([value]).encode()
    return read_text(text, file, findings)

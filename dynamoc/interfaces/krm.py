"""A ResourceList: its items as documents, whose findings lead to what the user wrote, and findings as its results.

Source: github.com/kubernetes-sigs/kustomize cmd/config/docs/api-conventions/functions-spec.md; what kustomize 5.8 was
seen to send.
"""

from __future__ import annotations

import os
from typing import Any

from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Finding, Findings, format_path
from dynamoc.documents.findings.text import arrange
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import is_inside, read_paths
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import identity

API_VERSION = "config.kubernetes.io/v1"
ORIGIN = "config.kubernetes.io/origin"
PATHS = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
#: Annotations by which kustomize, kpt and helm keep account of items; they are not part of the objects.
_INTERNAL = (
    "alpha.config.kubernetes.io/",
    "config.k8s.io/id",
    "config.kubernetes.io/function",
    "config.kubernetes.io/id",
    "config.kubernetes.io/index",
    "config.kubernetes.io/merge-source",
    ORIGIN,
    "config.kubernetes.io/path",
    "internal.config.kubernetes.io/",
    "internal.kpt.dev/",
    "kustomize.config.k8s.io/",
    "postrenderer.helm.sh/",
)


class ResourceList:
    """A list of items, and the configuration of the function; None without one."""

    def __init__(self, items: list[Tree], config: Tree | None) -> None:
        self.config = config
        own = identity(config) if config else None
        #: without the configuration itself, which is the only item that kustomize gives to a generator
        self.items = [item for item in items if identity(item) != own]


def resource_list(value: Any) -> ResourceList:
    """Raises ValueError, with a sentence, for anything else than a ResourceList."""
    if not isinstance(value, dict) or value.get("kind") != "ResourceList":
        raise ValueError(f"A KRM function reads a ResourceList of {API_VERSION} from stdin.")
    items, config = value.get("items") or [], value.get("functionConfig")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("The items of the ResourceList must be a list of objects.")
    if config is not None and not isinstance(config, dict):
        raise ValueError("The functionConfig of the ResourceList must be an object.")
    return ResourceList(items, config)


def without_internal(item: Tree) -> tuple[Tree, dict[str, Any]]:
    """An item as its author wrote it, and the annotations of the tools that brought it here."""
    metadata = item.get("metadata")
    given = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(given, dict):
        return item, {}
    internal = {key: value for key, value in given.items() if key.startswith(_INTERNAL)}
    if not internal:
        return item, {}
    kept = {key: value for key, value in given.items() if key not in internal}
    bare = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**item, "metadata": {**bare, "annotations": kept} if kept else bare}, internal


def restored(objects: list[Tree], items: list[Tree]) -> list[Tree]:
    """The objects; those of the items that pass through have the annotations of the tools again."""
    internal = {identity(item): without_internal(item)[1] for item in items}
    return [_with_internal(item, internal.get(identity(item), {})) for item in objects]


def _with_internal(item: Tree, internal: dict[str, Any]) -> Tree:
    """The item with the annotations of the tools, as it was."""
    if not internal:
        return item
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **internal}}}


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
    return Document(value, found.file, found.index, found.marks)


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


_SEVERITIES = {"error": "error", "warning": "warning", "note": "info"}


def results_of(findings: Findings, documents: list[Document]) -> list[Tree]:
    """One result a finding, in the order of the text on stderr."""
    known = {_subject(document.value): document.value for document in documents}
    return [_result(finding, known) for finding in arrange(findings.items)]


def _result(finding: Finding, known: dict[str, Tree]) -> Tree:
    message = finding.whole_message if finding.hint is None else f"{finding.whole_message}\nhint: {finding.hint}"
    result: Tree = {"message": message, "severity": _SEVERITIES[finding.severity], "tags": {"slug": finding.slug}}
    value = known.get(finding.subject or "")
    if value is not None:
        metadata = value.get("metadata") or {}
        names = {key: metadata[key] for key in ("name", "namespace") if metadata.get(key)}
        result["resourceRef"] = {"apiVersion": value["apiVersion"], "kind": value["kind"], **names}
    if finding.path:
        result["field"] = {"path": format_path(finding.path)}
    if finding.place is not None and finding.place.file not in known:
        result["file"] = {"path": finding.place.file}
    return result


def _subject(value: Tree) -> str:
    metadata = value.get("metadata")
    return f"{value['kind']}/{metadata.get('name', '') if isinstance(metadata, dict) else ''}"

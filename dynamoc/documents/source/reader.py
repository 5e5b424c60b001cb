"""One text of YAML or JSON to its Kubernetes objects: each has a kind and a version, and lists are taken apart.

Whoever gets the objects may rely on `metadata` being a mapping, where it is there, and on names being texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import dirname
from typing import Any

from yaml.error import YAMLError

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.compose import compose
from dynamoc.documents.source.document import Document, Marks, Position, Report, Sources, Unreadable, own_mark
from dynamoc.documents.source.events import decode, is_utf16, judge_conflict, judge_lines, kustomize_pipe
from dynamoc.documents.source.json import NotJSON, read_json
from dynamoc.documents.source.syntax import syntax_error
from dynamoc.kube.limits import hint, limit
from dynamoc.reference.slugs import ErrorSlug

#: the number of bytes of a file, its documents, and the hash of its content where nothing is to be said of it;
#: None, with an error, where it cannot be read
Read = tuple[int, list[Document], int | None] | None

Composed = tuple[Any, Marks]


def read_text(
    data: bytes, file: str, findings: Findings, *, objects: bool = True, sources: Sources | None = None
) -> list[Document]:
    """The objects in the content of a file, in order; `file` is what the user calls it.

    Empty documents are left out. What cannot be read is in `findings` as located errors; the documents before it
    are given all the same. With `objects=False` any value is a document, as configuration files need it.
    `sources` knows which files a stream was made from.
    """
    report = Report(file, findings, sources)
    documents: list[Document] = []
    try:
        for value, marks in _composed(data, report):
            for item, item_marks in objects_in(value, marks, report) if objects else ((value, marks),):
                document = Document(item, file, len(documents), item_marks)
                if sources is not None:
                    document.source = report.source_of(own_mark(document.marks))
                documents.append(document)
    except Unreadable as end:
        findings.add(end.finding)
    return documents


def _composed(data: bytes, report: Report) -> Iterator[Composed]:
    """The values of a text that are not null. Raises Unreadable where it ends early."""
    if len(data) > limit("file-bytes"):
        message = f"The file is larger than {limit('file-bytes'):,} bytes, the limit `file-bytes`."
        report.stop(Position(0, 0), "read/too-large", message, f"Split the file. {hint('file-bytes')}")
    text = decode(data, report)
    found = 0
    for value, marks in _read(text, report):
        if value is not None:
            if found and is_utf16(data):
                message = "Kubernetes reads only the first document of a UTF-16 file."
                report.stop(Position(0, 0), "read/encoding", message, "Save the file as UTF-8.")
            found += 1
            yield value, marks


def _read(text: str, report: Report) -> Iterator[Composed]:
    """As kubectl does it: JSON where it can be, else YAML. The error is in terms of what the file says it is."""
    if "<<<<<<<" in text:
        judge_conflict(text, report)
    named_json = report.file.endswith(".json")
    if not named_json and text.lstrip(" \t\r\n")[:1] != "{":
        yield from _read_yaml(text, report)
        return

    try:
        yield from read_json(text, report)
    except NotJSON as problem:
        if named_json and problem.is_comment:
            report.stop(problem.position, "read/json", problem.message, problem.hint)
        errors = report.errors
        try:
            yield from _read_yaml(text, report)
        except Unreadable:
            if named_json or problem.is_comment:
                report.stop(problem.position, "read/json", problem.message, problem.hint)
            raise
        if named_json and report.errors > errors:
            # As JSON it might be right, if it were JSON.
            report.stop(problem.position, "read/json", problem.message, problem.hint)


def _read_yaml(text: str, report: Report) -> Iterator[Composed]:
    judge_lines(text, report)
    try:
        yield from compose(text, report)
    except YAMLError as error:
        raise syntax_error(error, text, report) from None


_KUSTOMIZATION = "A kustomization is not an object of a cluster."
_HEAD = "Start the document with `apiVersion`, `kind` and `metadata`."


def objects_in(value: Any, marks: Marks, report: Report) -> Iterator[tuple[dict[str, Any], Marks]]:
    """The objects of one document, with their marks. Anything else is reported and left out.

    An item of a list without kind and version is of the list's own kind, without `List`.
    Source: k8s.io/apimachinery pkg/apis/meta/v1/unstructured helpers.go (`decodeToList`).
    """
    if _is_plain_object(value):
        yield value, marks
        return
    if not isinstance(value, dict) or not isinstance(marks, dict):
        message = f"A Kubernetes object is a mapping, not {_noun(value)}."
        report.error(own_mark(marks), "read/not-an-object", message, _HEAD)
        return
    if _is_kustomization(value, report.file):
        hint = f"`{kustomize_pipe(dirname(report.file))}` renders it."
        report.error(own_mark(marks), "read/kustomization", _KUSTOMIZATION, hint)
        return
    if not _is_identified(value, marks, report):
        return
    if not _is_named(value, marks, report):
        return
    kind, items = value["kind"], value.get("items")
    if not kind.endswith("List") or not ("items" in value or kind == "List"):
        yield value, marks
        return
    items_marks: Any = marks["items"][1] if "items" in marks else marks
    if not items:
        report.warn(own_mark(items_marks), "read/empty-list", f"This {kind} contains no objects.")
    elif not isinstance(items, list):
        message = f"The items of a {kind} must be a list, not {_noun(items)}."
        report.error(own_mark(items_marks), "read/not-a-list", message)
    else:
        for item, item_marks in zip(items, items_marks[1:], strict=True):
            yield from objects_in(_typed(item, value), item_marks, report)


def _is_plain_object(value: Any) -> bool:
    """Whether a document is one object in which nothing below is to be said of."""
    if value.__class__ is not dict:
        return False
    kind, version, metadata = value.get("kind"), value.get("apiVersion"), value.get("metadata")
    if kind.__class__ is not str or version.__class__ is not str or not kind or not version or kind[-4:] == "List":
        return False
    if metadata.__class__ is not dict or version.startswith("kustomize.config.k8s.io"):
        return False
    return all(metadata.get(key, "").__class__ is str for key in ("name", "namespace"))


def _is_kustomization(value: dict[str, Any], file: str) -> bool:
    """Whether kustomize reads this, and no API server; apiVersion and kind may be missing in a file of its name."""
    group = str(value.get("apiVersion", "")).partition("/")[0]
    return group == "kustomize.config.k8s.io" or ("kind" not in value and "/kustomization.y" in f"/{file}")


def _typed(item: Any, parent: dict[str, Any]) -> Any:
    if not isinstance(item, dict) or item.get("kind") or item.get("apiVersion") or parent["kind"] == "List":
        return item
    head = {"apiVersion": parent["apiVersion"], "kind": parent["kind"].removesuffix("List")}
    return {**head, **{key: value for key, value in item.items() if key not in head}}


def _is_identified(value: dict[str, Any], marks: dict[Any, Any], report: Report) -> bool:
    """Whether kind and version are there, both as text; reports what is missing."""
    found = True
    if value and not any(key.lower() in ("apiversion", "kind") for key in value):
        hint = "If these are values of a Helm chart: `helm template CHART --values FILE | dynamoc render -`."
        message = "This is not a Kubernetes object: it has neither `apiVersion` nor `kind`."
        report.error(marks[None], "read/no-kind", message, hint)
        return False
    needed: tuple[tuple[str, ErrorSlug], ...] = (("apiVersion", "read/no-api-version"), ("kind", "read/no-kind"))
    for key, slug in needed:
        name = value.get(key)
        if isinstance(name, str) and name:
            continue
        found = False
        if name is None or name == "":
            mark = marks[key][0] if key in marks else marks[None]
            report.error(mark, slug, f"The object has no `{key}`.", _missing_hint(key, value))
        else:
            report.error(
                own_mark(marks[key][1]), slug, f"The `{key}` must be a string, not {_noun(name)}.", "Quote it."
            )
    return found


def _is_named(value: dict[str, Any], marks: dict[Any, Any], report: Report) -> bool:
    """Whether name and namespace are texts, where they are there at all; reports what is something else."""
    metadata = value.get("metadata")
    if metadata is None:
        return True
    metadata_marks = marks["metadata"][1]
    if not isinstance(metadata, dict):
        message = f"The `metadata` must be a mapping, not {_noun(metadata)}."
        report.error(own_mark(metadata_marks), "read/metadata", message, _HEAD)
        return False
    found = True
    for key in ("name", "namespace"):
        name = metadata.get(key)
        if name is not None and not isinstance(name, str):
            found = False
            hint = None if isinstance(name, (dict, list)) else _quote_hint(key, name)
            message = f"The `{key}` of the object must be a string, not {_noun(name)}."
            report.error(own_mark(metadata_marks[key][1]), "read/metadata", message, hint)
    return found


def _quote_hint(key: str, name: object) -> str:
    if key == "name" and not isinstance(name, bool):
        return "Quote it. The name of a graph must also begin with a letter."
    return "Quote it."


def _missing_hint(key: str, value: dict[str, Any]) -> str:
    for other in value:
        if other.lower() == key.lower() and other != key:
            return f"Write `{key}` instead of `{other}`."
    if key == "apiVersion" and str(value.get("kind", "")).startswith("Dynamo"):
        spec = value.get("spec")
        version = "v1alpha1" if isinstance(spec, dict) and "services" in spec else "v1beta1"
        return f"Add `apiVersion: nvidia.com/{version}`."
    if key == "kind" and str(value.get("apiVersion", "")).startswith("nvidia.com/"):
        return "Add `kind: DynamoGraphDeployment`, or the kind that it is."
    return _HEAD


def _noun(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "true or false"
    return "a string" if isinstance(value, str) else "a number"

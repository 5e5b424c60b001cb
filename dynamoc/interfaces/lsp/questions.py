"""What the server asks the compiler: to check a text, what became of a field, and what a text renders to."""

from __future__ import annotations

import os
from typing import Any, TypeAlias
from urllib.parse import quote

from lsprotocol.types import Location, Position, Range

from dynamoc.analysis.fixes import attach
from dynamoc.compiler.explain.annotated import Describer, annotated_with_places
from dynamoc.compiler.explain.fate import Fates
from dynamoc.compiler.explain.input_line import field_answer, field_lines
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.objects import owner_of, related
from dynamoc.documents.findings.edits import Edit
from dynamoc.documents.findings.finding import NOTE, Finding, Findings
from dynamoc.documents.findings.text import arrange, cut
from dynamoc.documents.source.files import read_inputs
from dynamoc.interfaces.cli.check import findings_of
from dynamoc.interfaces.cli.command_line import parse, settled, use_limits
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import Stop, UsageError, without_secrets
from dynamoc.interfaces.cli.settings import with_settings
from dynamoc.interfaces.lsp.documents import Document, uri_of

Data: TypeAlias = "dict[str, Any]"
Values: TypeAlias = "dict[str, Any]"

#: effects of a field; more would fill the screen
_SHOWN = 8


def ask(question: Data) -> Any:
    """`{"what": "check" | "fate" | "render", "path": ..., "texts": {path: text}, ...}` to its answer, plain data."""
    return {"check": _check, "fate": _fate, "render": _render}[question["what"]](question)


def values_of(command: str, path: str) -> Values:
    """The options of a command on one file, as settings and environment give them. Raises UsageError.

    A file that is on no disk yet has the settings of its directory.
    """
    folder = os.path.dirname(path)
    known = path if os.path.isfile(path) else folder if os.path.isdir(folder) else "-"
    lines = with_settings([command, known])
    parsed = parse(lines[0])
    if parsed is None:
        raise UsageError(f"The settings for {path} are not valid; `dynamoc check --show-settings {path}` says why.")
    use_limits(parsed[1].get("limit") or [])
    return settled(command, {**parsed[1], "paths": [path], "jobs": "1"})


def texts_of(question: Data) -> dict[str, bytes]:
    """The texts of the editor, which count before those on disk."""
    texts = question["texts"].items()
    return {name: text.encode("utf-8", "surrogatepass") for path, text in texts for name in _names(path)}


def findings_for(question: Data) -> Findings:
    """A collector that knows these texts."""
    findings = Findings()
    findings.texts |= texts_of(question)
    return findings


def _names(path: str) -> list[str]:
    """What commands call a file: settings name those that they need by relative paths."""
    try:
        return [path, os.path.relpath(path)]
    except ValueError:
        # Another drive.
        return [path]


def _check(question: Data) -> list[Data]:
    """What `dynamoc check` reports on the file."""
    path, texts = question["path"], texts_of(question)
    try:
        findings, _, _ = findings_of({**values_of("check", path), "skip_foreign": True}, texts)
    except UsageError as error:
        return [{"slug": None, "severity": "error", "message": str(error), "related": []}]
    except Stop:
        return []
    if findings.inputs.skipped:
        return []
    is_ours = bool(findings.inputs.compiled) or "nvidia.com/" in question["texts"][path]
    # A note without a line would be on the first one of every file.
    told = [each for each in findings.items if each.place or (is_ours and each.severity != NOTE)]
    arranged = arrange([each for each in told if not each.aside])
    attach(
        [each for each in arranged if each.place is not None and each.place.file == path], without_secrets(findings)[0]
    )
    return [_data(each, path) for each in cut(arranged, lambda finding: finding.severity)]


def _data(finding: Finding, path: str) -> Data:
    """Lines and columns count from 0; a finding on another file, or none, has no line here."""
    data: Data = {"slug": finding.slug, "severity": finding.severity, "message": finding.whole_message}
    data |= {"hint": finding.hint, "related": [_place(each) for each in finding.related]}
    if finding.place is not None and finding.place.file == path:
        data |= _place(finding.place)
    elif finding.place is not None:
        data["related"].insert(0, _place(finding.place))
    if finding.fix is not None:
        data["fix"] = {"title": finding.fix.title, "edits": [_edit(each) for each in finding.fix.edits]}
    return data


def _edit(edit: Edit) -> Data:
    start, end = (edit.line - 1, edit.column - 1), (edit.end_line - 1, edit.end_column - 1)
    return {"start": start, "end": end, "text": edit.new_text}


def _place(place: Any) -> Data:
    return {"file": place.file, "line": max(place.line, 1) - 1, "column": max(place.column, 1) - 1}


def _fate(question: Data) -> list[str]:
    """What the operator makes of a field, in lines of text; none where that is not known."""
    path = tuple(question["field"])
    text = _texts.of(question)
    for document in text.documents:
        if document.place(path, key=True).line == question["line"] + 1 and _has(document.value, path):
            fates = text.fates(document)
            return (
                [] if fates is None else field_lines(field_answer(fates, fates.documents.index(document), path), _SHOWN)
            )
    return []


def _has(value: Any, path: tuple[str | int, ...]) -> bool:
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return False
    return True


class _Explained:
    """The last text that was explained, of which an editor asks for many fields."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self._key: Any = None
        self._options: Any = None
        self._findings = Findings()
        self._fates: dict[Any, Any] = {}

    def of(self, question: Data) -> _Explained:
        """The text of a question, which has no documents where it cannot be read."""
        if self._key == question["key"]:
            return self
        self.documents, self._fates, self._key = [], {}, question["key"]
        values, self._findings = values_of("explain", question["path"]), findings_for(question)
        try:
            self._options = compiler_options({**values, "passthrough": True})
            files = input_files({**values, "skip_foreign": True}, self._findings)
            documents = read_inputs(files, self._findings)
        except (UsageError, Stop):
            return self
        if not self._findings.errors:
            self.documents = documents
        return self

    def fates(self, document: Any) -> Any:
        """The fates of a field of a document and those beside it; None where the document has errors.

        The document is compiled without other graphs.
        """
        if id(document) not in self._fates:
            findings, namespace = Findings(), self._options.namespace
            findings.texts = self._findings.texts
            among = related(self.documents, [owner_of(document.value, namespace)], namespace)
            explained = explain_documents(among, self._options, findings)
            self._fates[id(document)] = None if findings.errors else Fates(explained, among)
        return self._fates[id(document)]


_texts = _Explained()


def _render(question: Data) -> Data:
    """The rendered text, and for its lines the places of the input that their values come from."""
    values, findings = values_of("render", question["path"]), findings_for(question)
    try:
        options = compiler_options(values)
        documents = read_inputs(input_files(values, findings), findings)
        explained = explain_documents(documents, options, findings)
    except UsageError as error:
        return {"text": f"# {error}\n", "places": [], "errors": 1}
    except Stop:
        return {"text": "# The input cannot be read.\n", "places": [], "errors": 1}
    if findings.errors:
        without_secrets(findings)
        lines = [f"# {each.place or 'error'}: {each.message}" for each in findings.items if each.severity == "error"]
        return {"text": "\n".join(lines) + "\n", "places": [], "errors": findings.errors}
    text, places = annotated_with_places(explained.objects, Describer(options))
    return {"text": text, "places": [[line, _place(place)] for line, place in places], "errors": 0}


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

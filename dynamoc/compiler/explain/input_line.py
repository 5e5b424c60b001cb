"""What became of a line of the input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from dynamoc.compiler.explain.answer import VERSION as EXPLAIN_VERSION
from dynamoc.compiler.explain.answer import _bare
from dynamoc.compiler.explain.fate import CHECKED, DECIDES, LOST, PART, REMOVED, VALUE, WITHOUT, Fate, Fates
from dynamoc.compiler.explain.selection import field_text, object_title
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.objects import owner_of, related
from dynamoc.compiler.options import Options, past_errors
from dynamoc.documents.findings.answers import OneOf
from dynamoc.documents.findings.finding import Findings, Path, format_path
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_inputs, text_again
from dynamoc.kube.merge import at
from dynamoc.kube.secrets import HIDDEN, is_hidden

_SHOWN = 20
#: other values are tried of so many fields on a line
_TRIED = 20
_UNTRIED = (
    "This line starts a block of many fields. dynamoc tries other values only of the fields on the line itself. "
    "Explain a line of the block to see what else its field decides."
)
_HOW = {"value": "goes to", "part": "is part of", "lost": "was at", "removed": "was removed"}


@dataclass(slots=True)
class FieldEffect:
    """A place of the output that a field has to do with.

    field  none for a whole object
    """

    KEYS = "how [object] [field?] [step]"
    how: Annotated[str, OneOf(VALUE, PART, LOST, REMOVED, DECIDES)]
    object: str | None = None
    field: str | None = None
    step: str | None = None


@dataclass(slots=True)
class LineField:
    """A field of the input."""

    KEYS = "path value fate effects [reason?] line"
    path: str
    value: Any
    fate: Annotated[str, OneOf(VALUE, PART, LOST, REMOVED, DECIDES, CHECKED, WITHOUT)]
    effects: list[FieldEffect]
    reason: str
    line: int


@dataclass(slots=True)
class LineAnswer:
    """A line of the input

    note  what the answer leaves out
    """

    KEYS = "api_version release target file line fields [note?]"
    api_version: Annotated[str, OneOf(EXPLAIN_VERSION)]
    release: str
    target: str
    file: str
    line: int
    fields: list[LineField]
    note: str = ""


def explain_line(files: list[str], path: str, line: int, options: Options, findings: Findings) -> LineAnswer:
    """Every field that stands on the line, or below a key that does, with its fate.

    Other graphs have no part in the answer, and are not compiled.
    """
    documents = read_inputs(files, findings)
    text = _line(path, line)
    found = [(document, fields_on(document, line, text)) for document in documents]
    owners = [owner_of(document.value, options.namespace) for document, fields in found if fields]
    among = related(documents, owners or [None], options.namespace)
    explained = explain_documents(among, options, findings)
    answer = LineAnswer(EXPLAIN_VERSION, options.release.name, options.target, path, line, [])
    if findings.errors:
        explained = explain_documents(among, options, past_errors(findings, options))
        if not explained.objects:
            return answer
    fates = Fates(explained, among)
    for document, fields in found:
        own = {field for field in fields if _is_on(document, field, line)} if len(fields) > _TRIED else set(fields)
        tried = own if len(own) <= _TRIED else set()
        number = among.index(document) if fields else 0
        answer.fields += [field_answer(fates, number, field, tries=field in tried) for field in fields]
        if len(tried) < len(fields):
            answer.note = _UNTRIED
    return answer


def _is_on(document: Document, path: Path, line: int) -> bool:
    """Whether a value or its own key is on a line, not only a key above."""
    return line in (document.place(path).line, document.place(path, key=True).line)


def _line(path: str, line: int) -> str:
    """What stands on a line of a file, "" where that is unknown."""
    lines = (text_again(path) or "").split("\n")
    return lines[line - 1] if line <= len(lines) else ""


def fields_on(document: Document, line: int, text: str = "") -> list[Path]:
    """Paths of the leaves that a line of the file holds, belongs to, or is the key of; `text` is what stands on it."""
    paths = [path for path, _ in leaves(document.value) if path]
    found = [path for path in _named_services(document) if document.place(path, key=True).line == line]
    # Fields have most of the keys above them in common.
    keys: dict[Path, int] = {}
    for path in paths:
        for depth in range(1, len(path) + 1):
            upto = path[:depth]
            if upto not in keys:
                keys[upto] = document.place(upto, key=True).line
            if keys[upto] == line:
                found.append(path)
                break
        else:
            if document.place(path).line == line:
                found.append(path)
    if found:
        return found
    if text.lstrip(" -").startswith("<<"):
        return _merged(document, paths, line, len(text) - len(text.lstrip(" -")))
    starts = [(document.place(path), path) for path in paths]
    above = [place.key() for place, _ in starts if place.line < line]
    if not above:
        return []
    last = max(above)
    # An alias, or what is merged, stands where its anchor does.
    return [path for place, path in starts if place.key() == last and _goes_on(document, path, line, text)]


def _goes_on(document: Document, path: Path, line: int, text: str) -> bool:
    """Whether a line below the start of a value, where no other starts, is part of it: of a text of several lines."""
    value = at(document.value, path)
    if not isinstance(value, str):
        return False
    if "\n" in value and line <= document.place(path).line + value.count("\n") + 1:
        return True
    # Of a text that was folded, each line has some of the words.
    words = text.strip().strip("\"'").rstrip("\"']}, ")
    return bool(words) and words in value


def _merged(document: Document, paths: list[Path], line: int, column: int) -> list[Path]:
    """What `<<` on a line brings: of the mapping that it is in, the fields that are written further up."""
    around = {path[:depth] for path in paths for depth in range(len(path))}
    starts = {path: document.place(path) for path in around if isinstance(at(document.value, path), dict)}
    inside = [path for path, place in starts.items() if place.line <= line and place.column == column + 1]
    if not inside:
        return []
    mapping = max(inside, key=lambda path: starts[path].line)
    depth = len(mapping)
    return [
        path
        for path in paths
        if path[:depth] == mapping and document.place(path[: depth + 1], key=True).line < starts[mapping].line
    ]


def _named_services(document: Document) -> list[Path]:
    """The services of v1alpha1, whose names are values as well."""
    spec = document.value.get("spec")
    services = spec.get("services") if isinstance(spec, dict) else None
    return [("spec", "services", name) for name in services] if isinstance(services, dict) else []


def field_answer(fates: Fates, number: int, path: Path, *, tries: bool = False) -> LineField:
    """One field of a document; `tries` is that of `Fates.of`."""
    document = fates.documents[number]
    fate = fates.of(number, path, tries=tries)
    value = at(document.value, path)
    shown = path[-1] if isinstance(value, dict) and value else _bare(value)
    if is_hidden(document.value, path):
        shown = HIDDEN
    effects, line = list(_effects(fates, fate)), document.place(path).line
    return LineField(format_path(path), shown, fate.how, effects, fate.reason, line)


def _effects(fates: Fates, fate: Fate) -> Iterator[FieldEffect]:
    for effect in fate.effects:
        item = fates.explained.objects[effect.index] if effect.index >= 0 else None
        title, field = (object_title(item), field_text(item, effect.path)) if item is not None else (None, None)
        yield FieldEffect(effect.how, title, field, effect.step)
    for where in fate.decides:
        yield FieldEffect(DECIDES, *where)


def line_text(answer: LineAnswer) -> str:
    """The answer for people."""
    lines = [f"{answer.file}:{answer.line}"]
    if not answer.fields:
        lines.append("  This line has no field.")
    lines += [f"  {answer.note}"] if answer.note else []
    below = [field.line for field in answer.fields if field.line != answer.line]
    shown_fields = answer.fields
    if len(below) > 1:
        shown_fields = [field for field in answer.fields if field.line == answer.line]
        lines.append(f"  {len(below)} fields below, in lines {min(below)} to {max(below)}: explain one of these lines,")
        lines.append("  or ask for all with -o json.")
    for field in shown_fields:
        shown = str(field.value).replace("\n", "\\n")
        lines.append(f"  {field.path}: {shown if len(shown) <= 80 else shown[:79] + '…'}")
        lines += [f"    {line}" for line in field_lines(field, _SHOWN)]
    return "\n".join(lines) + "\n"


def field_lines(field: LineField, shown: int) -> list[str]:
    """What became of one field, a line for each effect, and at most so many."""
    lines = ["has no effect."] if field.fate == WITHOUT else []
    lines += [field.reason] if field.reason else []
    lines += _at_most([effect for effect in field.effects if effect.how != DECIDES], shown)
    decided = [effect for effect in field.effects if effect.how == DECIDES]
    if decided and field.fate == DECIDES:
        lines.append("is not copied, but decides these:")
    elif decided:
        lines.append("With another value, these change as well:")
    return lines + _at_most(decided, shown)


def _at_most(effects: list[FieldEffect], shown: int) -> list[str]:
    more = len(effects) - shown
    return [*map(_effect_text, effects[:shown]), *([f"… and {more} more; -o json shows all"] if more > 0 else [])]


def _effect_text(effect: FieldEffect) -> str:
    where = f"{effect.object} {effect.field or '(the whole object)'}" if effect.object is not None else ""
    if effect.how == DECIDES:
        return where
    if effect.how == REMOVED:
        return f"was removed by {effect.step}"
    text = f"{_HOW[effect.how]} {where}"
    if effect.how == LOST:
        return f"{text} until {effect.step} replaced it"
    return f"{text} ({effect.step})" if effect.step else text

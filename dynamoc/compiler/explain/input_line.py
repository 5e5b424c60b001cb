"""What became of a line of the input."""

from __future__ import annotations

from typing import Any

from dynamoc.compiler.explain.answer import VERSION, _bare
from dynamoc.compiler.explain.fate import Fate, Fates
from dynamoc.compiler.explain.selection import field_text, object_title
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.objects import owner_of, related
from dynamoc.compiler.options import Options, past_errors
from dynamoc.documents.findings.finding import Findings, Path, format_path
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_inputs, text_again
from dynamoc.kube.merge import at
from dynamoc.kube.secrets import HIDDEN, is_hidden

Data = dict[str, Any]

_SHOWN = 20
#: other values are tried of so many fields on a line
_TRIED = 20
_UNTRIED = (
    "This line starts a block of many fields. dynamoc tries other values only of the fields on the line itself. "
    "Explain a line of the block to see what else its field decides."
)
_HOW = {"value": "goes to", "part": "is part of", "lost": "was at", "removed": "was removed"}


def explain_line(files: list[str], path: str, line: int, options: Options, findings: Findings) -> Data:
    """Every field that stands on the line, or below a key that does, with its fate.

    Other graphs have no part in the answer, and are not compiled.
    """
    documents = read_inputs(files, findings)
    text = _line(path, line)
    found = [(document, fields_on(document, line, text)) for document in documents]
    owners = [owner_of(document.value, options.namespace) for document, fields in found if fields]
    among = related(documents, owners or [None], options.namespace)
    explained = explain_documents(among, options, findings)
    data: Data = {"apiVersion": VERSION, "release": options.release.name, "target": options.target}
    data |= {"file": path, "line": line, "fields": []}
    if findings.errors:
        explained = explain_documents(among, options, past_errors(findings, options))
        if not explained.objects:
            return data
    fates = Fates(explained, among)
    for document, fields in found:
        own = {field for field in fields if _is_on(document, field, line)} if len(fields) > _TRIED else set(fields)
        tried = own if len(own) <= _TRIED else set()
        number = among.index(document) if fields else 0
        for field in fields:
            entry = field_data(fates, number, field, tries=field in tried)
            data["fields"].append(entry | {"line": document.place(field).line})
        if len(tried) < len(fields):
            data["note"] = _UNTRIED
    return data


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


def field_data(fates: Fates, number: int, path: Path, *, tries: bool = False) -> Data:
    """One field of a document, as `explain -o json` prints it; `tries` is that of `Fates.of`."""
    document = fates.documents[number]
    fate = fates.of(number, path, tries=tries)
    value = at(document.value, path)
    shown = path[-1] if isinstance(value, dict) and value else _bare(value)
    if is_hidden(document.value, path):
        shown = HIDDEN
    data: Data = {"path": format_path(path), "value": shown, "fate": fate.how}
    data["effects"] = _effects(fates, fate)
    if fate.reason:
        data["reason"] = fate.reason
    return data


def _effects(fates: Fates, fate: Fate) -> list[Data]:
    objects = fates.explained.objects
    found: list[Data] = []
    for effect in fate.effects:
        entry: Data = {"how": effect.how}
        if effect.index >= 0:
            item = objects[effect.index]
            entry |= {"object": object_title(item), "field": field_text(item, effect.path)}
        if effect.step is not None:
            entry["step"] = effect.step
        found.append(entry)
    for title, field in fate.decides:
        found.append({"how": "decides", "object": title, **({"field": field} if field else {})})
    return found


def line_text(data: Data) -> str:
    """The answer for people."""
    lines = [f"{data['file']}:{data['line']}"]
    if not data["fields"]:
        lines.append("  This line has no field.")
    lines += [f"  {data['note']}"] if "note" in data else []
    below = [field["line"] for field in data["fields"] if field["line"] != data["line"]]
    shown_fields = data["fields"]
    if len(below) > 1:
        shown_fields = [field for field in data["fields"] if field["line"] == data["line"]]
        lines.append(f"  {len(below)} fields below, in lines {min(below)} to {max(below)}: explain one of these lines,")
        lines.append("  or ask for all with -o json.")
    for field in shown_fields:
        shown = str(field["value"]).replace("\n", "\\n")
        lines.append(f"  {field['path']}: {shown if len(shown) <= 80 else shown[:79] + '…'}")
        lines += [f"    {line}" for line in field_lines(field, _SHOWN)]
    return "\n".join(lines) + "\n"


def field_lines(field: Data, shown: int) -> list[str]:
    """What became of one field, a line for each effect, and at most so many."""
    lines = ["has no effect."] if field["fate"] == "without-effect" else []
    lines += [field["reason"]] if "reason" in field else []
    lines += _at_most([effect for effect in field["effects"] if effect["how"] != "decides"], shown)
    decided = [effect for effect in field["effects"] if effect["how"] == "decides"]
    if decided and field["fate"] == "decides":
        lines.append("is not copied, but decides these:")
    elif decided:
        lines.append("With another value, these change as well:")
    return lines + _at_most(decided, shown)


def _at_most(effects: list[Data], shown: int) -> list[str]:
    more = len(effects) - shown
    return [*map(_effect_text, effects[:shown]), *([f"… and {more} more; -o json shows all"] if more > 0 else [])]


def _effect_text(effect: Data) -> str:
    where = f"{effect['object']} {effect.get('field', '(the whole object)')}" if "object" in effect else ""
    if effect["how"] == "decides":
        return where
    step = effect.get("step")
    if effect["how"] == "removed":
        return f"was removed by {step}"
    text = f"{_HOW[effect['how']]} {where}"
    if effect["how"] == "lost":
        return f"{text} until {step} replaced it"
    return f"{text} ({step})" if step else text

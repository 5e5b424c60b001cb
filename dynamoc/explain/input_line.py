"""What became of a line of the input."""

from __future__ import annotations

from dynamoc.diagnostics.finding import format_path
from dynamoc.explain.answer import VERSION, _bare
from dynamoc.explain.fate import Fates
from dynamoc.explain.reach import explain_fields
from dynamoc.explain.selection import field_text, object_title
from dynamoc.explain.traced import leaves
from dynamoc.kube.confidential import HIDDEN, is_hidden
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Findings, Path
    from dynamoc.explain.fate import Fate
    from dynamoc.options import Options
    from dynamoc.source.document import Document

    Data = dict[str, Any]

_SHOWN = 20
_HOW = {
    "value": "goes to",
    "part": "is part of",
    "lost": "was at",
    "removed": "was removed",
}


def explain_line(files: list[str], path: str, line: int, options: Options, findings: Findings) -> Data:
    """Every field that stands on the line, or below a key that does, with its fate."""
    from dynamoc.source.files import read_inputs

    documents = read_inputs(files, findings)
    text = _line(path, line)
    fields = [(number, field) for number, document in enumerate(documents) for field in fields_on(document, line, text)]
    explained = explain_fields(documents, fields, options, findings)
    data: Data = {"apiVersion": VERSION, "release": options.release.name, "target": options.target}
    data |= {"file": path, "line": line, "fields": []}
    if findings.errors:
        from dynamoc.surroundings import past_errors

        explained = explain_fields(documents, fields, options, past_errors(findings, options))
        if not explained.objects:
            return data
    fates = Fates(explained, documents)
    data["fields"] = [field_data(fates, number, field) for number, field in fields]
    return data


def _line(path: str, line: int) -> str:
    """What stands on a line of a file, "" where that cannot be told."""
    from dynamoc.source.files import text_again

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
    """What `<<` on a line brings: of the mapping that it stands in, the fields that are written further up."""
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


def field_data(fates: Fates, number: int, path: Path) -> Data:
    """One field of a document, as `explain -o json` prints it."""
    document = fates.documents[number]
    fate = fates.of(number, path)
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
    for kind, name, path in fate.decides:
        entry = {"how": "decides", "object": f"{kind.lower()}/{name}"}
        if path:
            entry["field"] = format_path(path)
        found.append(entry)
    return found


def line_text(data: Data) -> str:
    """The answer for people."""
    lines = [f"{data['file']}:{data['line']}"]
    if not data["fields"]:
        lines.append("  This line has no field.")
    for field in data["fields"]:
        shown = str(field["value"]).replace("\n", "\\n")
        lines.append(f"  {field['path']}: {shown if len(shown) <= 80 else shown[:79] + '…'}")
        lines += [f"    {line}" for line in field_lines(field, _SHOWN)]
        more = len(field["effects"]) - _SHOWN
        if more > 0:
            lines.append(f"    … and {more} more; -o json shows all")
    return "\n".join(lines) + "\n"


def field_lines(field: Data, shown: int) -> list[str]:
    """What became of one field, a line for each effect, and at most so many."""
    lines = []
    if field["fate"] == "without-effect":
        lines.append("has no effect.")
    if field["fate"] == "decides" and field["effects"]:
        lines.append("is not copied, but decides these:")
    if "reason" in field:
        lines.append(field["reason"])
    return lines + [_effect_text(effect) for effect in field["effects"][:shown]]


def _effect_text(effect: Data) -> str:
    where = f"{effect['object']} {effect.get('field', '(the whole object)')}" if "object" in effect else ""
    step = effect.get("step")
    if effect["how"] == "decides":
        return where
    if effect["how"] == "removed":
        return f"was removed by {step}"
    text = f"{_HOW[effect['how']]} {where}"
    if effect["how"] == "lost":
        return f"{text} until {step} replaced it"
    return f"{text} ({step})" if step else text

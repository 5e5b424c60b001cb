"""What became of a line of the input."""

from __future__ import annotations

from dynamoc.diagnostics.finding import format_path
from dynamoc.explain.answer import VERSION, _bare
from dynamoc.explain.compilation import explain_documents
from dynamoc.explain.fate import Fates
from dynamoc.explain.selection import field_text, object_title
from dynamoc.explain.traced import leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compiler import Options
    from dynamoc.diagnostics.finding import Findings, Path
    from dynamoc.explain.fate import Fate
    from dynamoc.source.document import Document

    Data = dict[str, Any]

_SHOWN = 20
_HOW = {
    "value": "goes to",
    "part": "is a part of",
    "lost": "stood at",
    "removed": "was taken away",
}


def explain_line(files: list[str], path: str, line: int, options: Options, findings: Findings) -> Data:
    """Every field that stands on the line, or below a key that does, with its fate."""
    from dynamoc.source.files import read_paths

    documents = read_paths(files, findings)
    explained = explain_documents(documents, options, findings)
    data: Data = {"apiVersion": VERSION, "release": options.release.name, "target": options.target}
    data |= {"file": path, "line": line, "fields": []}
    if findings.errors:
        return data
    fates = Fates(explained, documents)
    for number, document in enumerate(documents):
        for field in fields_on(document, line):
            data["fields"].append(_field(fates, number, field))
    return data


def fields_on(document: Document, line: int) -> list[Path]:
    """Paths of the leaves that a line of the file holds, belongs to, or is the key of."""
    starts = [(document.place(path, key=True).line, path) for path, _ in leaves(document.value) if path]
    found = [path for path in _named_services(document) if document.place(path, key=True).line == line]
    for _, path in starts:
        lines = {document.place(path).line}
        lines |= {document.place(path[:depth], key=True).line for depth in range(1, len(path) + 1)}
        if line in lines:
            found.append(path)
    if found:
        return found
    above = [(start, path) for start, path in starts if start < line]
    if not above:
        return []
    start, path = max(above, key=lambda item: item[0])
    value: Any = document.value
    for step in path:
        value = value[step]
    # A text of several lines.
    return [path] if isinstance(value, str) and line <= start + value.count("\n") + 1 and "\n" in value else []


def _named_services(document: Document) -> list[Path]:
    """The services of v1alpha1, whose names are values as well."""
    spec = document.value.get("spec")
    services = spec.get("services") if isinstance(spec, dict) else None
    return [("spec", "services", name) for name in services] if isinstance(services, dict) else []


def _field(fates: Fates, number: int, path: Path) -> Data:
    document = fates.documents[number]
    fate = fates.of(number, path)
    value: Any = document.value
    for step in path:
        value = value[step]
    shown = path[-1] if isinstance(value, dict) and value else _bare(value)
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
        lines.append("  No field stands on this line.")
    for field in data["fields"]:
        shown = str(field["value"]).replace("\n", "\\n")
        lines.append(f"  {field['path']}: {shown if len(shown) <= 80 else shown[:79] + '…'}")
        if field["fate"] == "without-effect":
            lines.append("    has no effect.")
        if field["fate"] == "decides":
            lines.append("    is copied nowhere, but decides these:")
        if "reason" in field:
            lines.append(f"    {field['reason']}")
        lines += [f"    {_effect_text(effect)}" for effect in field["effects"][:_SHOWN]]
        more = len(field["effects"]) - _SHOWN
        if more > 0:
            lines.append(f"    … and {more} more; -o json has all")
    return "\n".join(lines) + "\n"


def _effect_text(effect: Data) -> str:
    where = f"{effect['object']} {effect.get('field', '(the whole object)')}" if "object" in effect else ""
    step = effect.get("step")
    if effect["how"] == "decides":
        return where
    if effect["how"] == "removed":
        return f"was taken away by {step}"
    text = f"{_HOW[effect['how']]} {where}"
    if effect["how"] == "lost":
        return f"{text} until {step} put another value there"
    return f"{text} ({step})" if step else text

"""The comment that tells yaml-language-server the schema of a document: `# yaml-language-server: $schema=PATH`.

Source: https://github.com/redhat-developer/yaml-language-server, "Using inlined schema". The path ends at white space.
"""

from __future__ import annotations

import os
import re

from dynamoc.convert.segments import split
from dynamoc.diagnostics.finding import Findings
from dynamoc.release.known_releases import ORDER
from dynamoc.schema.data import served
from dynamoc.source.reader import read_text

_LINE = re.compile(r"^[ \t]*#[ \t]*yaml-language-server:[ \t]*\$schema=[^\r\n]*", re.MULTILINE)
_MARKER = re.compile(r"---[^\r\n]*(\r\n|\n|\r)")
_MARK = b"\xef\xbb\xbf"


class NoModeline(ValueError):
    """The line cannot lead to the schema; the message says why."""


def modeline(kind: str, version: str, place: str, folder: str) -> str:
    """The line for a document in `folder`, with the schema in the directory, or at the URL, `place`.

    The names of the schemas are those of `dynamoc schema --output-dir`. Raises NoModeline.
    """
    name = f"{kind.lower()}_{version.rpartition('/')[2]}.json"
    if "://" in place:
        path = f"{place.rstrip('/')}/{name}"
    else:
        path = os.path.relpath(os.path.join(place, name), folder or os.curdir).replace(os.sep, "/")
    if re.search(r"\s", path):
        raise NoModeline(f"{path} has a space, at which yaml-language-server ends the path of a schema.")
    return f"# yaml-language-server: $schema={path}"


def with_modelines(data: bytes, place: str, folder: str) -> bytes:
    """A file whose documents of the operator's kinds begin with the line; JSON and UTF-16 stay as they are.

    A line that is there already is replaced. Raises NoModeline.
    """
    mark = _MARK if data.startswith(_MARK) else b""
    try:
        text = data.removeprefix(mark).decode()
    except UnicodeDecodeError:
        return data
    if text.lstrip().startswith("{"):
        return data
    pieces = [_with_line(each.text, place, folder) if each.is_document else each.text for each in split(text)]
    return mark + "".join(pieces).encode()


def _with_line(text: str, place: str, folder: str) -> str:
    documents = read_text(text.encode(), "", Findings(), objects=False)
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("apiVersion") not in served(ORDER[-1], str(value.get("kind"))):
        return text
    line = modeline(value["kind"], value["apiVersion"], place, folder)
    found = _LINE.search(text)
    if found is not None and not text[: found.start()].replace("---", "").strip():
        return text[: found.start()] + line + text[found.end() :]
    marker = _MARKER.match(text)
    start = marker.end() if marker else 0
    ends = re.search(r"\r\n|\n|\r", text)
    return text[:start] + line + (ends[0] if ends else "\n") + text[start:]

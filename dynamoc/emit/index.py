"""The index of an output directory: what it was rendered from, and the files that dynamoc wrote.

It holds no times and no paths of the machine, so that the same inputs give the same bytes. Its name has no ending that
kubectl, Argo CD or kubeconform read.
"""

from __future__ import annotations

import json

from dynamoc.emit.directory import is_inside
from dynamoc.kube.sha256 import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

INDEX = ".dynamoc-index"
FORMAT = "dynamoc-index"
VERSION = 1
WRITTEN = "written"
#: says which dynamoc wrote the directory, and no more
PROGRAM = "dynamoc"


class BadIndex(ValueError):
    """Why an index cannot be used."""


def digest(data: bytes) -> str:
    return "sha256:" + hex_digest(data)


def format_index(record: Tree, written: dict[str, str]) -> str:
    """The text of an index; `record` says what the directory was rendered from, `written` has digests by name."""
    whole = {"format": FORMAT, "version": VERSION, **record, WRITTEN: written}
    text = json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    # Names of files are bytes; those that are no text are escaped, and read back as they were.
    return text.encode(errors="backslashreplace").decode()


def parse_index(data: bytes) -> Tree:
    """The index, whose files lie below the directory. BadIndex where it is none: somebody else may have written it."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise BadIndex("it is not JSON") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadIndex("it is not an index of dynamoc")
    if found.get("version") != VERSION:
        raise BadIndex(f"its version is {found.get('version')}, and this dynamoc reads {VERSION}")
    written = found.get(WRITTEN)
    if not isinstance(written, dict) or not all(map(_is_entry, written.items())):
        raise BadIndex("`written` names something else than files of the directory")
    return found


def same(old: Tree, new: Tree) -> bool:
    """Whether two indexes say the same, whichever dynamoc wrote them."""
    return {**old, PROGRAM: None} == {**new, PROGRAM: None}


def _is_entry(entry: tuple[str, object]) -> bool:
    name, value = entry
    return is_below(name) and isinstance(value, str)


def is_below(name: str) -> bool:
    """Whether a name leads to a file of the directory that is not dynamoc's own."""
    return is_inside(name) and not name.startswith(".dynamoc-")

"""The few types of the language server protocol that dynamoc's language server uses, as plain records.

The playground loads this in place of the package `lsprotocol`, which takes longer to import than a graph to compile.
"""

from __future__ import annotations

from typing import Any

#: the fields that the language server gives by position
_FIELDS = {
    "Position": ("line", "character"),
    "Range": ("start", "end"),
    "Location": ("uri", "range"),
    "TextEdit": ("range", "new_text"),
    "MarkupContent": ("kind", "value"),
    "Hover": ("contents", "range"),
    "CompletionList": ("is_incomplete", "items"),
    "DiagnosticRelatedInformation": ("location", "message"),
    "CodeDescription": ("href",),
}


class Record:
    """What is not set is None."""

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(_FIELDS.get(type(self).__name__, ()), values, strict=False))
        self.__dict__.update(named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Names(type):
    """The members of an enumeration are their names."""

    def __getattr__(cls, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return name

    def __call__(cls, name: str) -> str:  # type: ignore[override]
        return name


def __getattr__(name: str) -> Any:
    kind = Names if name.endswith(("Kind", "Severity", "Tag", "Mode")) else type
    found = kind(name, (Record,) if kind is type else (), {})
    globals()[name] = found
    return found

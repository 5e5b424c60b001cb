"""From what a Python program has to documents: texts, paths, plain data, and models of `dynamoc.models`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from dynamoc.source.files import expand, read_inputs
from dynamoc.source.piped import read_piped

if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Findings
    from dynamoc.source.document import Document


@runtime_checkable
class Model(Protocol):
    """An object of `dynamoc.models`."""

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data."""


Source: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Model"
"""YAML or JSON text, the path of a file or directory, an object as plain data, or a model. A `str` with a line feed, or
that starts with `{`, is a text, any other a path."""

_MADE = "<object "


def read(sources: Iterable[Source], findings: Findings, side: str = "") -> list[Document]:
    """The documents of all sources, which together are one cluster. Texts have names of their `side`, if there is one.

    TypeError for what is no source, ValueError for a mapping with values that JSON does not have. What is wrong with
    texts and files is in `findings`.
    """
    documents: list[Document] = []
    for number, source in enumerate(sources, 1):
        if isinstance(source, Mapping):
            documents += _read_data(source, f"{side}{number}", findings)
        elif isinstance(source, Model):
            documents += _read_data(source.to_dict(), f"{side}{number}", findings)
        elif isinstance(source, str) and _is_text(source):
            documents += _read_text(source.encode(), f"<text {side}{number}>", findings)
        elif isinstance(source, (str, os.PathLike)):
            documents += read_inputs(expand([os.fspath(source)], findings), findings)
        else:
            message = f"a source is a text, a path, a mapping or a model, not {type(source).__name__}"
            raise TypeError(message)
    return documents


def _is_text(source: str) -> bool:
    return "\n" in source or source.lstrip()[:1] == "{"


def _read_data(value: Mapping[str, Any], name: str, findings: Findings) -> list[Document]:
    """Through the reader of JSON, so that each value is what it would be in a file."""
    import json

    try:
        text = json.dumps(value, indent=2, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"source {name} is not plain JSON data: {error}") from None
    return _read_text(text.encode(), f"{_MADE}{name}>", findings)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Model):
        return value.to_dict()
    raise TypeError(f"{type(value).__name__} {value!r}")


def _read_text(data: bytes, name: str, findings: Findings) -> list[Document]:
    findings.texts[name] = data
    documents = read_piped(data, name, findings)
    findings.inputs.files += 1
    findings.inputs.count(document.value for document in documents)
    return documents


def as_reported(findings: Findings) -> None:
    """Hides secrets in findings, as commands do. Data has no lines: findings on it say their field, and no place."""
    if findings.items:
        from dynamoc.source.confidential import conceal

        conceal(findings.items, lambda file: _text_of(file, findings), findings.documents)
    for finding in findings.items:
        if finding.place is not None and finding.place.file.startswith(_MADE):
            finding.place = None
        finding.related = tuple(place for place in finding.related if not place.file.startswith(_MADE))


def _text_of(file: str, findings: Findings) -> str | None:
    if file in findings.texts:
        return findings.texts[file].decode(errors="replace").removeprefix("\ufeff")
    from dynamoc.source.files import text_again

    return text_again(file)


def listed(sources: Source | Iterable[Source]) -> list[Source]:
    """One source, or several, as a list."""
    if isinstance(sources, (str, os.PathLike, Mapping, Model)):
        return [sources]
    return list(sources)

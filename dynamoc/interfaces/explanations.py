"""What `dynamoc.explain` gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import field_answers
from dynamoc.compiler.explain.focus import focus_on
from dynamoc.compiler.explain.texts import settle
from dynamoc.compiler.explain.traced_compilation import trace_documents
from dynamoc.compiler.options import Options
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import Path, Place
from dynamoc.documents.source.document import Document
from dynamoc.interfaces.inputs import Object

_MADE = "<object "


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """Where a value comes from.

    kind           `user`, `context`, `schema-default`, `webhook-default`, `conversion`, `namespace`, `constant`,
                   `config`, `rule` or `builder`
    text           the same in words
    name           of a constant, a field of the configuration, a rule or a builder, else ""
    path           of the field in the input, such as `spec.components[0].replicas`, else ""
    place          file, line and column of the input; None for what no file holds
    computed_from  the origins that the value was computed from
    """

    kind: str
    text: str
    name: str = ""
    path: str = ""
    place: Place | None = None
    computed_from: tuple[ValueOrigin, ...] = ()


@dataclass(frozen=True, slots=True)
class LostValue:
    """A value that stood at the place before, and the rule or builder that it lost to."""

    value: Any
    lost_to: str | None
    origin: ValueOrigin | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One value of a rendered object.

    object   `kind/name`
    field    such as `spec.template.spec.containers[main].image`
    value    of confidential fields `(hidden)`
    origin   None where it is not known
    step     name of the rule or builder that put the value where it is, None where none did
    written  what the input has there, where that is something else, else None
    lost     earlier values, the latest first
    """

    object: str
    field: str
    value: Any
    origin: ValueOrigin | None
    step: str | None
    written: Any
    lost: tuple[LostValue, ...]


def explanations(
    documents: list[Document],
    options: Options,
    context: Sequence[Document],
    objects: list[Object],
    trace: Trace,
    asked: tuple[int, Path],
) -> list[Explanation]:
    """One for each value at or below the path of an object that was `asked` for."""

    focus = focus_on(objects, trace, *asked)
    explained = trace_documents(documents, options, focus, context=context)
    settle(explained, focus)
    return [_explanation(answer) for answer in field_answers(explained, *asked, Describer(options))]


def _explanation(answer: dict[str, Any]) -> Explanation:
    lost = [LostValue(item["value"], item["lostTo"], _origin(item.get("origin"))) for item in answer.get("lost", ())]
    step = answer.get("step")
    return Explanation(
        answer["object"],
        answer["field"],
        answer["value"],
        _origin(answer.get("origin")),
        step["name"] if step else None,
        answer.get("written"),
        tuple(lost),
    )


def _origin(data: dict[str, Any] | None) -> ValueOrigin | None:
    return _known(data) if data else None


def _known(data: dict[str, Any]) -> ValueOrigin:
    place = None
    if "file" in data and not data["file"].startswith(_MADE):
        place = Place(data["file"], data["line"], data["column"])
    inputs = tuple(map(_known, data.get("computedFrom", ())))
    # Data has no lines.
    text = re.sub(rf"{_MADE}[^>]*>:\d+:\d+ ?", "", data["text"])
    return ValueOrigin(data["kind"], text, data.get("name", ""), data.get("path", ""), place, inputs)

"""What is known of one field, as data: the same for text and JSON.

The JSON form is documented in docs/explain.md; `VERSION` changes when a reader of it would have to.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import format_path
from dynamoc.explain import origin as kinds
from dynamoc.explain.selection import field_text, object_title
from dynamoc.explain.steps import find_step
from dynamoc.explain.traced import leaves, origin_of, plain
from dynamoc.kube.confidential import HIDDEN, is_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.describe import Describer
    from dynamoc.explain.origin import Origin
    from dynamoc.explain.traced_compilation import Explained

    Data = dict[str, Any]

VERSION = "dynamoc.explain/v1"


def field_answers(explained: Explained, index: int, below: Path, describer: Describer) -> list[Data]:
    """One answer for each leaf of an object at or below a path."""
    item: Any = explained.objects[index]
    value = item
    for step in below:
        value = value[step]
    answers = []
    for path, leaf in leaves(value, below):
        origin = explained.origin(index, path, leaf)
        answer: Data = {"object": object_title(item), "field": field_text(item, path), "value": _bare(leaf)}
        hidden = is_hidden(item, path)
        if hidden:
            answer |= {"value": HIDDEN, "hidden": True}
        if origin is not None:
            answer["origin"] = origin_data(origin, describer)
            if origin.kind == kinds.USER and origin.written not in (None, leaf) and not hidden:
                answer["written"] = _bare(origin.written)
                if leaf.__class__ is int and origin.written.__class__ is int:
                    # The same place, another number: replicas of the other nodes, for instance.
                    answer["computed"] = True
            if origin.step is not None:
                answer["step"] = step_data(origin.step)
            lost = [] if hidden else _lost(origin, describer)
            if lost:
                answer["lost"] = lost
        answers.append(answer)
    return answers


def origin_data(origin: Origin, describer: Describer) -> Data:
    data: Data = {"kind": origin.kind}
    if origin.name:
        data["name"] = origin.name
    if origin.path:
        data["path"] = format_path(origin.path)
    place = describer.config_place(origin.name) if origin.kind == kinds.CONFIG else None
    if origin.kind in (kinds.USER, kinds.CONTEXT):
        place = origin.place
    if place is not None:
        data |= {"file": place.file, "line": place.line, "column": place.column}
    data["text"] = describer.sentence(origin)
    if origin.inputs:
        data["computedFrom"] = [origin_data(item, describer) for item in origin.inputs]
    return data


def step_data(name: str) -> Data:
    step = find_step(name)
    if step is None:
        return {"name": name}
    return {
        "name": name,
        "kind": step.kind,
        "summary": step.summary,
        "source": step.source,
        "releases": list(step.releases),
    }


def _lost(origin: Origin, describer: Describer) -> list[Data]:
    """Earlier values at the same place, the latest first, each with what it lost to."""
    lost, winner = [], origin
    while winner.before is not None:
        earlier = origin_of(winner.before)
        entry: Data = {"value": _bare(winner.before), "lostTo": winner.step}
        if earlier is None:
            lost.append(entry)
            break
        entry["origin"] = origin_data(earlier, describer)
        if earlier.step is not None:
            entry["step"] = earlier.step
        lost.append(entry)
        winner = earlier
    return lost


def _bare(value: Any) -> Any:
    if value.__class__ is dict or value.__class__ is list:
        return {} if value.__class__ is dict else []
    if value.__class__ is bool:
        return bool(value)
    return plain(value)

"""Changed lines of the input and what they cost, in words and for programs."""

from __future__ import annotations

from dynamoc.compare.changed_input import RESTARTS, STARTS, STOPS
from dynamoc.compare.changed_lines import amount_text, amount_verb
from dynamoc.compare.path import format_steps, plain_steps
from dynamoc.compare.result import ADDED, REMOVED, REORDERED
from dynamoc.compare.values import count, full_line, one_line, shown, two_lines
from dynamoc.kube.confidential import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.compare.changed_input import ChangedLine, PodEffect
    from dynamoc.compare.result import Amount, Change
    from dynamoc.compare.text import Line

_WIDTH = 60
_SHOWN = 6


def place_text(line: ChangedLine) -> str:
    """`new.yaml:12`, and for several lines `new.yaml:12-15`"""
    first = f"{line.place.file}:{line.place.line}"
    return f"{first}-{line.last}" if line.last > line.place.line else first


def change_text(line: ChangedLine, redacted: Callable[[str], str] = str) -> str:
    """What differs there: `spec.replicas: 2 -> 4`; the first of several. Values that `redacted` changes are hidden."""
    text = _change_text(line.kind, line.changes[0], redacted)
    more = len(line.changes) - 1
    return f"{text} and {count(more, 'more change')}" if more else text


def _change_text(kind: str, change: Change, redacted: Callable[[str], str]) -> str:
    if not change.steps:
        return {ADDED: f"+ {kind}", REMOVED: f"- {kind}"}.get(change.how, f"{kind}, in another version of the API")
    field = format_steps(change.steps)
    old, new = (_visible(shown(kind, change, value), redacted) for value in (change.old, change.new))
    if change.how == REORDERED:
        return f"{field}: another order"
    if isinstance(old, list) or isinstance(new, list):
        # A run of elements.
        signs = [f"{sign} {_elements(value)}" for sign, value in (("-", old), ("+", new)) if value is not None]
        return f"{field}: {' '.join(signs)}"
    if change.how == ADDED:
        return f"+ {field}: {one_line(new, _WIDTH)}"
    if change.how == REMOVED:
        return f"- {field}: {one_line(old, _WIDTH)}"
    left, right = two_lines(old, new, _WIDTH)
    return f"{field}: {left} -> {right}"


def _visible(value: Any, redacted: Callable[[str], str]) -> Any:
    text = "" if value is None else full_line(value)
    return value if redacted(text) == text else HIDDEN


def _elements(value: Any) -> str:
    text = " ".join(one_line(item, _WIDTH) for item in value) if isinstance(value, list) else str(value)
    return one_line(text, _WIDTH) if len(text) > _WIDTH else text


def cost_text(line: ChangedLine) -> str:
    """`restarts 3 pods, 6 GPUs (Worker); together with new.yaml:12`"""
    restarted = line.total(RESTARTS)
    parts = [f"restarts {amount_text(restarted)}{_names(line)}" if restarted else "no restart"]
    parts += [
        amount_verb(amount, verb) for how, verb in ((STARTS, "start"), (STOPS, "stop")) if (amount := line.total(how))
    ]
    if not restarted and line.alone:
        parts[0] = f"no restart with all other changes; alone, it restarts {amount_text(line.alone)}"
    elif not restarted and line.alone is None:
        parts[0] = "no restart with all other changes"
    if line.joint:
        parts.append(f"together with {_others(line)}")
    if line.update is not None:
        parts.append("the API server refuses this change")
    if line.refused is not None:
        parts.append(f"not possible alone: {line.refused}")
    return "; ".join(parts)


def _names(line: ChangedLine) -> str:
    found = dict.fromkeys(_name(effect) for effect in line.effects if effect.how == RESTARTS)
    return f" ({', '.join(found)})"


def _name(effect: PodEffect) -> str:
    metadata = effect.item.one["metadata"]
    return effect.part.component or f"{effect.item.one['kind']}/{metadata.get('name', '')}"


def _others(line: ChangedLine) -> str:
    """Lines of the same file by their numbers."""
    texts = []
    for other in line.joint[:_SHOWN]:
        same = other.place.file == line.place.file
        texts.append(f"line {other.place.line}" if same else place_text(other))
    more = len(line.joint) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def free_text(lines: list[ChangedLine]) -> str:
    """`2 of 5 changed lines can be shipped without a restart; 1 of these stops pods`"""
    free = [line for line in lines if line.is_free]
    stopping = sum(bool(line.total(STOPS).pods) for line in free)
    total = count(len(lines), "changed line")
    text = f"{len(free)} of {total} can be shipped without a restart"
    return text + (f"; {stopping} of these stop{'s' * (stopping == 1)} pods" if stopping else "")


def line_lines(lines: list[ChangedLine]) -> Iterator[Line]:
    """The section of the output for people."""
    if not lines:
        return
    yield [("object", "Cost of each changed line:")]
    for line in lines:
        sign = "- " if line.is_old else "  "
        yield [("removed" if line.is_old else "", f"{sign}{place_text(line)}  "), ("", change_text(line))]
        yield [("rolls" if line.total(RESTARTS) else "faint", f"      {cost_text(line)}")]
    yield [("", free_text(lines))]
    yield []


def line_records(lines: list[ChangedLine]) -> list[dict[str, Any]]:
    """For programs; docs/diff.md describes the keys."""
    numbers = {id(line): number for number, line in enumerate(lines)}
    return [
        {
            "side": "old" if line.is_old else "new",
            "file": line.place.file,
            "line": line.place.line,
            "lastLine": max(line.last, line.place.line),
            "changes": [_change_record(line.kind, change) for change in line.changes],
            **{name: _amount(line.total(how)) for name, how in (("restarted", RESTARTS), ("started", STARTS))},
            "stopped": _amount(line.total(STOPS)),
            "pods": [_effect_record(effect) for effect in line.effects],
            "together": [numbers[id(other)] for other in line.joint if id(other) in numbers],
            "undoneAlone": line.removes if line.effects else None,
            "withoutRestart": line.is_free,
            "alone": None if line.alone is None else _amount(line.alone),
            "refusedAlone": line.refused,
            "refusedUpdate": line.update,
        }
        for line in lines
    ]


def _change_record(kind: str, change: Change) -> dict[str, Any]:
    return {
        "field": format_steps(change.steps),
        "path": plain_steps(change.steps),
        "change": change.how,
        "old": shown(kind, change, change.old) if change.steps else None,
        "new": shown(kind, change, change.new) if change.steps else None,
    }


def _effect_record(effect: PodEffect) -> dict[str, Any]:
    metadata = effect.item.one["metadata"]
    return {
        "kind": effect.item.one["kind"],
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "template": effect.part.name,
        "component": effect.part.component or None,
        "effect": effect.how,
        **_amount(effect.amount),
    }


def _amount(amount: Amount) -> dict[str, int]:
    return {"pods": amount.pods, "gpus": amount.gpus}

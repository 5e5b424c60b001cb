"""Changed lines of the input as rows of a Markdown table, and findings as quotations."""

from __future__ import annotations

from dynamoc.compare.changed_input import RESTARTS, STARTS, STOPS
from dynamoc.compare.changed_lines import amount_text, amount_verb
from dynamoc.compare.line_words import change_text, cost_text, free_text, place_text
from dynamoc.compare.path import format_steps
from dynamoc.compare.result import CHANGED, Amount
from dynamoc.compare.values import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamoc.compare.changed_input import ChangedLine
    from dynamoc.compare.path import Steps
    from dynamoc.diagnostics.finding import Finding

    Escape = Callable[[str], str]

_SHOWN_FINDINGS = 20
_SHOWN_FILES = 3
_SHOWN_NAMES = 4


def line_rows(lines: list[ChangedLine], cell: Escape, escaped: Escape) -> Iterator[str]:
    """The table; the same change of an image is one row, wherever it is."""
    if not lines:
        return
    yield "| file | component | change | cost |\n| --- | --- | --- | --- |\n"
    images = _images(lines)
    told: set[tuple[str, str]] = set()
    for line in lines:
        key = _image(line)
        if key is None or (len(images[key]) == 1 and len(line.changes) == 1):
            yield _row(line, cell, escaped)
        elif key not in told:
            told.add(key)
            yield _image_row(images[key], cell, escaped)
    yield f"\n{free_text(lines).capitalize()}.\n\n"


def _row(line: ChangedLine, cell: Escape, escaped: Escape) -> str:
    names = list(dict.fromkeys(component_of(change.steps) for change in line.changes))
    component = ", ".join(cell(name) for name in names if name)
    return f"| {cell(place_text(line))} | {component} | {cell(_short(line))} | {escaped(cost_text(line))} |\n"


def _short(line: ChangedLine) -> str:
    """The change, its field from its component on."""
    text, steps = change_text(line), line.changes[0].steps
    head = format_steps(steps[: _depth(steps)])
    for sign in ("", "+ ", "- "):
        if text.startswith(f"{sign}{head}."):
            return sign + text[len(sign) + len(head) + 1 :]
    return text


def component_of(steps: Steps) -> str:
    """The component of a graph that a field belongs to, "" for what is the graph's own."""
    depth = _depth(steps)
    step = steps[depth - 1] if depth else ""
    return step[1] if isinstance(step, tuple) else str(step)


def _depth(steps: Steps) -> int:
    return 3 if steps[:1] == ("spec",) and len(steps) > 2 and steps[1] in ("services", "components") else 0


def _image(line: ChangedLine) -> tuple[str, str] | None:
    """The old and the new image, where a line changes nothing else."""
    steps = [change.steps[-1:] for change in line.changes if change.how == CHANGED and isinstance(change.new, str)]
    if steps != [("image",)] * len(line.changes):
        return None
    found = {(str(change.old), str(change.new)) for change in line.changes}
    return next(iter(found)) if len(found) == 1 else None


def _images(lines: list[ChangedLine]) -> dict[tuple[str, str], list[ChangedLine]]:
    found: dict[tuple[str, str], list[ChangedLine]] = {}
    for line in lines:
        key = _image(line)
        if key is not None:
            found.setdefault(key, []).append(line)
    return found


def _image_row(lines: list[ChangedLine], cell: Escape, escaped: Escape) -> str:
    """`image 1.4.0 → 1.4.1 in 12 components`"""
    change = lines[0].changes[0]
    name, old, new = _versions(change.old, change.new)
    number = sum(len(line.changes) for line in lines)
    names = list(dict.fromkeys(component_of(change.steps) for line in lines for change in line.changes))
    components = ", ".join(map(cell, filter(None, names))) if len(names) <= _SHOWN_NAMES else f"{len(names)} names"
    places = [cell(place_text(line)) for line in lines[:_SHOWN_FILES]]
    more = len(lines) - len(places)
    where = "<br>".join(places) + (f"<br>and {more} more" if more else "")
    image = f"image {cell(name)} " if name else "image "
    what = f"{image}{cell(old)} → {cell(new)} in {count(number, 'component')}"
    return f"| {where} | {components} | {what} | {escaped(_cost(lines))} |\n"


def _versions(old: str, new: str) -> tuple[str, str, str]:
    """The repository that both images share, and their tags; no repository where they share none."""
    (name, _, left), (other, _, right) = old.rpartition(":"), new.rpartition(":")
    return (name, left, right) if name and name == other and "/" not in left + right else ("", old, new)


def _cost(lines: list[ChangedLine]) -> str:
    """What all of the lines do together: an effect that several of them have is one."""
    effects = {id(effect): effect for line in lines for effect in line.effects}
    parts = []
    for how, verb in ((RESTARTS, "restart"), (STARTS, "start"), (STOPS, "stop")):
        total = Amount()
        for effect in effects.values():
            if effect.how == how:
                total.add(effect.amount)
        if how == RESTARTS:
            parts.append(f"restarts {amount_text(total)}" if total else "no restart")
        elif total:
            parts.append(amount_verb(total, verb))
    return "; ".join(parts)


def finding_lines(findings: list[Finding], code: Escape, escaped: Escape) -> Iterator[str]:
    """Errors and warnings, each as a line; notes are counted only."""
    told = [item for item in findings if item.severity != "note"]
    for item in told[:_SHOWN_FINDINGS]:
        where = f"{code(str(item.place or item.subject))}: " if item.place or item.subject else ""
        yield f"> **{item.severity}:** {where}{escaped(item.message)} {code(item.slug)}\n>\n"
    more, notes = len(told) - _SHOWN_FINDINGS, len(findings) - len(told)
    rest = [f"{count(more, 'more finding')}"] if more > 0 else []
    rest += [count(notes, "note")] if notes else []
    if rest:
        yield f"> {' and '.join(rest)} on stderr\n>\n"
    if findings:
        yield "\n"

"""From findings, by the one certain remedy that some have, to edits of a file, each tried before it is offered."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from yaml.error import YAMLError

from dynamoc.analysis.fixed_text import Entry, comment_span, entries, span_of
from dynamoc.documents.findings.edits import Change, Edit, Fix
from dynamoc.documents.findings.finding import Finding, Findings, Path
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import at, copy_tree
from dynamoc.reference.slugs import Slug

ReadText = Callable[[str], str | None]

#: fields that mean nothing, or that the API server or the operator refuses wherever they are
_REMOVED: dict[Slug, str] = {
    "admission/active-deadline": "activeDeadlineSeconds",
    "admission/ephemeral-containers": "ephemeralContainers",
    "admission/epp-multinode": "multinode",
    "admission/multinode-type": "multinode",
    "admission/origin-version": "nvidia.com/dynamo-operator-origin-version",
    "admission/overhead": "overhead",
    "admission/restart-policy": "restartPolicy",
    "cel/client-pods-are-not-supported": "extraClientPods",
    "cel/client-pods-need-inter-pod": "extraClientPods",
    "cel/client-pods-need-inter-pod-mode": "extraClientPods",
    "cel/restart-is-unset-at-creation": "restart",
    "component/dynamo-component-ignored": "dynamoComponent",
    "component/service-name-ignored": "serviceName",
    "container/renamed": "name",
    "graph/dynamo-graph-ignored": "dynamoGraph",
}
_WRITTEN: dict[Slug, object] = {"admission/epp-replicas": 1}


def change_of(finding: Finding) -> Change | None:
    """The change of a finding; None where there are several remedies, or none that is certain."""
    if finding.change is not None:
        return finding.change
    if finding.slug in _REMOVED:
        return Change("remove", old=_REMOVED[finding.slug])
    if finding.slug == "request/ignored" and finding.path and not _is_repeated(finding.path):
        return Change("remove", old=finding.path[-1])
    if finding.slug == "resources/gpu-request-ignored" and finding.related:
        # The limit counts, and is there.
        return Change("remove", old="gpu")
    if finding.slug in _WRITTEN:
        return Change("write", _WRITTEN[finding.slug])
    return None


def _is_repeated(path: Path) -> bool:
    """Whether a field of a request shows in the Job though nothing reads it: mounted, or in the Job's arguments."""
    return path[-1] == "configMapRef" or path[:2] == ("spec", "overrides")


def title_of(change: Change, entry: Entry | None) -> str:
    """What a change does, as an order."""
    if entry is None:
        return "Remove the comment"
    name = next((step for step in reversed(entry.path) if isinstance(step, str)), "")
    if change.kind == "rename":
        return f"Rename `{name}` to `{change.new}`"
    if change.kind == "remove":
        return f"Remove the item of `{name}`" if entry.key is None else f"Remove `{name}`"
    if change.kind == "quote":
        return f"Put the value of `{name}` in quotes"
    if change.kind == "list":
        return f"Write `{name}` as a list"
    written = change.new if isinstance(change.new, str) else str(change.new).lower()
    return f"Write `{name}: {written}`"


def values_of(text: str) -> list[Any] | None:
    """The documents of a text that are not empty, as Kubernetes reads them; None where it has errors."""
    findings = Findings()
    found = [item.value for item in read_text(text.encode("utf-8", "surrogatepass"), "", findings, objects=False)]
    return None if findings.errors else found


def value_of(values: list[Any], entry: Entry) -> Any:
    """What an entry of the text says."""
    return at(values, (entry.document, *entry.path))


def changed(values: list[Any], changes: list[tuple[Change, Entry]], text: str) -> list[Any] | None:
    """The documents after changes of the text; None where an entry is not what it seems."""
    out: list[Any] = copy_tree(values)
    # The last items of a list first: the others keep their numbers.
    for change, entry in sorted(changes, key=lambda each: each[1].start, reverse=True):
        if entry.parent is None or not _change(at(out, (entry.document, *entry.path[:-1])), change, entry, text):
            return None
    return out


def _change(holder: Any, change: Change, entry: Entry, text: str) -> bool:
    step = entry.path[-1]
    if not (step in holder if isinstance(holder, dict) else isinstance(holder, list) and step in range(len(holder))):
        return False
    if change.kind == "remove":
        del holder[step]
    elif change.kind == "rename":
        holder[change.new] = holder.pop(step)
    elif change.kind == "quote":
        holder[step] = text[entry.value.start : entry.value.end]
    else:
        holder[step] = [holder[step]] if change.kind == "list" and change.new is None else change.new
    return True


def attach(findings: list[Finding], read: ReadText) -> None:
    """Sets `fix` of the findings that have one certain remedy in the text of their file.

    A fix is left out where the text does not allow it: an anchor stands for other places too, the layout cannot be
    kept, or the changed text would not say what is meant.
    """
    by_file: dict[str, list[tuple[Finding, Change]]] = {}
    for finding in findings:
        change = None if finding.place is None or finding.place.source else change_of(finding)
        if finding.fix is None and finding.place is not None and change is not None:
            by_file.setdefault(finding.place.file, []).append((finding, change))
    for file, found in by_file.items():
        text = read(file)
        if text is not None and (known := _known(file, text)) is not None:
            known.attach(found)


def _known(file: str, text: str) -> _Text | None:
    values = values_of(text)
    try:
        return None if values is None else _Text(file, text, values)
    except (YAMLError, RecursionError):
        return None


def apply(text: str, fixes: list[Fix]) -> tuple[str, int]:
    """The text with as many fixes as do not overlap, and their number; the others wait for another round."""
    taken: list[Edit] = []
    number = 0
    done: set[tuple[Edit, ...]] = set()
    for fix in sorted(fixes, key=lambda each: each.edits[0].start):
        if fix.edits in done:
            number += 1
        elif not any(edit.start < other.end and other.start < edit.end for edit in fix.edits for other in taken):
            taken += fix.edits
            done.add(fix.edits)
            number += 1
    for edit in sorted(taken, key=lambda each: each.start, reverse=True):
        text = text[: edit.start] + edit.new_text + text[edit.end :]
    return text, number


@dataclass(eq=False, slots=True)
class _Step:
    """What will become of a part of a text: `entry` is None for comments."""

    finding: Finding
    change: Change
    entry: Entry | None
    start: int
    end: int
    new: str


class _Text:
    """The text of one file, and what it says."""

    def __init__(self, file: str, text: str, values: list[Any]) -> None:
        self.file = file
        self.text = text
        self.values = values
        self.lines = _line_starts(text)
        self.entries = entries(text)
        self.by_start: dict[int, list[Entry]] = {}
        for entry in self.entries:
            for start in {entry.start, entry.value.start}:
                self.by_start.setdefault(start, []).append(entry)

    def attach(self, found: list[tuple[Finding, Change]]) -> None:
        """Sets the fixes: those that do not overlap are tried together, and alone if that fails."""
        steps = [step for pair in found if (step := self._step(*pair)) is not None]
        apart: list[_Step] = []
        for step in sorted(steps, key=lambda each: each.start):
            if not apart or step.start >= apart[-1].end:
                apart.append(step)
        good = apart if self._says(apart) else []
        good += [step for step in steps if step not in good and self._says([step])]
        for step in good:
            edit = self._edit(step.start, step.end, step.new)
            step.finding.fix = Fix(title_of(step.change, step.entry), (edit,))

    def _step(self, finding: Finding, change: Change) -> _Step | None:
        assert finding.place is not None
        if not 0 < finding.place.line <= len(self.lines):
            return None
        start = self.lines[finding.place.line - 1] + finding.place.column - 1
        if change.kind == "comment":
            return _Step(finding, change, None, *comment_span(start, self.text))
        entry = self._entry(start, finding.path, change)
        span = None if entry is None else span_of(change, entry, self.text)
        return None if span is None else _Step(finding, change, entry, *span)

    def _entry(self, start: int, path: Path, change: Change) -> Entry | None:
        """What a change is about: at the place of the finding and at its path, with what the change expects there."""
        found = [each for each in self.by_start.get(start, ()) if path and each.path[-len(path) :] == path]
        entry = found[0] if len(found) == 1 else None
        for _ in range(change.up):
            entry = None if entry is None else entry.parent
        if entry is not None and change.kind == "remove" and change.old is not None:
            entry = self._named(entry, change.old)
        if entry is None or entry.is_shared:
            return None
        expects = change.kind == "write" and change.old is not None
        return None if expects and value_of(self.values, entry) != change.old else entry

    def _named(self, entry: Entry, key: str) -> Entry | None:
        """The entry itself, or the one right below it, whichever has the key."""
        if entry.path[-1:] == (key,):
            return entry
        below = (each for each in self.entries if each.parent is entry and each.path[-1] == key)
        return next(below, None)

    def _says(self, steps: list[_Step]) -> bool:
        """Whether the text says what is meant after these steps, and nothing else."""
        text = self.text
        for step in sorted(steps, key=lambda each: each.start, reverse=True):
            text = text[: step.start] + step.new + text[step.end :]
        meant = changed(self.values, [(step.change, step.entry) for step in steps if step.entry], self.text)
        return meant is not None and values_of(text) == meant

    def _edit(self, start: int, end: int, new: str) -> Edit:
        return Edit(self.file, *self._position(start), *self._position(end), new, start, end)

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1


def _line_starts(text: str) -> list[int]:
    """As editors count: lines end at LF, CR LF and CR."""
    starts = [0]
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts

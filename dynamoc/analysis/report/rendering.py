"""A rendering as a page: findings, GPUs, requirements, picture, and each object with the origins of its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from dynamoc.analysis.check.selection import may_be_ignored
from dynamoc.analysis.compare.comparison import target_text
from dynamoc.analysis.compare.result import count
from dynamoc.analysis.report.page import (
    Html,
    Section,
    escaped,
    findings_section,
    join,
    page,
    picture_section,
    pods_section,
    prose,
    requirements_section,
    roles_of,
    tag,
)
from dynamoc.analysis.requires.needs import Requirements, object_title
from dynamoc.analysis.requires.workload_pods import known_claims
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import find_step
from dynamoc.compiler.explain.traced import CONTEXT, USER, Origin, origin_of
from dynamoc.compiler.explain.traced_compilation import Explained
from dynamoc.compiler.options import Options, read_surroundings
from dynamoc.documents.emit.yaml import yaml_lines
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, Place
from dynamoc.documents.source.secrets import Confidential
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.secrets import is_hidden, masked

ReadText = Callable[[str], str | None]


_LONGEST = 200


class Origins:
    """What the script knows: all origins once, and which one each line of an object has.

    An origin is `[short, sentence, step, summary, file, line, made, lost]`: a few words; where the value comes from;
    the rule or builder that set it, and what that does; the place in the input, or -1; the places of what it was made
    of, and what was there before, as text.
    """

    def __init__(self, explained: Explained, objects: list[Tree], describer: Describer, sources: Sources) -> None:
        """`objects` are those of the explanation without origins."""
        self._explained = explained
        self._objects = objects
        self._describer = describer
        self._sources = sources
        self._numbers: dict[str, int] = {}
        self._known: dict[Any, int] = {}
        self.found: list[list[Any]] = []

    def object_lines(self, index: int) -> tuple[list[str], list[int]]:
        """The lines of an object, and the number of the origin of each; -1 for lines without a value."""
        plain, made = self._objects[index], self._explained.objects[index]
        shown = masked(plain)
        lines = yaml_lines(shown)
        if shown is plain:
            leaves = iter(_in_order(made, []))
            numbers = [self._number(index, path, next(leaves)) if begins else -1 for _, path, begins in lines]
        else:
            numbers = [
                self._number(index, path, at(made, path)) if begins and not is_hidden(plain, path) else -1
                for _, path, begins in lines
            ]
        return [self._sources.redacted(line) for line, _, _ in lines], numbers

    def _number(self, index: int, path: Path, value: Any) -> int:
        origin = self._explained.origin(index, path, value)
        if origin is None:
            return -1
        # Most values replaced none: they are the same where source, step, and what they were made of are.
        inputs = tuple([each.key() for each in origin.sources()[1:]]) if origin.inputs else ()
        key = (origin.key(), origin.name, origin.path, origin.step, inputs) if origin.before is None else None
        if key is not None and key in self._known:
            return self._known[key]
        record = self._record(origin)
        number = self._numbers.setdefault(repr(record), len(self.found))
        if number == len(self.found):
            self.found.append(record)
        if key is not None:
            self._known[key] = number
        return number

    def _record(self, origin: Origin) -> list[Any]:
        place = origin.place if origin.kind in (USER, CONTEXT) else None
        number = None if place is None else self._sources.number(place)
        return [
            self._describer.short(origin),
            self._describer.sentence(origin),
            origin.step or "",
            _summary(origin.step) if origin.step else "",
            -1 if number is None else number,
            place.line if place is not None and number is not None else 0,
            self._made(origin),
            self._lost(origin),
        ]

    def _made(self, origin: Origin) -> list[list[int]]:
        found: dict[tuple[int, int], None] = {}
        for source in origin.sources()[1:]:
            if source.kind == USER and source.place is not None:
                number = self._sources.number(source.place)
                if number is not None:
                    found[number, source.place.line] = None
        return [list(place) for place in found]

    def _lost(self, origin: Origin) -> list[str]:
        """Values that were there before."""
        found, winner = [], origin
        while winner.before is not None:
            earlier = origin_of(winner.before)
            where = f", from {self._describer.short(earlier)}" if earlier is not None else ""
            value = self._sources.redacted(str(winner.before))
            found.append(f"{value[:_LONGEST]}{where}; replaced by {winner.step}")
            if earlier is None:
                break
            winner = earlier
        return found


@cache
def _summary(name: str) -> str:
    """What a step does, in a sentence."""
    step = find_step(name)
    return step.summary if step else ""


def _in_order(value: Any, found: list[Any]) -> list[Any]:
    """The leaves in the order in which they are printed."""
    kind = value.__class__
    if value and (kind is dict or kind is list):
        for item in [value[key] for key in sorted(value)] if kind is dict else value:
            _in_order(item, found)
    else:
        found.append(value)
    return found


def rendering_page(
    explained: Explained | None,
    needed: Requirements | None,
    findings: list[Finding],
    sources: Sources,
    options: Options,
) -> str:
    """The page; `explained` and `needed` are None where errors leave no objects."""
    sources.note_findings(findings)
    objects: list[Tree] = explained.plain if explained else []
    claims = known_claims(objects, read_surroundings(options, Findings())[1], options.namespace or "default")
    roles = roles_of(objects, claims)
    picture, drawn = picture_section(objects, claims)
    data: dict[str, Any] = {"files": sources.files, "origins": [], "lines": []}
    refused = not all(map(may_be_ignored, findings))
    sections = [
        findings_section(findings, sources),
        pods_section(roles),
        requirements_section(needed, sources) if needed and objects else None,
        picture,
        Section(
            "objects",
            "Objects and input",
            _workspace(explained, objects, sources, options, data, refused=refused),
            count=len(objects),
        ),
    ]
    facts: list[tuple[str, object]] = [
        ("release", options.release.name),
        ("target", target_text(options.target, objects)),
        ("input", count(len(sources.files), "file")),
        ("objects", len(objects)),
        ("pods", sum(role.pods for role in roles)),
        ("GPUs", sum(role.gpus for role in roles)),
        *severity_facts(findings),
    ]
    name = sources.files[0] if len(sources.files) == 1 else ""
    return page(f"dynamoc report {name}".rstrip(), facts, sections, data, drawn)


def severity_facts(findings: list[Finding]) -> list[tuple[str, object]]:
    """How many errors and warnings there are."""
    counts = Counter(item.severity for item in findings)
    return [
        (f"{severity}s", tag("span", counts[severity], class_=f"badge {severity}"))
        for severity in (ERROR, WARNING)
        if counts[severity]
    ]


def _workspace(
    explained: Explained | None,
    made: list[Tree],
    sources: Sources,
    options: Options,
    data: dict[str, Any],
    *,
    refused: bool,
) -> Html:
    """Objects on one side, the input on the other."""
    hint = "Point at a value to see where it comes from; select it to go to the line of the input, Escape to come back."
    objects = [tag("h3", "Objects"), tag("p", hint, class_="faint")]
    if explained is None:
        objects = [tag("h3", "Objects"), tag("p", "Not rendered: correct the errors first.", class_="empty")]
    elif not made:
        objects = [tag("h3", "Objects"), tag("p", "The input makes no objects.", class_="empty")]
    else:
        if refused:
            text = "The input has errors, and `render` prints no objects. "
            text += "These are the objects as far as they can be known."
            objects.append(tag("p", prose(text), class_="empty"))
        objects += _objects(Origins(explained, made, Describer(options), sources), made, data)
    side = [tag("h3", "Input"), sources.html()]
    return tag(
        "div",
        tag("div", *objects, class_="pane", id="made"),
        tag("div", *side, class_="pane", id="source"),
        class_="panes",
    )


def _objects(origins: Origins, made: list[Tree], data: dict[str, Any]) -> list[Html]:
    """Each object closed: its text is there for readers and searches, its lines are made when it is opened."""
    found = []
    for index, item in enumerate(made):
        lines, numbers = origins.object_lines(index)
        data["lines"].append(numbers)
        title = object_title(item)
        body = tag("pre", escaped("\n".join(lines)), class_="code", data_object=index)
        found.append(tag("details", tag("summary", tag("code", title)), body, class_="object", id=f"o{index}"))
    data["origins"] = origins.found
    return found


_HIDDEN = "(hidden)"
#: files that are open when the page is, and those with findings, where these are few
_OPEN, _OPEN_NOTED = 3, 10


class Sources:
    """The files of the input, numbered in their order. `read` gives the text of one.

    Identifiers of lines begin with `letter`.
    """

    def __init__(self, files: Iterable[str], read: ReadText, letter: str = "i") -> None:
        self._letter = letter
        self.files = list(dict.fromkeys(files))
        self._numbers = {file: number for number, file in enumerate(self.files)}
        self._confidential = {file: Confidential(file, read(file)) for file in self.files}
        self._secretive = [hidden for hidden in self._confidential.values() if hidden.has_secrets]
        self._notes: dict[tuple[str, int], list[Html]] = {}

    def lines(self, file: str) -> list[str]:
        """The lines of a file as they may be shown."""
        hidden = self._confidential[file]
        lines = hidden.lines[:-1] if hidden.lines and not hidden.lines[-1] else hidden.lines
        return [_HIDDEN if hidden.hides(at) else hidden.redacted(line) for at, line in enumerate(lines)]

    def redacted(self, text: str) -> str:
        """A text of the output without what is secret in the input."""
        for hidden in self._secretive:
            text = hidden.redacted(text)
        return text

    def number(self, place: Place) -> int | None:
        return self._numbers.get(place.file)

    def anchor(self, place: Place) -> str | None:
        """The identifier of a line on the page."""
        number = self._numbers.get(place.file)
        return None if number is None else f"{self._letter}{number}-{place.line}"

    def link(self, place: Place | None, text: str | None = None) -> Html | None:
        """A place as a link to its line."""
        if place is None:
            return None
        anchor, shown = self.anchor(place), text or f"{place.file}:{place.line}"
        return tag("a", shown, href=f"#{anchor}", class_="to") if anchor else join(shown)

    def note(self, place: Place | None, note: Html) -> None:
        """Puts a remark below a line."""
        if place is not None and place.file in self._numbers:
            self._notes.setdefault((place.file, place.line), []).append(note)

    def note_findings(self, findings: list[Finding]) -> None:
        for item in findings:
            text = join(tag("b", item.severity), " ", prose(item.message), " ", tag("code", item.slug))
            self.note(item.place, tag("div", text, class_=f"remark {item.severity}"))

    def notes(self, file: str, line: int) -> list[Html]:
        return self._notes.get((file, line), [])

    def html(self) -> Html:
        """All files."""
        if not self.files:
            return tag("p", "No files.", class_="empty")
        noted = Counter(file for (file, _), notes in self._notes.items() for _ in notes)
        opened = {*self.files[:_OPEN], *(noted if len(noted) <= _OPEN_NOTED else ())}
        return join(*(self._file(file, noted[file], is_open=file in opened) for file in self.files))

    def _file(self, file: str, notes: int, *, is_open: bool) -> Html:
        lines = [self._line(file, at, text) for at, text in enumerate(self.lines(file), 1)]
        body = tag("div", *lines, class_="code", role="group", aria_label=f"Lines of {file}")
        count = tag("span", notes, class_="badge", title="remarks") if notes else None
        return tag("details", tag("summary", tag("code", file), count), body, class_="file", open=is_open)

    def _line(self, file: str, at: int, text: str) -> Html:
        # A page has more of these than of all else.
        name = f"{self._letter}{self._numbers[file]}-{at}"
        line = f'<div class="l" id="{name}" tabindex="-1"><i>{at}</i><span>{escaped(text)}</span></div>'
        return join(Html(line), *self.notes(file, at))

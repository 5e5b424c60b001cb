"""The frame of a page, and the sections that several pages have. Texts are escaped, whoever wrote them.

By the policy of the page, a browser loads and runs nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from dynamoc.analysis.blocks import CODE, STRONG, Block, Point, Quote, Segment
from dynamoc.analysis.compare.pod_counts import Claims
from dynamoc.analysis.compare.result import count
from dynamoc.analysis.report.picture import picture_of, svg
from dynamoc.analysis.requires.needs import (
    BRINGERS,
    Api,
    Need,
    Requirement,
    Requirements,
    Role,
    requirement_title,
    role_rows,
)
from dynamoc.analysis.requires.workload_pods import Count
from dynamoc.documents.findings.finding import Finding, Place
from dynamoc.documents.findings.text import SEVERITIES, arrange, folded_findings, printable
from dynamoc.kube.merge import Tree

_SHOWN_FIELDS = 8
_VOID = frozenset(("br", "col", "input", "link", "meta"))


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: object) -> Html:
    """Text as HTML shows it; characters that would steer the reader are shown as such."""
    plain = str(text)
    if not plain.isascii() or not plain.replace("\n", "").isprintable():
        plain = "\n".join(map(printable, plain.split("\n")))
    return Html(html.escape(plain))


def join(*parts: object) -> Html:
    """Parts one behind the other: HTML as it is, None left out, all else as text."""
    return Html("".join(part if isinstance(part, Html) else escaped(part) for part in parts if part is not None))


def tag(name: str, /, *content: object, **attributes: object) -> Html:
    """An element. `class_` and `data_x` are the attributes `class` and `data-x`; None and False leave one out."""
    head = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        named = key.rstrip("_").replace("_", "-")
        head += f" {named}" if value is True else f' {named}="{escaped(value)}"'
    return Html(f"<{head}>" if name in _VOID else f"<{head}>{join(*content)}</{name}>")


def prose(text: str) -> Html:
    """A sentence, with what stands between backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return join(text)
    return join(*(tag("code", part) if at % 2 else part for at, part in enumerate(parts)))


def html_of(blocks: Iterable[Block], redacted: Callable[[str], str] = str) -> Iterator[Html]:
    """The writer of HTML; `redacted` hides what is secret in fields."""
    for block in blocks:
        if isinstance(block, Point):
            kind, word = block.outcome
            fields = [tag("li", tag("code", redacted(field))) for field in block.fields[:_SHOWN_FIELDS]]
            if len(block.fields) > _SHOWN_FIELDS:
                fields.append(tag("li", f"and {len(block.fields) - _SHOWN_FIELDS} more"))
            badge = tag("span", word, class_=f"badge {kind}")
            yield tag("div", badge, f" {block.concerned}: ", prose(block.cause), tag("ul", *fields), class_="why")
        elif isinstance(block, Quote):
            yield tag("p", *map(_segment, block.line), class_="notice")
        else:
            yield tag("p", *map(_segment, block), class_="faint" if block[0][0] == "faint" else None)


def _segment(segment: Segment) -> Html:
    style, text = segment
    name = {CODE: "code", STRONG: "b"}.get(style)
    return tag(name, text) if name else join(text) if style == "faint" else prose(text)


def rows(
    head: tuple[object, ...], body: Sequence[tuple[object, ...]], caption: str, numbers: tuple[int, ...] = ()
) -> Html:
    """A table; columns in `numbers` are right-aligned."""

    def cells(row: tuple[object, ...]) -> Html:
        kinds = ("num" if at in numbers else None for at in range(len(row)))
        named = zip(row, kinds, head, strict=True)
        return join(*(tag("td", cell, class_=kind, data_head=name) for cell, kind, name in named))

    first = [tag("th", cell, scope="col", class_="num" if at in numbers else None) for at, cell in enumerate(head)]
    table = tag(
        "table",
        tag("caption", caption, class_="hidden"),
        tag("thead", tag("tr", *first)),
        tag("tbody", *(tag("tr", cells(row)) for row in body)),
        class_="list",
    )
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=caption)


_FILTER = tag("input", type="search", placeholder="words of objects, findings and files", size=36)


class Section:
    """A part of the page. `name` is its identifier; `count` stands behind its title in the list of sections."""

    def __init__(self, name: str, title: str, *content: object, count: int | None = None) -> None:
        self.name = name
        self.title = title
        self.content = content
        self.count = count

    def html(self) -> Html:
        head = tag("h2", self.title, id=f"{self.name}-title")
        return tag("section", head, *self.content, id=self.name, aria_labelledby=f"{self.name}-title")


def page(
    title: str, facts: list[tuple[str, object]], parts: Sequence[Section | None], data: dict[str, Any], svg: str = ""
) -> str:
    """The page: a title, facts in a line below it, and sections. `svg` is the picture in them, for its styles.

    The same content gives the same bytes.
    """
    sections = [part for part in parts if part]
    style, script = _asset("page.css"), _asset("page.js")
    styles = [style, *_styles_of(svg)]
    policy = (
        f"default-src 'none'; style-src {_hashes(styles)}; script-src {_hashes([script])}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Html(style)),
    )
    links = [tag("li", tag("a", each.title, href=f"#{each.name}"), _count(each)) for each in sections]
    top = tag(
        "header",
        tag("h1", title),
        tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts)),
        tag("nav", tag("ul", *links), aria_label="Sections"),
        tag("p", tag("label", "Filter ", _FILTER), " ", tag("output", id="filtered"), id="filter", hidden=True),
    )
    body = join(
        tag("a", "Skip to the content", href="#content", class_="skip"),
        top,
        tag("main", *(each.html() for each in sections), id="content", tabindex="-1"),
        tag("aside", id="dock", hidden=True, aria_live="polite", aria_label="Origin"),
        tag("noscript", tag("p", "Without scripts, this page shows no origins of values.")),
        tag("script", Html(_json(data)), type="application/json", id="data"),
        tag("script", Html(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>{body}</body>\n</html>\n'


def _count(section: Section) -> Html | None:
    return None if section.count is None else join(" ", tag("span", section.count, class_="count"))


def _styles_of(svg: str) -> list[str]:
    start, end = svg.find("<style>"), svg.find("</style>")
    return [svg[start + len("<style>") : end]] if 0 <= start < end else []


def _hashes(texts: list[str]) -> str:
    hashes = (hashlib.sha256(text.encode(errors="backslashreplace")).digest() for text in texts)
    digests = (base64.b64encode(digest).decode() for digest in hashes)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _asset(name: str) -> str:
    """A file of this package, also where the package is in an archive."""
    content = pkgutil.get_data("dynamoc.analysis.report", name)
    assert content is not None
    return content.decode()


def _json(data: Any) -> str:
    """JSON in which no text ends the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


_SHOWN = 3
#: a picture of more graphs is folded: a browser draws it when it is opened
_GRAPHS = 20


def picture_section(objects: list[Tree], claims: Claims) -> tuple[Section | None, str]:
    """The picture, and its SVG; nothing where no object has pods."""
    picture = picture_of(objects, claims)
    if not picture.groups and not picture.boxes:
        return None, ""
    drawn = svg(picture)
    label = "Components, their pods and GPUs, Services, and what the pods use"
    drawn = drawn.replace(' role="img">', f' role="img" aria-label="{label}">', 1)
    frame = tag("div", Html(drawn), class_="scroll picture", tabindex="0", role="region", aria_label="Picture")
    if len(picture.groups) > _GRAPHS:
        frame = tag("details", tag("summary", f"{len(picture.groups)} graphs"), frame)
    return Section("picture", "Picture", frame), drawn


def findings_section(findings: list[Finding], sources: Linked) -> Section:
    """All findings, with links to their lines."""
    if not findings:
        return Section("findings", "Findings", tag("p", "No findings."), count=0)
    folded = folded_findings(arrange([item for item in findings if not item.aside]))
    body: list[tuple[object, ...]] = [
        (
            tag("span", alike[0].severity, class_=f"badge {alike[0].severity}"),
            _places(alike, sources),
            join(
                prose(alike[0].whole_message),
                tag("div", prose(alike[0].hint), class_="faint") if alike[0].hint else None,
            ),
            tag("code", alike[0].slug),
        )
        for alike in sorted(folded, key=lambda alike: SEVERITIES.index(alike[0].severity))
    ]
    table = rows(("severity", "place", "finding", "name"), body, "Findings")
    return Section("findings", "Findings", table, count=len(body))


def _places(alike: list[Finding], sources: Linked) -> Html:
    """The places of findings that say the same: the first one, and how many more."""
    first = sources.link(alike[0].place) or alike[0].subject or ""
    return join(first, tag("div", f"and {len(alike) - 1} more", class_="faint") if len(alike) > 1 else None)


def pods_section(roles: list[Role]) -> Section | None:
    """Pods and GPUs of each component, and in all."""
    if not roles:
        return None
    *body, total = role_rows(roles)
    body.append(tuple(tag("b", cell) if cell else cell for cell in total))
    head = ("graph", "component", "type", "pods", "GPUs/pod", "GPUs", "nodes")
    return Section("pods", "Pods and GPUs", rows(head, body, "Pods and GPUs by component", (3, 4, 5, 6)))


def roles_of(objects: list[Tree], claims: Claims) -> list[Role]:
    """The pods of objects by component."""
    counted = Count(claims)
    for item in objects:
        counted.add(item)
    return counted.roles


def requirements_section(found: Requirements, sources: Linked) -> Section:
    """What the cluster must have: what nothing provides first."""
    body: list[tuple[object, ...]] = []
    missing = 0
    for state, name, needs, note in _required(found):
        missing += state == found.lack
        shown = join(name, tag("div", note, class_="faint") if note else None)
        body.append((tag("span", state, class_=f"badge {state.split(' ')[0]}"), shown, _needs(needs, sources)))
    if not body:
        return Section("requirements", "Requirements", tag("p", "The objects need nothing that they do not bring."))
    table = rows(("state", "what", "needed at"), body, "Requirements")
    words = f"{missing} of {count(len(body), 'requirement')} {'is' if missing == 1 else 'are'} {found.lack}."
    return Section("requirements", "Requirements", tag("p", words), table, count=len(body))


def _required(found: Requirements) -> Iterator[tuple[str, str, list[Need], str]]:
    """State, name, who needs it, and a note."""
    for optional in (False, True):
        for item in found.objects:
            if item.by is None and item.optional is optional:
                keys = f" with {', '.join(sorted(item.keys))}" if item.keys else ""
                state = "optional" if optional else found.lack
                yield state, requirement_title(item) + keys, item.needs, item.note or ""
        for api in found.apis if not optional else ():
            if api.by is None:
                yield found.lack, f"API {requirement_title(api)}", api.needs, api.note or api.project
    for address in found.addresses:
        if address.by is None:
            yield "check", f"{address.variable}={address.value}", address.needs, "address"
    for named in (*found.schedulers, *found.nodes, *found.images, *found.sources):
        yield "check", f"{named.what} {named.name}", named.needs, named.note or ""
    items: list[Requirement | Api] = [*found.objects, *found.apis]
    for each in items:
        if each.by is not None:
            kind = "API " if isinstance(each, Api) else ""
            yield "provided", kind + requirement_title(each), each.needs, f"by {BRINGERS[each.by]}"


def _needs(needs: list[Need], sources: Linked) -> Html:
    places = {str(need.place): sources.link(need.place) for need in needs if need.place is not None}
    names = dict.fromkeys(need.component for need in needs if need.component)
    shown: list[object] = [*(places.values() if places else names)][:_SHOWN]
    more = len(places) - _SHOWN
    parts = [part for each in shown for part in (", ", each)][1:]
    return join(*parts, f" and {more} more" if more > 0 else None)


class Linked(Protocol):
    """What knows the lines of files on the page."""

    def link(self, place: Place | None, text: str | None = None) -> Html | None:
        """A place as a link to its line, None without one."""

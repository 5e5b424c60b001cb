"""The frame of a page: head, styles, script and data, and a policy by which a browser loads and runs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import pkgutil

from dynamoc.report.html import Html, escaped, join, tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    title: str, facts: list[tuple[str, object]], sections: list[Section], data: dict[str, Any], svg: str = ""
) -> str:
    """The page: a title, facts in a line below it, and sections. `svg` is the picture in them, for its styles.

    The same content gives the same bytes.
    """
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
    content = pkgutil.get_data("dynamoc.report", name)
    assert content is not None
    return content.decode()


def _json(data: Any) -> str:
    """JSON in which no text ends the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


__all__ = ["Html", "Section", "escaped", "page"]

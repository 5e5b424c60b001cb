"""HTML whose texts are escaped, whoever wrote them."""

from __future__ import annotations

import html

from dynamoc.diagnostics.excerpt import printable

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


def rows(head: tuple[object, ...], body: list[tuple[object, ...]], caption: str, numbers: tuple[int, ...] = ()) -> Html:
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

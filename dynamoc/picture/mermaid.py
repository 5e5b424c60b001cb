"""Mermaid, which GitHub and GitLab draw in Markdown."""

from __future__ import annotations

from dynamoc.diagnostics.printable import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.picture.parts import Box, Group, Picture

_SHAPES = {"pods": ('["', '"]'), "service": ('(["', '"])'), "claim": ('[("', '")]'), "secret": ('{{"', '"}}')}


def mermaid(picture: Picture) -> str:
    """A flowchart from left to right."""
    names = {box.key: f"n{number}" for number, box in enumerate(picture.walk())}
    frames = iter(range(1_000_000))
    lines = ["flowchart LR"]

    def draw(group: Group, depth: int) -> None:
        space = "  " * depth
        for inner in group.groups.values():
            lines.append(f'{space}subgraph g{next(frames)}["{_text(inner.title)}"]')
            draw(inner, depth + 1)
            lines.append(f"{space}end")
        for box in group.boxes.values():
            lines.append(f"{space}{names[box.key]}{_box(box)}")

    draw(picture, 1)
    lines += [f"  {names[edge.source.key]} --> {names[edge.target.key]}" for edge in picture.edges]
    return "\n".join(lines) + "\n"


def _box(box: Box) -> str:
    start, end = _SHAPES[box.shape]
    return f"{start}{'<br/>'.join(map(_text, box.lines))}{end}"


def _text(text: str) -> str:
    """Mermaid's own escapes: `#` begins one."""
    text = one_line(text).replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
    return text.replace("`", "#96;")

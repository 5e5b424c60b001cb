"""Text from anywhere, made fit for a terminal or a CI log: it must not be able to forge what dynamoc says.

An input names things: files, keys, values. Line feeds in them would start lines of their own, escape sequences would
hide or colour others, marks of direction would turn them round, and CI runners take lines such as `::stop-commands::`
for commands.
"""

from __future__ import annotations

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: what GitHub's and Azure's runners take for a command, wherever it starts a line
_COMMANDS = ("::", "##[", "##vso[")


def one_line(text: str) -> str:
    """The text in one line; what is not printable is named, so that texts that differ stay different."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _NAMED.get(char) or _escaped(char) for char in text)


def whole_lines(text: str) -> str:
    """Lines of which none is a command to a CI runner; what is not printable in them is named."""
    if "::" not in text and "##" not in text and text.replace("\n", "").isprintable():
        return text
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    shown = line if line.isprintable() else "".join(c if c.isprintable() or c == "\t" else _escaped(c) for c in line)
    start = shown.lstrip()
    return f"{shown[: len(shown) - len(start)]}\\{start}" if start.startswith(_COMMANDS) else shown


def _escaped(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"

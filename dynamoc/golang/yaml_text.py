"""YAML text as `sigs.k8s.io/yaml` marshals it, for configuration that the operator writes into a ConfigMap.

Not for dynamoc's own output, which is easier to read back and to write fast (`dynamoc.emit.yaml`).
"""

from __future__ import annotations

from dynamoc.golang.yaml_scalars import BREAKS, is_multiline, number, string
from dynamoc.tracing import noting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.golang.yaml_scalars import ReadsAsString

# In bytes; a longer key stands on a line of its own, behind `?`.
_LONGEST_KEY = 128


def dump_go_yaml(value: Any, reads_as_string: ReadsAsString) -> str:
    """One document, keys in goyaml's natural order, lists not indented below their key, long texts folded.

    `reads_as_string(text)` says whether Go's reader takes plain `text` for a string; other strings get double quotes.
    Source: goyaml.v2 encode.go, sorter.go keyList.Less, emitterc.go.
    """
    lines: list[str] = []
    _node(lines, _sorted(value), "", 0, reads_as_string)
    # A block brings its last line break.
    return "".join([line if line.endswith(BREAKS) else line + "\n" for line in lines])


def _node(lines: list[str], value: Any, lead: str, indent: int, reads: ReadsAsString) -> None:
    """`lead` stands in front of the first line; the others are at `indent`."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            _entry(lines, key, item, lead, indent, reads)
            lead = " " * indent
    elif isinstance(value, list) and value:
        for item in value:
            _node(lines, item, f"{lead}- ", indent + 2, reads)
            lead = " " * indent
    else:
        lines.append(lead + _scalar(value, max(indent, 2), len(lead), reads))


def _entry(lines: list[str], key: str, item: Any, lead: str, indent: int, reads: ReadsAsString) -> None:
    if is_multiline(key) or len(key.encode()) > _LONGEST_KEY:
        lines.append(f"{lead}? {string(key, reads, indent + 2, len(lead) + 2)}")
        _node(lines, item, f"{' ' * indent}: ", indent + 2, reads)
        return
    name = lead + string(key, reads, indent)
    if isinstance(item, dict) and item:
        lines.append(f"{name}:")
        _node(lines, item, " " * (indent + 2), indent + 2, reads)
    elif isinstance(item, list) and item:
        lines.append(f"{name}:")
        _node(lines, item, " " * indent, indent, reads)
    else:
        lines.append(f"{name}: {_scalar(item, indent + 2, len(name) + 2, reads)}")


def _scalar(value: Any, indent: int, column: int, reads: ReadsAsString) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return string(value, reads, indent, column)
    if isinstance(value, int | float):
        return number(value)
    return "{}" if isinstance(value, dict) else "[]"


@noting
def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in _by_name(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def _by_name(names: Iterable[str]) -> list[str]:
    try:
        # functools loads ten modules around this function.
        from _functools import cmp_to_key  # type: ignore[import-not-found]
    except ImportError:
        from functools import cmp_to_key
    return sorted(names, key=cmp_to_key(_compare))


def _compare(left: str, right: str) -> int:
    """Digits as numbers, letters after everything else, as goyaml sorts keys."""
    if left == right:
        return 0
    return -1 if _less(left, right) else 1


def _less(left: str, right: str) -> bool:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        if a.isalpha() and b.isalpha():
            return a < b
        if a.isalpha() or b.isalpha():
            return b.isalpha()
        first, second = _number(left, index, a, b), _number(right, index, a, b)
        if first != second:
            return first < second
        return a < b
    return len(left) < len(right)


def _number(text: str, index: int, a: str, b: str) -> tuple[int, int]:
    """The number at `index` and where it ends. Where one side is a zero inside a number, both count as longer."""
    value = 0
    if "0" in (a, b):
        before = index - 1
        while before >= 0 and text[before].isdecimal():
            if text[before] != "0":
                value = 1
                break
            before -= 1
    end = index
    while end < len(text) and text[end].isdecimal():
        value = value * 10 + int(text[end])
        end += 1
    # Go counts in 64 bits, and goes on below zero.
    return (value + 2**63) % 2**64 - 2**63, end

"""YAML text as `sigs.k8s.io/yaml` marshals it, for configuration that the operator writes into a ConfigMap.

Not for dynamoc's own output, which is easier to read back and to write fast (`dynamoc.emit.yaml`).
"""

from __future__ import annotations

from functools import cmp_to_key

from dynamoc.tracing import noting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def dump_go_yaml(value: Any, reads_as_string: Callable[[str], bool]) -> str:
    """One document, keys in goyaml's natural order, lists not indented below their key, lines never folded.

    `reads_as_string(text)` says whether Go's reader takes plain `text` for a string; other strings get double quotes.
    Source: goyaml.v2 encode.go stringv, sorter.go keyList.Less.
    """
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        def ignore_aliases(self, _data: Any) -> bool:
            return True

    def string(dumper: Any, text: str) -> Any:
        style = "|" if "\n" in text else None if reads_as_string(text) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, string)
    return str(
        yaml.dump(
            _sorted(value),
            Dumper=Dumper,
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=True,
            width=2**31 - 1,
        )
    )


@noting
def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=cmp_to_key(_compare))}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def _compare(left: str, right: str) -> int:
    """Digits as numbers, letters after everything else, as goyaml sorts keys."""
    if left == right:
        return 0
    return -1 if _less(left, right) else 1


def _less(left: str, right: str) -> bool:
    digits = False
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            digits = a.isdecimal()
            continue
        if a.isalpha() and b.isalpha():
            return a < b
        if a.isalpha() or b.isalpha():
            return a.isalpha() if digits else b.isalpha()
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
    return value, end

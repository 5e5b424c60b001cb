"""The functions of a running program, and other bodies for them."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any


class Functions:
    """All functions that come from some files and exist by now."""

    def __init__(self, files: Iterable[Path]) -> None:
        names = frozenset(map(str, files))
        self._found: dict[tuple[str, str, int], list[FunctionType]] = {}
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename in names:
                self._found.setdefault(_key(value.__code__), []).append(value)

    def change(self, tree: ast.Module, file: Path, names: dict[str, Any] | None = None) -> None:
        """Gives the functions of a file the bodies that they have in `tree`, and its module further names."""
        for code in _codes(compile(tree, str(file), "exec", dont_inherit=True)):
            for function in self._found.get(_key(code), ()):
                if function.__code__ != code:
                    function.__code__ = code
                    function.__globals__.update(names or {})


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno

"""Puts functions that no recorded command calls apart: their code is read when they are first called.

Such a function keeps its name, its parameters and its docstring. Its body asks for the code, which then takes the
place of the body (`dynamoc.modules.cold`).
"""

from __future__ import annotations

import ast
import copy
import marshal
from types import CodeType

from bundling.sources import Source

#: a smaller function is read faster than it is asked for
_LEAST = 500
_Function = ast.FunctionDef


def cool(source: Source, called: set[str], compiled: CodeType) -> list[bytes]:
    """The code of cold functions, which their place in the list names; the tree gets stubs for them, in place.

    `called` are the functions that commands call, as `module:qualified name`; `compiled` is the code of the module.
    """
    codes = _codes(compiled)
    parts: list[bytes] = []
    if f"{source.name}:<module>" not in called:
        return parts
    seen: dict[str, int] = {}
    for node, qualname in _functions(source.tree, ""):
        number = seen[qualname] = seen.get(qualname, -1) + 1
        same = codes.get(qualname, [])
        if f"{source.name}:{qualname}" in called or number >= len(same) or same[number].co_freevars:
            continue
        part = marshal.dumps(same[number])
        if len(part) >= _LEAST:
            _stub(node, len(parts))
            parts.append(part)
    if parts:
        source.tree.body[:0] = ast.parse("from dynamoc.modules import cold\n_cold, _warm = cold(globals())").body
        ast.fix_missing_locations(source.tree)
    return parts


def _codes(code: CodeType) -> dict[str, list[CodeType]]:
    """The functions of a module and of its classes, by their qualified names, in the order of the source."""
    found: dict[str, list[CodeType]] = {}
    for each in code.co_consts:
        if isinstance(each, CodeType) and not each.co_name.startswith("<"):
            if each.co_flags & 0x02:  # CO_NEWLOCALS: a function
                found.setdefault(each.co_qualname, []).append(each)
            else:
                for name, codes in _codes(each).items():
                    found.setdefault(name, []).extend(codes)
    return found


def _functions(node: ast.Module | ast.ClassDef, prefix: str) -> list[tuple[_Function, str]]:
    found: list[tuple[_Function, str]] = []
    for each in node.body:
        if isinstance(each, _Function):
            found.append((each, prefix + each.name))
        elif isinstance(each, ast.ClassDef):
            found += _functions(each, f"{prefix}{each.name}.")
    return found


def _stub(node: _Function, index: int) -> None:
    given = node.args
    words = [each.arg for each in (*given.posonlyargs, *given.args)]
    words += [f"*{given.vararg.arg}"] if given.vararg else []
    words += [f"{each.arg}={each.arg}" for each in given.kwonlyargs]
    words += [f"**{given.kwarg.arg}"] if given.kwarg else []
    docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
    body = ast.parse(f"return _warm({index})({', '.join(words)})").body
    node.body = [*copy.deepcopy(docstring), *(ast.copy_location(each, node) for each in body)]
    node.decorator_list.append(ast.parse(f"_cold({index})", mode="eval").body)
    ast.fix_missing_locations(node)

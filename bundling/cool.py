"""Puts functions that no recorded command calls apart: their code is read when they are first called.

Such a function keeps its name, its parameters and its docstring. Its body asks for the code, which then takes the
place of the body (`cold` in loader.py).
"""

from __future__ import annotations

import ast
import collections
import copy
import marshal
from types import CodeType

from bundling.sources import Source

#: a smaller function is read faster than it is asked for
_LEAST = 500
MARK, WARM = "_cold_mark", "_cold_warm"
_Function = ast.FunctionDef


def cool(source: Source, called: set[str], compiled: CodeType) -> list[bytes]:
    """The code of cold functions, which their place in the list names; the tree gets stubs for them, in place.

    `called` are the functions that commands call, as `module:qualified name`; `compiled` is the code of the module.
    """
    codes = _codes(compiled)
    parts: list[bytes] = []
    if f"{source.name}:<module>" not in called:
        return parts
    functions = _functions(source.tree, "")
    counts = collections.Counter(qualname for _, qualname in functions)
    seen: collections.Counter[str] = collections.Counter()
    for node, qualname in functions:
        seen[qualname] += 1
        # In a block, as below `if`, may be others with its name.
        if f"{source.name}:{qualname}" in called or len(codes[qualname]) != counts[qualname]:
            continue
        code = codes[qualname][seen[qualname] - 1]
        # Code with names of the functions or classes around it fits no other function; no call names private words.
        private = any(each.arg.startswith("__") for each in node.args.kwonlyargs)
        if code.co_freevars or private or node.name.startswith("_sunk_"):
            continue
        part = marshal.dumps(code)
        if len(part) >= _LEAST:
            _stub(node, len(parts))
            parts.append(part)
    if parts:
        source.tree.body[:0] = ast.parse(f"from dynamoc._bundle import cold\n{MARK}, {WARM} = cold(globals())").body
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
    body = ast.parse(f"return {WARM}({index})({', '.join(words)})").body
    node.body = [*copy.deepcopy(docstring), *(ast.copy_location(each, node) for each in body)]
    node.decorator_list.append(ast.parse(f"{MARK}({index})", mode="eval").body)

"""Puts functions apart that few recorded commands call: their code is read when they are first called.

Until then all of them share the code of one function, which asks for the right one (`cold` in loader.py); private ones
that only such functions call are not even there. A function keeps its name, and its docstring where a decorator may
read it. What calls it sees no difference; what looks at its parameters before does, so the functions of modules for
programs stay.
"""

from __future__ import annotations

import ast
import collections
import marshal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType

from bundling.sources import Source, names_bound, read_names

#: a smaller function is read faster than it is asked for
_LEAST = 300
COLD = "_cold"


@dataclass(frozen=True)
class Apart:
    """The code of a function, and the commands that call it."""

    code: CodeType
    callers: tuple[str, ...]


@dataclass(frozen=True)
class _Found:
    """A function on the first level of a module or class; a plain one needs nothing but its name."""

    node: ast.FunctionDef
    block: ast.Module | ast.ClassDef
    qualname: str


def cool(
    source: Source, users: int, calls: Mapping[str, tuple[str, ...]], compiled: CodeType, used: set[str]
) -> list[Apart]:
    """The functions that go apart, which their place in the list names; the tree loses their bodies, in place.

    `users` is the number of commands that import the module, `calls` are those that call a function, by its qualified
    name; `compiled` is the code of the module, `used` are the names that other modules take from it. What more than
    half of the users call stays.
    """
    codes = _codes(compiled)
    functions = list(_functions(source.tree, ""))
    counts = collections.Counter(each.qualname for each in functions)
    left = {name: iter(found) for name, found in codes.items() if len(found) == counts[name]}
    parts: dict[_Found, Apart] = {}
    for each in functions:
        # In a block, as below `if`, may be others with its name.
        code = next(left[each.qualname]) if each.qualname in left else None
        callers = calls.get(each.qualname, ())
        if code is None or 2 * len(callers) > users or each.node.name.startswith("_sunk_"):
            continue
        # Code with names of the functions or classes around it fits no other function; no mapping has private names.
        private = any(word.arg.startswith("__") for word in each.node.args.kwonlyargs)
        if not code.co_freevars and not private and len(marshal.dumps(code)) >= _LEAST:
            parts[each] = Apart(code, callers)
    if not parts:
        return []
    bound = _bindings(source.tree)
    plain = [each for each in parts if _is_plain(each, source.tree) and bound[each.node.name] == 1]
    others = [each for each in parts if each not in plain]
    for each in plain:
        source.tree.body.remove(each.node)
    for each in others:
        each.block.body[each.block.body.index(each.node)] = _assigned(each.node)
    needed = used | read_names(*source.tree.body)
    names = [each.node.name for each in plain]
    # Programs may ask for what is not private.
    later = tuple(name for name in names if name.startswith("_") and name not in needed)
    at_once = tuple(name for name in names if name not in later)
    head = f"from dynamoc._bundle import cold\n{COLD} = cold(globals(), {at_once!r}, {later!r})"
    source.tree.body[:0] = ast.parse(head).body
    plain.sort(key=lambda each: each.node.name in later)
    return [parts[each] for each in (*plain, *others)]


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


def _functions(block: ast.Module | ast.ClassDef, prefix: str) -> Iterator[_Found]:
    for each in block.body:
        if isinstance(each, ast.FunctionDef):
            yield _Found(each, block, prefix + each.name)
        elif isinstance(each, ast.ClassDef):
            yield from _functions(each, f"{prefix}{each.name}.")


def _bindings(tree: ast.Module) -> collections.Counter[str]:
    """How many statements on the first level of a module bind a name."""
    found: collections.Counter[str] = collections.Counter()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] += 1
        else:
            found.update(names_bound(node))
    return found


def _is_plain(found: _Found, tree: ast.Module) -> bool:
    given = found.node.args
    return found.block is tree and not (found.node.decorator_list or given.defaults or any(given.kw_defaults))


def _assigned(node: ast.FunctionDef) -> ast.stmt:
    """The statement that makes the next function, its defaults, and what its decorators make of it."""
    given = node.args
    docstring = ast.get_docstring(node, clean=False)
    named = {word.arg: value for word, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value}
    arguments: list[ast.expr] = [ast.Constant(node.name)]
    if docstring is not None or given.defaults or named:
        arguments.append(ast.Constant(docstring))
    if given.defaults or named:
        arguments.append(ast.Tuple(given.defaults, ast.Load()) if given.defaults else ast.Constant(None))
    if named:
        arguments.append(ast.Dict([ast.Constant(word) for word in named], list(named.values())))
    made: ast.expr = ast.Call(ast.Name(COLD, ast.Load()), arguments, [])
    for each in reversed(node.decorator_list):
        made = ast.Call(each, [made], [])
    return ast.copy_location(ast.Assign([ast.Name(node.name, ast.Store())], made), node)

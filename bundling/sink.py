"""Moves imports from the top of modules to the statements that read their names.

A module keeps a flag for each import: `if _sunk_3: _sunk_load(3)` stands before the first statement of a block that
reads a name of import 3, and `_sunk_load` (`loader` in loader.py) imports it. So does what a call makes of such a name,
as `re.compile` does. A module that is not there is missed where its name is first read. Names that the module itself
needs while it is imported stay at the top, and so do those that other modules take from it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from bundling.sources import Source, Sources, exported, imported_names, read_names, uses_of_others, walk

#: what Python has loaded before it runs anything, or carries in itself
_THERE = frozenset(
    (
        *(
            "_thread",
            "abc",
            "atexit",
            "builtins",
            "codecs",
            "dynamoc._bundle",
            "gc",
            "io",
            "itertools",
            "marshal",
            "os",
        ),
        *("stat", "sys", "time"),
    )
)
_PURE = ("re.compile", "getattr", "frozenset", "set", "dict", "tuple", "sorted")
#: what gives names their values; the flags and the makers of values start with `_sunk_` too
LOAD = "_sunk_load"
_Block = list[ast.stmt]
_NONE: Mapping[str, set[str]] = {}


class _Unit:
    """What is loaded at once: names of one module, or what one expression gives."""

    def __init__(self, index: int) -> None:
        self.flag = f"_sunk_{index}"
        self.index = index
        self.entries: list[tuple[str, str, str]] = []
        self.value: tuple[str, ast.expr] | None = None

    def check(self) -> ast.stmt:
        return ast.parse(f"if {self.flag}: {LOAD}({self.index})").body[0]


def sink(
    sources: Sources, public: Mapping[str, set[str]], left: tuple[str, ...] = (), users: Mapping[str, set[str]] = _NONE
) -> None:
    """Sink what can be sunk, in place, but not these names of modules in `public`; modules in `left` stay.

    `users` are the commands that import a module. A module that all users of another one import stays at its top.
    """
    used = uses_of_others(sources)
    for source in sources.values():
        if source.name not in left:
            own = users.get(source.name, set())
            always = {name for name, others in users.items() if own and own <= others}
            _sink(source, used[source.name] | public.get(source.name, set()), always)


def _sink(source: Source, used: set[str], always: set[str]) -> None:
    tree = source.tree
    rebound = _rebound(source)
    fixed = used | source.effects | rebound | exported(tree)
    while True:
        needed = fixed | _needed_at_once(tree, fixed, rebound)
        if needed == fixed:
            break
        fixed = needed
    units: dict[ast.stmt, _Unit] = {}
    by_name: dict[str, _Unit] = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = imported_names(node)
            loose = [each for each in names if each[2] not in fixed and each[0] not in _THERE]
            loose = [each for each in loose if not _is_there(each, always)]
            if loose:
                units[node] = unit = _Unit(len(units))
                unit.entries = loose
                by_name.update({each[2]: unit for each in loose})
    if not units:
        return
    # A function without a name may read what stands behind it.
    found = 0
    while found != len(units):
        found = len(units)
        for node in tree.body:
            name = _made(node, rebound)
            if (
                node not in units
                and isinstance(node, ast.Assign)
                and name
                and name not in fixed
                and read_names(node) & by_name.keys()
            ):
                units[node] = by_name[name] = unit = _Unit(len(units))
                unit.value = name, node.value
    body: _Block = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and node in units:
            node.names = [
                alias
                for alias, each in zip(node.names, imported_names(node), strict=True)
                if each not in units[node].entries
            ]
            if node.names:
                body.append(node)
        elif node not in units:
            body.append(node)
    for node in body:
        _functions(node, by_name)
    tree.body = [*_head(list(units.values()), by_name), *body]


def _is_there(imported: tuple[str, str, str], always: set[str]) -> bool:
    """Whether an import is of a module that is imported in any case, or of a name in it."""
    module, name, _ = imported
    return f"{module}.{name}" in always or (module in always and name != "")


def _rebound(source: Source) -> set[str]:
    """Names that are bound more than once, or by functions."""
    seen: set[str] = set()
    found: set[str] = set()
    for node in walk(source.tree) if "global" in source.text else ():
        if isinstance(node, ast.Global):
            found |= set(node.names)
    for node in source.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {bound for _, _, bound in imported_names(node)}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = {node.name}
        else:
            names = {
                each.id for each in walk(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
            }
            names |= {
                bound
                for each in walk(node)
                if isinstance(each, ast.Import | ast.ImportFrom)
                for _, _, bound in imported_names(each)
            }
        found |= names & seen
        seen |= names
    return found


def _made(node: ast.stmt, rebound: set[str]) -> str:
    """The name that a statement assigns once, if it does nothing else and gives the same later."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return ""
    for each in walk(node.value):
        if isinstance(each, ast.NamedExpr) or (isinstance(each, ast.Name) and each.id in rebound):
            return ""
        if isinstance(each, ast.Call) and ast.unparse(each.func) not in _PURE:
            return ""
    return node.targets[0].id


def _needed_at_once(tree: ast.Module, fixed: set[str], rebound: set[str]) -> set[str]:
    """The names that a module reads while it is imported."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        name = _made(node, rebound)
        if not name or name in fixed:
            found |= _reads_at_once(node)
    return found


def _reads_at_once(node: ast.AST) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        given = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
        annotations = [each.annotation for each in walk(node.args) if isinstance(each, ast.arg) and each.annotation]
        returns = [node.returns] if node.returns else []
        return read_names(*node.decorator_list, *given, *annotations, *returns)
    if isinstance(node, ast.ClassDef):
        outer = read_names(*node.decorator_list, *node.bases, *(each.value for each in node.keywords))
        return outer.union(*(_reads_at_once(each) for each in node.body))
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        found: set[str] = set()
        for child in ast.iter_child_nodes(node):
            found |= _reads_at_once(child)
        return found
    return read_names(node)


def _functions(node: ast.AST, by_name: dict[str, _Unit]) -> None:
    """Put checks into the functions of a statement on the first level of a module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[start:] = _block(node.body[start:], by_name, set())
    elif isinstance(node, ast.ClassDef | ast.If | ast.Try | ast.With | ast.For | ast.While):
        for child in ast.iter_child_nodes(node):
            _functions(child, by_name)


def _block(body: _Block, by_name: dict[str, _Unit], loaded: set[_Unit]) -> _Block:
    """A block with the checks that its statements need; `loaded` is there already."""
    loaded = set(loaded)
    out: _Block = []
    for node in body:
        missing = {by_name[name] for name in _head_names(node) if name in by_name} - loaded
        out += [ast.copy_location(unit.check(), node) for unit in sorted(missing, key=lambda unit: unit.index)]
        loaded |= missing
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list) and not isinstance(node, ast.ClassDef) and inner:
                setattr(node, field, _block(inner, by_name, loaded))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            part.body = _block(part.body, by_name, loaded)
        out.append(node)
    return out


def _head_names(node: ast.stmt) -> set[str]:
    """What a statement reads beside the blocks in it."""
    if isinstance(node, ast.ClassDef):
        return read_names(node)
    heads: list[ast.AST] = []
    for field, value in ast.iter_fields(node):
        if field in ("body", "orelse", "finalbody") and isinstance(value, list):
            continue
        if field == "handlers":
            heads += [each.type for each in value if each.type]
        elif field == "cases":
            heads += [part for each in value for part in (each.pattern, each.guard) if part]
        elif isinstance(value, ast.AST):
            heads.append(value)
        elif isinstance(value, list):
            heads += [each for each in value if isinstance(each, ast.AST)]
    return read_names(*heads)


def _head(units: list[_Unit], by_name: dict[str, _Unit]) -> _Block:
    """The flags of the units, and their loader."""
    flags = " = ".join(unit.flag for unit in units)
    rows = []
    makers: _Block = []
    for unit in units:
        if unit.value is None:
            rows.append(f"({unit.flag!r}, {tuple(unit.entries)!r})")
            continue
        name, value = unit.value
        maker = f"_sunk_make_{unit.index}"
        first = ast.parse(f"def {maker}():\n    return None").body[0]
        assert isinstance(first, ast.FunctionDef)
        first.body = _block([ast.Return(value, lineno=1, col_offset=0)], by_name, set())
        makers.append(first)
        rows.append(f"({unit.flag!r}, {name!r}, {maker})")
    lines = [
        "from dynamoc._bundle import loader",
        f"{flags} = True",
        f"{LOAD} = loader(globals(), ({', '.join(rows)},))",
    ]
    made = ast.parse("\n".join(lines)).body
    return [made[0], made[1], *makers, made[2]]

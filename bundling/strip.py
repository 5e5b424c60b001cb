"""Drops what nothing reads at run time: docstrings, annotations, and the names that only annotations use.

Docstrings of decorated functions explain rules, and stay. Annotations stay where something may read them: in classes
with decorators or with bases from elsewhere, as those of pydantic, and in functions for typer and pygls.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Mapping
from typing import Any

from bundling.sources import Source, Sources, chain_of, exported, imported_names, origin, resolve, uses_of_others

#: modules with one of these words hand their classes and their decorated functions to what reads annotations
_READERS = ("import typer", "pydantic", "pygls", "__annotations__", "get_type_hints")
_TYPING = ("typing", "typing_extensions", "collections.abc")
#: calls that make what only annotations can use
_TYPE_MAKERS = ("TypeVar", "NewType", "ParamSpec")
_TYPE_BASES = ("Protocol", "TypedDict")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def strip(sources: Sources, public: Mapping[str, set[str]], left: tuple[str, ...] = ()) -> None:
    """Strip all modules in place, but not those in `left`; of those in `public`, docstrings and these names stay."""
    plain = _Plain(sources)
    for source in sources.values():
        if source.name not in left:
            source.tree = _Stripped(source, plain, documented=source.name in public).visit(source.tree)
    changed = True
    while changed:
        used = uses_of_others(sources)
        changed = False
        for source in sources.values():
            if source.name not in left:
                changed |= _drop_unread(source, used[source.name] | public.get(source.name, set()))


class _Plain:
    """Which classes have no base that may read the annotations of its subclasses."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[ast.ClassDef, bool] = {}

    def __call__(self, source: Source, node: ast.ClassDef) -> bool:
        if node not in self._known:
            self._known[node] = not (node.decorator_list or node.keywords or reads_annotations(source)) and all(
                self._base(source, base.value if isinstance(base, ast.Subscript) else base) for base in node.bases
            )
        return self._known[node]

    def _base(self, source: Source, base: ast.expr) -> bool:
        found = resolve(self._sources, source, base)
        if found:
            return self(*found)
        first, *rest = chain_of(base) or ("",)
        name = ".".join((origin(self._sources, source, first), *rest))
        module, _, item = name.rpartition(".")
        if module:
            return module.partition(".")[0] in sys.stdlib_module_names and item not in ("NamedTuple", "TypedDict")
        return hasattr(builtins, name)


def reads_annotations(source: Source) -> bool:
    return any(word in source.text for word in _READERS)


def _drop_unread(source: Source, used: set[str]) -> bool:
    reads = source.facts.reads | used | source.effects | exported(source.tree)
    changed = False
    body: list[ast.stmt] = []
    for node in source.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [
                alias for alias, (_, _, bound) in zip(node.names, imported_names(node), strict=True) if bound in reads
            ]
            changed |= len(names) != len(node.names)
            node.names = names
            if not names:
                continue
        elif _is_unread_type(node, reads):
            changed = True
            continue
        body.append(node)
    source.tree.body = body
    if changed:
        del source.facts
    return changed


def _is_unread_type(node: ast.stmt, reads: set[str]) -> bool:
    if isinstance(node, ast.ClassDef):
        bases = {base.value if isinstance(base, ast.Subscript) else base for base in node.bases}
        names = {ast.unparse(base).rpartition(".")[2] for base in bases}
        return node.name not in reads and bool(names & set(_TYPE_BASES))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return False
    return node.targets[0].id not in reads and _is_type(node.value)


def _is_type(value: ast.expr) -> bool:
    """Whether an expression does nothing but to name types."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).rpartition(".")[2] in _TYPE_MAKERS
    return isinstance(value, ast.Name | ast.Subscript | ast.BinOp | ast.Attribute)


class _Stripped(ast.NodeTransformer):
    def __init__(self, source: Source, plain: _Plain, *, documented: bool) -> None:
        self._source = source
        self._documented = documented
        self._plain = plain
        self._typing = {
            bound: full.rpartition(".")[2] for bound, full in source.bound.items() if full.rpartition(".")[0] in _TYPING
        }
        self._keeps = reads_annotations(source)
        self._in_function = False
        self._keeps_class = False
        self._keeps_function = False

    def visit(self, node: ast.AST) -> Any:
        """Expressions have nothing to drop."""
        return node if isinstance(node, ast.expr) else super().visit(node)

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._body(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        outer = self._in_function, self._keeps_class
        self._in_function = False
        self._keeps_class = not self._plain(self._source, node)
        self._body(node, keeps_docstring=self._keeps_class)
        self._in_function, self._keeps_class = outer
        return node

    def visit_FunctionDef(self, node: _Function) -> _Function | None:
        if any(self._typing.get(ast.unparse(each)) == "overload" for each in node.decorator_list):
            return None
        outer = self._in_function, self._keeps_class, self._keeps_function
        is_read = self._keeps and (bool(node.decorator_list) or "Annotated[" in ast.unparse(node.args))
        self._in_function, self._keeps_class, self._keeps_function = True, False, is_read
        self._body(node, keeps_docstring=bool(node.decorator_list) or is_read)
        if not is_read:
            node.returns = None
        self._in_function, self._keeps_class, self._keeps_function = outer
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> _Function | None:
        return self.visit_FunctionDef(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        if not self._keeps_function:
            node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        """In a function, a name without a value still makes the name a local one."""
        self.generic_visit(node)
        if self._keeps_class:
            return node
        if self._in_function and node.value is None:
            node.annotation = ast.Constant(None)
            return node
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | None:
        return None if node.module == "__future__" else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """A block that loses all of its statements still needs one."""
        filled = [name for name in ("body", "finalbody") if isinstance(node, _BLOCKS) and getattr(node, name, None)]
        super().generic_visit(node)
        for name in filled:
            if not getattr(node, name):
                setattr(node, name, [ast.Pass()])
        return node

    def _body(self, node: ast.Module | ast.ClassDef | _Function, *, keeps_docstring: bool = False) -> None:
        if not (keeps_docstring or self._documented) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        self.generic_visit(node)
        if not node.body and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]

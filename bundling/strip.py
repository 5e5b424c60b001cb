"""Drops what nothing reads at run time: docstrings, annotations, and the names that only annotations use.

Docstrings of decorated functions explain rules, and stay. Annotations stay where something reads them: in named
tuples, in classes of modules that use pydantic, and in functions for typer and pygls.
"""

from __future__ import annotations

import ast

from bundling.sources import Source, Sources, imported_names, read_names, uses_of_others

#: modules with one of these words hand their classes and their decorated functions to what reads annotations
_READERS = ("import typer", "pydantic", "pygls", "__annotations__", "get_type_hints")
_TYPING = ("typing", "typing_extensions", "collections.abc")
#: calls that make what only annotations can use
_TYPE_MAKERS = ("TypeVar", "NewType", "ParamSpec")
_TYPE_BASES = ("Protocol", "TypedDict")


def strip(sources: Sources, kept: tuple[str, ...] = ()) -> None:
    """Strip all modules in place; `kept` are modules whose names programs import."""
    for source in sources.values():
        typing_names = _typing_names(source.tree)
        keeps = any(word in source.text for word in _READERS)
        source.tree = ast.fix_missing_locations(_Stripped(typing_names, keeps_annotations=keeps).visit(source.tree))
    changed = True
    while changed:
        used = uses_of_others(sources)
        changed = False
        for source in sources.values():
            if source.name not in kept:
                changed |= _drop_unread(source, used[source.name])


def _typing_names(tree: ast.Module) -> dict[str, str]:
    return {
        bound: name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module, name, bound in imported_names(node)
        if module in _TYPING
    }


def _drop_unread(source: Source, used: set[str]) -> bool:
    reads = read_names(source.tree) | used | source.effects | _exported(source.tree)
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
    return changed


def _exported(tree: ast.Module) -> set[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return {str(each.value) for each in ast.walk(node.value) if isinstance(each, ast.Constant)}
    return set()


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
    def __init__(self, typing_names: dict[str, str], *, keeps_annotations: bool) -> None:
        self._typing = typing_names
        self._keeps = keeps_annotations
        self._in_function = False
        self._keeps_class = False
        self._keeps_function = False

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._body(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        outer = self._in_function, self._keeps_class
        self._in_function = False
        bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
        self._keeps_class = (
            self._keeps
            or bool(bases & {"NamedTuple", "TypedDict"})
            or any("dataclass" in ast.unparse(each) for each in node.decorator_list)
        )
        self._body(node)
        self._in_function, self._keeps_class = outer
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef | None:
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

    def visit_arg(self, node: ast.arg) -> ast.arg:
        if not self._keeps_function:
            node.annotation = None
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and self._typing.get(node.func.id) == "cast":
            return node.args[1]
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

    def _body(self, node: ast.Module | ast.ClassDef | ast.FunctionDef, *, keeps_docstring: bool = False) -> None:
        if not keeps_docstring and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        self.generic_visit(node)
        if not node.body and not isinstance(node, ast.Module):
            node.body = [ast.Pass(lineno=node.lineno, col_offset=node.col_offset)]

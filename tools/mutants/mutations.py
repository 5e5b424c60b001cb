"""One change to one place of a function: what a mutant is.

A mutant is named by its function, the source of the place before and after the change, and the line it is in, so that a
list of explained ones survives changes elsewhere in the file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_COMPARED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
_OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult}

Change = Callable[[], object]


class Mutant(NamedTuple):
    """`line` to `last` are those of the statement; `number` counts the changes of the file."""

    file: Path
    number: int
    function: str
    line: int
    last: int
    before: str
    after: str
    text: str

    @property
    def name(self) -> str:
        where = "" if self.before in self.text and len(self.before) > 9 else f" in `{self.text}`"
        return f"{self.function}: {self.before} -> {self.after}{where}"


def mutants_of(file: Path) -> list[Mutant]:
    """All mutants of a file, in its order."""
    text = file.read_text()
    lines = text.splitlines()
    return [
        Mutant(file, number, function, at.lineno, _last_line(at), before, after, lines[place - 1].strip())
        for number, (function, at, place, before, after, _) in enumerate(_places(ast.parse(text)))
    ]


def mutated(mutant: Mutant) -> ast.Module:
    """The module with the change; lines stay as they are."""
    tree = ast.parse(mutant.file.read_text())
    for number, (*_, change) in enumerate(_places(tree)):
        if number == mutant.number:
            change()
            return ast.fix_missing_locations(tree)
    raise LookupError(mutant)


def _last_line(statement: ast.stmt) -> int:
    """Of a block its head alone."""
    body = getattr(statement, "body", None)
    return (
        body[0].lineno - 1
        if isinstance(body, list) and body[0].lineno > statement.lineno
        else statement.end_lineno or 0
    )


Place = tuple[str, ast.stmt, int, str, str, Change]


def _places(tree: ast.Module) -> list[Place]:
    return list(_of_body(tree.body, "", inside=False))


def _of_body(body: list[ast.stmt], function: str, *, inside: bool) -> Iterator[Place]:
    for index, statement in enumerate(body):
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            name = f"{function}.{statement.name}".lstrip(".")
            yield from _of_body(statement.body, name, inside=inside or isinstance(statement, ast.FunctionDef))
            continue
        if not inside or _is_docstring(statement):
            continue
        yield from ((function, statement, *change) for change in _removals(body, index))
        yield from ((function, statement, *change) for change in _of_expressions(statement))
        for block in ("body", "orelse", "finalbody"):
            yield from _of_body(getattr(statement, block, []), function, inside=True)
        for handler in getattr(statement, "handlers", ()):
            yield from _of_body(handler.body, function, inside=True)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _removals(body: list[ast.stmt], index: int) -> Iterator[tuple[int, str, str, Change]]:
    """A call for its effect, an addition or a jump that does not happen."""
    statement = body[index]
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Await)
    is_item = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)
    if is_call or is_item or isinstance(statement, ast.AugAssign | ast.Continue | ast.Delete):

        def remove() -> None:
            body[index] = ast.copy_location(ast.Pass(), statement)

        yield statement.lineno, _short(statement), "pass", remove


def _of_expressions(statement: ast.stmt) -> Iterator[tuple[int, str, str, Change]]:
    for field in _own_fields(statement):
        for node in ast.walk(field):
            if isinstance(node, ast.JoinedStr):
                _hide(node)
            if not hasattr(node, "hidden"):
                line = getattr(node, "lineno", statement.lineno)
                yield from ((line, *change) for change in _of_node(node))


def _own_fields(statement: ast.stmt) -> list[ast.AST]:
    """The expressions of a statement, without those of the statements in it, of annotations and of messages."""
    if isinstance(statement, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return []
    return [
        value
        for name, field in ast.iter_fields(statement)
        if name != "annotation"
        for value in (field if isinstance(field, list) else [field])
        if isinstance(value, ast.AST) and not isinstance(value, ast.stmt | ast.excepthandler)
    ]


def _hide(text: ast.JoinedStr) -> None:
    """What a formatted text says is for people."""
    for part in ast.walk(text):
        part.hidden = True  # type: ignore[attr-defined]


def _of_node(node: ast.AST) -> Iterator[tuple[str, str, Change]]:
    before = _short(node)
    for change in _changes(node):
        undo = change()
        after = _short(node)
        undo()
        yield before, after, change


def _changes(node: ast.AST) -> Iterator[Callable[[], Change]]:
    """Each makes a change and gives back what undoes it."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        yield _set(node, "ops", [_COMPARED[type(node.ops[0])]()])
    if isinstance(node, ast.BoolOp):
        yield _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield _set(node, "op", _OPERATORS[type(node.op)]())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _set(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
    if isinstance(node, ast.IfExp):
        yield _set(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield _set(node, "ifs", [])
    if isinstance(node, ast.Constant):
        yield from (_set(node, "value", other) for other in _others(node.value))


def _others(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    # A text with spaces is a message; one without is a key, a name or a word.
    if isinstance(value, str) and " " not in value:
        return [f"{value}?"]
    return []


def _set(node: ast.AST, field: str, value: object) -> Callable[[], Change]:
    def change() -> Change:
        before = getattr(node, field)
        setattr(node, field, value)
        return lambda: setattr(node, field, before)

    return change


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split()) if not isinstance(node, ast.comprehension) else _comprehension(node)
    return text if len(text) <= 120 else text[:117] + "..."


def _comprehension(node: ast.comprehension) -> str:
    conditions = "".join(f" if {ast.unparse(test)}" for test in node.ifs)
    return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}{conditions}"

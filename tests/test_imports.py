"""Modules import each other in one direction, also for annotations, and where an import waits until a function runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "dynamoc"


def test_no_modules_import_each_other_in_a_circle() -> None:
    modules = {_name(path): path for path in PACKAGE.rglob("*.py")}
    imports = {name: set(_imports(path, modules)) - {name} for name, path in modules.items()}
    while leaves := [name for name, used in imports.items() if not used]:
        for name in leaves:
            del imports[name]
        for used in imports.values():
            used.difference_update(leaves)
    assert imports == {}, f"among these modules is a circle: {', '.join(sorted(imports))}"


def _name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """What a module imports, now or later; the package itself names what it gives out late for type checkers only."""
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        is_type = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        if is_type and path == PACKAGE / "__init__.py":
            assert isinstance(node, ast.If)
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module
        waiting += ast.iter_child_nodes(node)

"""The modules of the package as syntax trees, and what they import from each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path


class Source:
    """One module.

    effects  names that it imports and never mentions: it imports modules of this package for what they do
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.is_package = path.name == "__init__.py"
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.effects = _effects(self.tree)


Sources = dict[str, Source]


def read(root: Path, package: str = "dynamoc") -> Sources:
    """The modules of a package below `root`, by their full names."""
    found = {}
    for path in sorted((root / package).rglob("*.py")):
        parts = list(path.relative_to(root).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        name = ".".join(parts)
        found[name] = Source(name, path)
    return found


def imported_names(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str, str]]:
    """(module, name in it or "", name that is bound) of an import statement."""
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "", alias.name, alias.asname or alias.name) for alias in node.names]
    found = []
    for alias in node.names:
        if alias.asname and "." in alias.name:
            module, _, name = alias.name.rpartition(".")
            found.append((module, name, alias.asname))
        else:
            found.append((alias.name, "", alias.asname or alias.name.partition(".")[0]))
    return found


def top_imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def read_names(*nodes: ast.AST) -> set[str]:
    """The names that code reads, wherever in it, and those that strings in `__all__` name."""
    return {
        child.id
        for node in nodes
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Store)
    }


def _effects(tree: ast.Module) -> set[str]:
    mentioned = read_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            mentioned |= set(re.findall(r"\w+", node.value))
    bound = {
        name
        for node in top_imports(tree)
        for module, _, name in imported_names(node)
        if module.partition(".")[0] == "dynamoc"
    }
    return bound - mentioned


def uses_of_others(sources: Sources) -> dict[str, set[str]]:
    """What each module has that other modules import, or read as its attributes."""
    used: dict[str, set[str]] = {name: set() for name in sources}
    for source in sources.values():
        modules = {}
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for module, name, bound in imported_names(node):
                if f"{module}.{name}" in sources:
                    modules[bound] = f"{module}.{name}"
                elif module in sources and name:
                    used[module].add(name)
                elif module in sources:
                    modules[bound] = bound
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                used.setdefault(modules[node.value.id], set()).add(node.attr)
    return used

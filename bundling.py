"""Writes the bundle of a wheel, the code of dynamoc's modules in one file: `python bundling.py SOURCE FILE`.

In it are the modules that the commands of benchmarks/startup.json import. What the same commands import is read at
once. The code is that of the modules without what nothing reads at run time: docstrings (but those of functions with
decorators, which explain rules), annotations, and imports for annotations. It is the same wherever and whenever it is
written by one version of Python. `dynamoc/modules.py` reads it.
"""

from __future__ import annotations
import __future__

import ast
import importlib.util
import itertools
import json
import marshal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

#: imported before there is a bundle
_LOOSE = ("dynamoc", "dynamoc.modules")
#: modules with one of these words may read the annotations of their classes
_READ_ANNOTATIONS = ("dataclass", "NamedTuple", "TypedDict", "__annotations__")


def main(source: str, target: str) -> None:
    """Write the bundle of the package `dynamoc` in the folder `source`, for the Python that runs."""
    Path(target).write_bytes(bundle(Path(source)))


def bundle(source: Path) -> bytes:
    """The magic number of the Python that runs, the length of the index, the index, and the groups of modules.

    The index has the group of each module, the packages among them, and where each group starts and ends. A group is a
    mapping of modules to their code and to modules of the bundle that they import when they are imported.
    """
    groups = _groups(json.loads((source / "benchmarks" / "startup.json").read_text())["modules"])
    known = {name for names in groups for name in names}
    codes = [marshal.dumps({name: _entry(source, name, known) for name in names}) for names in groups]
    ends = list(itertools.accumulate(map(len, codes)))
    number = {name: index for index, names in enumerate(groups) for name in names}
    packages = dict.fromkeys(name for name in number if _file(source, name).name == "__init__.py")
    head = marshal.dumps((number, packages, tuple(zip([0, *ends], ends, strict=False))))
    return importlib.util.MAGIC_NUMBER + len(head).to_bytes(8, "big") + head + b"".join(codes)


def _groups(users: dict[str, str]) -> list[list[str]]:
    """Modules that the same commands import, those with the most users first."""
    found: dict[str, list[str]] = {}
    for name, commands in sorted(users.items()):
        if name.startswith("dynamoc") and name not in _LOOSE:
            found.setdefault(commands, []).append(name)
    return [names for _, names in sorted(found.items(), key=lambda item: (-item[0].count(","), item[0]))]


def _file(source: Path, name: str) -> Path:
    path = source.joinpath(*name.split("."))
    package = path / "__init__.py"
    return package if package.exists() else path.with_suffix(".py")


def _entry(source: Path, name: str, known: set[str]) -> tuple[CodeType, tuple[str, ...]]:
    path = _file(source, name)
    text = path.read_text(encoding="utf-8")
    needs = [need for need in _imported(ast.parse(text)) if need in known and need != name]
    return stripped_code(text, path.relative_to(source).as_posix()), tuple(dict.fromkeys(needs))


def _imported(tree: ast.Module) -> Iterator[str]:
    """What a module imports on its first level, each below its packages; names of functions and classes among them."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def stripped_code(text: str, name: str) -> CodeType:
    """The code of a module; `name` is what it takes for its file."""
    keeps = any(word in text for word in _READ_ANNOTATIONS)
    tree = ast.fix_missing_locations(_Stripped(keeps_annotations=keeps).visit(ast.parse(text)))
    code: CodeType = compile(tree, name, "exec", __future__.annotations.compiler_flag, dont_inherit=True, optimize=0)
    return code


class _Stripped(ast.NodeTransformer):
    def __init__(self, *, keeps_annotations: bool) -> None:
        self._keeps = keeps_annotations
        self._in_function = False

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._body(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        outer, self._in_function = self._in_function, False
        self._body(node)
        self._in_function = outer
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        outer, self._in_function = self._in_function, True
        self._body(node, keeps_docstring=bool(node.decorator_list))
        self._in_function = outer
        if not self._keeps:
            node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        if not self._keeps:
            node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        """In a function, a name without a value still makes the name a local one."""
        self.generic_visit(node)
        if self._keeps or (self._in_function and node.value is None):
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


if __name__ == "__main__":
    main(*sys.argv[1:])

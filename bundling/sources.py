"""The modules of the package as syntax trees, and what they import from each other."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass
class Facts:
    """What a statement or a module has in it.

    chains      dotted names, as (name, attribute, ...)
    imports     (module, name in it or "", name that is bound), wherever they stand
    attributes  names of attributes, and those that `getattr` gets
    loaded      attributes of what `import_module` gives
    """

    reads: set[str] = field(default_factory=set)
    chains: set[tuple[str, ...]] = field(default_factory=set)
    imports: list[tuple[str, str, str]] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)

    def add(self, other: Facts) -> None:
        self.reads |= other.reads
        self.chains |= other.chains
        self.imports += other.imports
        self.attributes |= other.attributes
        self.loaded |= other.loaded


_ANNOTATED = (ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """One module. ValueError for imports that are relative or of all names: nothing here knows them.

    bound    the full names of what its names mean
    effects  names that it imports and never mentions: it imports modules for what they do, or hands names on
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.is_package = path.name == "__init__.py"
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        nodes = list(walk(self.tree))
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.level or node.names[0].name == "*"):
                raise ValueError(f"{path}:{node.lineno}: {ast.unparse(node)}")
        self.bound = _bound(name, self.tree)
        self.effects = {bound for each in top_imports(self.tree) for *_, bound in imported_names(each)}
        self.effects -= _mentioned(nodes)
        self._facts: dict[ast.stmt, Facts] = {}

    @cached_property
    def facts(self) -> Facts:
        """Those of the module. From here on, statements on the first level only go, or import less."""
        found = Facts()
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                found.imports += imported_names(node)
            else:
                if node not in self._facts:
                    self._facts[node] = _read(node)
                found.add(self._facts[node])
        return found


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


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """What `ast.walk` gives, but contexts of names, in less than half of its time."""
    found = [node]
    for each in found:
        yield each
        for name in () if isinstance(each, ast.Name) else each._fields:
            value = getattr(each, name)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]


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
    """The names that code reads, wherever in it."""
    return {
        child.id
        for node in nodes
        for child in walk(node)
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Store)
    }


def exported(tree: ast.Module) -> set[str]:
    """What `__all__` names."""
    return {
        each.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == "__all__"
        for each in ast.walk(node.value)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def origin(sources: Sources, source: Source, name: str) -> str:
    """The full name of what a name of a module means, through imports; the name alone where nothing binds it."""
    found = source.bound.get(name, name)
    if found == f"{source.name}.{name}" or found in sources:
        return found
    module, _, item = found.rpartition(".")
    return origin(sources, sources[module], item) if module in sources and item in sources[module].bound else found


def resolve(sources: Sources, source: Source, value: ast.expr) -> tuple[Source, ast.ClassDef] | None:
    """The class that an expression of a module names, on the first level of a module of the package."""
    first, *rest = chain_of(value) or ("",)
    full = origin(sources, source, first)
    for name in rest:
        if full in sources and f"{full}.{name}" not in sources:
            full = origin(sources, sources[full], name)
        else:
            full = f"{full}.{name}"
    module, _, item = full.rpartition(".")
    holder = sources.get(module)
    classes = [
        each for each in (holder.tree.body if holder else ()) if isinstance(each, ast.ClassDef) and each.name == item
    ]
    return (holder, classes[0]) if holder and len(classes) == 1 else None


def chain_of(value: ast.AST) -> tuple[str, ...]:
    """(name, attribute, ...) of a dotted name; () for other expressions."""
    parts: list[str] = []
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    return (value.id, *reversed(parts)) if isinstance(value, ast.Name) else ()


def _read(node: ast.stmt) -> Facts:
    facts = Facts()
    stored: set[str] = set()
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        if chain := chain_of(each):
            facts.chains.add(chain)
            facts.attributes.update(chain[1:])
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                stored.add(each.id)
            else:
                facts.reads.add(chain[0])
            continue
        if isinstance(each, ast.Attribute):
            facts.attributes.add(each.attr)
            if isinstance(each.value, ast.Call) and chain_of(each.value.func)[-1:] == ("import_module",):
                facts.loaded.add(each.attr)
        elif (
            isinstance(each, ast.Call)
            and chain_of(each.func) == ("getattr",)
            and isinstance(each.args[1], ast.Constant)
        ):
            facts.attributes.add(str(each.args[1].value))
        elif isinstance(each, ast.Import | ast.ImportFrom):
            facts.imports += imported_names(each)
        elif isinstance(each, ast.arg):
            stored.add(each.arg)
        waiting += ast.iter_child_nodes(each)
    # A name of a function's own is no module.
    facts.chains -= {(name,) for name in stored}
    facts.reads -= _own_names(node) - _free_names(node)
    return facts


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _own_names(node: ast.AST) -> set[str]:
    """The parameters and variables of functions in a statement."""
    scopes = (each for each in walk(node) if isinstance(each, _FUNCTIONS + _COMPREHENSIONS))
    return {name for each in scopes for name in _locals(each)}


def _free_names(node: ast.AST, bound: frozenset[str] = frozenset()) -> set[str]:
    """The names that a statement reads where no function around binds them."""
    if isinstance(node, ast.Name):
        return {node.id} - bound if not isinstance(node.ctx, ast.Store) else set()
    outside: list[ast.AST] = []
    inside: list[ast.AST] = list(ast.iter_child_nodes(node))
    inner = bound
    if isinstance(node, _COMPREHENSIONS):
        inner, outside = bound | _locals(node), [node.generators[0].iter]
    elif isinstance(node, _FUNCTIONS):
        inner = bound | _locals(node)
        inside = [*node.body] if isinstance(node.body, list) else [node.body]
        outside = [each for each in ast.iter_child_nodes(node) if each not in inside]
    elif isinstance(node, ast.arg):
        inside = [node.annotation] if node.annotation else []
    found: set[str] = set()
    for each in outside:
        found |= _free_names(each, bound)
    for each in inside:
        found |= _free_names(each, inner)
    return found


def _locals(node: ast.AST) -> frozenset[str]:
    """The names that a function or comprehension binds; a name that a function declares global is none."""
    found: set[str] = set()
    if isinstance(node, _COMPREHENSIONS):
        waiting: list[ast.AST] = [each.target for each in node.generators]
    else:
        assert isinstance(node, _FUNCTIONS)
        found = {each.arg for each in walk(node.args) if isinstance(each, ast.arg)}
        waiting = list(node.body) if isinstance(node.body, list) else []
    free: set[str] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Global | ast.Nonlocal):
            free |= set(each.names)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            found.add(each.id)
        elif not isinstance(each, (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)):
            waiting += ast.iter_child_nodes(each)
    return frozenset(found - free)


def uses_of_others(sources: Sources) -> dict[str, set[str]]:
    """What each module has that other modules import, or read as its attributes.

    Where a module is a value, as in a list of modules, this is each attribute that the module with the value reads, or
    one that imports from it.
    """
    used: dict[str, set[str]] = {name: set() for name in sources}
    loaded: set[str] = set()
    attributes: dict[str, set[str]] = {name: set() for name in sources}
    holders: dict[str, set[str]] = {}
    for name, source in sources.items():
        modules: dict[str, set[str]] = {}
        facts = source.facts
        loaded |= facts.loaded
        for module, item, bound in facts.imports:
            if module in sources and item:
                used[module].add(item)
            full = f"{module}.{item}" if item else bound if "." in module else module
            if full in sources:
                modules.setdefault(bound, set()).add(full)
        for place in {name, *(module for module, *_ in facts.imports)} & sources.keys():
            attributes[place] |= facts.attributes
        for first, *rest in facts.chains:
            for full in modules.get(first, ()):
                places = list(itertools.accumulate(rest, "{}.{}".format, initial=full))
                for place, item in zip(places, rest, strict=False):
                    if place in sources:
                        used[place].add(item)
                if places[-1] in sources:
                    holders.setdefault(places[-1], set()).add(name)
    for name in sources:
        used[name] |= loaded.union(*(attributes[holder] for holder in holders.get(name, ())))
    return used


def _bound(name: str, tree: ast.Module) -> dict[str, str]:
    """What the names on the first level of a module mean: the full name of what an import names, or one of its own."""
    found = {
        bound: f"{module}.{item}" if item else bound if bound != module else module
        for node in top_imports(tree)
        for module, item, bound in imported_names(node)
    }
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            own = {node.name}
        else:
            own = names_bound(node)
        found.update({each: f"{name}.{each}" for each in own})
    return found


def names_bound(node: ast.stmt) -> set[str]:
    """The names that a statement binds, wherever in it, by assigning or importing."""
    return {each.id for each in walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)} | {
        bound
        for each in walk(node)
        if isinstance(each, ast.Import | ast.ImportFrom)
        for *_, bound in imported_names(each)
    }


def _mentioned(nodes: list[ast.AST]) -> set[str]:
    """The names in code, and the words of strings that may be types."""
    mentioned: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            mentioned.add(node.id)
            continue
        quoted: list[ast.expr | None]
        if isinstance(node, ast.Call):
            quoted = [*node.args[:1]] if chain_of(node.func)[-1:] == ("cast",) else []
        elif isinstance(node, _ANNOTATED):
            quoted = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        else:
            continue
        mentioned |= {
            word
            for value in quoted
            if value
            for each in walk(value)
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
            for word in re.findall(r"\w+", each.value)
        }
    return mentioned

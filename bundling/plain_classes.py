"""Dataclasses written out: what the decorator makes at each start, made once."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from bundling.sources import Source, Sources, imported_names, top_imports

_OPTIONS = {
    "init": True, "repr": True, "eq": True, "order": False, "unsafe_hash": False, "frozen": False, "kw_only": False,
    "slots": False, "match_args": True, "weakref_slot": False,
}  # fmt: skip
_FIELD_OPTIONS = {"default", "default_factory", "init", "repr", "compare", "hash", "kw_only"}
#: what a parameter has that its default factory fills
UNSET = "_unset"


@dataclass
class Field:
    """A field of a dataclass; `default` and `factory` are expressions."""

    name: str
    default: ast.expr | None = None
    factory: ast.expr | None = None
    init: bool = True
    repr: bool = True
    compare: bool = True
    kw_only: bool = False


@dataclass
class Class:
    """A dataclass that can be written out: its fields with those of its bases, and the decorator's options."""

    fields: dict[str, Field] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)
    options: dict[str, bool] = field(default_factory=dict)
    #: statements that only mark what follows
    marks: list[ast.stmt] = field(default_factory=list)


def write_out(sources: Sources) -> None:
    """Replace the decorators of dataclasses by methods, in place; those that do what is not known here stay."""
    names = {name: _dataclass_names(source) for name, source in sources.items()}
    known: dict[tuple[str, str], Class | None] = {}
    for source in sources.values():
        changed = False
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and _decorator(node, names[source.name]) is not None:
                made = _class(sources, names, known, source, node)
                if made is not None:
                    _write(node, made, names[source.name])
                    changed = True
        if changed:
            unset = ast.parse(f"{UNSET} = object()").body
            last = max(
                (index for index, each in enumerate(source.tree.body) if isinstance(each, ast.ImportFrom)), default=0
            )
            source.tree.body[last + 1 : last + 1] = unset
        ast.fix_missing_locations(source.tree)


def _dataclass_names(source: Source) -> dict[str, str]:
    """What of the module `dataclasses` the names of a module mean."""
    return {
        bound: name
        for node in top_imports(source.tree)
        for module, name, bound in imported_names(node)
        if module == "dataclasses" and name
    }


def _decorator(node: ast.ClassDef, names: dict[str, str]) -> ast.expr | None:
    for each in node.decorator_list:
        function = each.func if isinstance(each, ast.Call) else each
        if isinstance(function, ast.Name) and names.get(function.id) == "dataclass":
            return each
    return None


def _class(
    sources: Sources,
    names: dict[str, dict[str, str]],
    known: dict[tuple[str, str], Class | None],
    source: Source,
    node: ast.ClassDef,
) -> Class | None:
    key = source.name, node.name
    if key not in known:
        known[key] = _read(sources, names, known, source, node)
    return known[key]


def _read(
    sources: Sources,
    names: dict[str, dict[str, str]],
    known: dict[tuple[str, str], Class | None],
    source: Source,
    node: ast.ClassDef,
) -> Class | None:
    decorator = _decorator(node, names[source.name])
    made = Class(options=dict(_OPTIONS))
    for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
        if keyword.arg not in _OPTIONS or not isinstance(keyword.value, ast.Constant):
            return None
        made.options[keyword.arg] = bool(keyword.value.value)
    if made.options["order"] or made.options["unsafe_hash"] or made.options["weakref_slot"] or node.keywords:
        return None
    for base in node.bases:
        found = _base(sources, source, base)
        if found is None:
            return None
        holder, parent = found
        if _decorator(parent, names[holder.name]) is not None:
            inherited = _class(sources, names, known, holder, parent)
            if inherited is None:
                return None
            made.fields.update(inherited.fields)
    kw_only, marks = made.options["kw_only"], made.marks
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        text = ast.unparse(statement.annotation)
        if "ClassVar" in text:
            continue
        if "InitVar" in text:
            return None
        if names[source.name].get(text) == "KW_ONLY":
            kw_only = True
            marks.append(statement)
            continue
        item = _field(statement.target.id, statement.value, names[source.name], kw_only=kw_only)
        if item is None:
            return None
        made.fields[item.name] = item
        made.own.append(item.name)
    return made


def _base(sources: Sources, source: Source, base: ast.expr) -> tuple[Source, ast.ClassDef] | None:
    """The class that a base names, in this module or in another one of the package."""
    if not isinstance(base, ast.Name):
        return None
    name = base.id
    for node in top_imports(source.tree):
        for module, origin, bound in imported_names(node):
            if bound == name:
                if module not in sources:
                    return None
                source, name = sources[module], origin
    for each in source.tree.body:
        if isinstance(each, ast.ClassDef) and each.name == name:
            return source, each
    return None


def _field(name: str, value: ast.expr | None, names: dict[str, str], *, kw_only: bool) -> Field | None:
    item = Field(name, kw_only=kw_only)
    if not isinstance(value, ast.Call) or not (
        names.get(ast.unparse(value.func)) == "field" or ast.unparse(value.func) == "dataclasses.field"
    ):
        item.default = value
        return item
    for keyword in value.keywords:
        if keyword.arg not in _FIELD_OPTIONS:
            return None
        if keyword.arg == "default":
            item.default = keyword.value
        elif keyword.arg == "default_factory":
            item.factory = keyword.value
        elif not isinstance(keyword.value, ast.Constant) or keyword.arg == "hash":
            return None
        else:
            setattr(item, keyword.arg, bool(keyword.value.value))
    return item


def _write(node: ast.ClassDef, made: Class, names: dict[str, str]) -> None:
    decorator = _decorator(node, names)
    node.decorator_list = [each for each in node.decorator_list if each is not decorator]
    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    plain = {
        target.id
        for each in node.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    options, fields = made.options, list(made.fields.values())
    head: list[str] = []
    if options["slots"]:
        head.append(f"__slots__ = {tuple(made.own)!r}")
    tail: list[str] = []
    if options["init"] and "__init__" not in methods:
        tail.append(_init(fields, post="__post_init__" in methods))
    if options["repr"] and "__repr__" not in methods:
        shown = ", ".join(f"{item.name}={{self.{item.name}!r}}" for item in fields if item.repr)
        tail.append(f'def __repr__(self):\n    return f"{{self.__class__.__qualname__}}({shown})"')
    if options["eq"] and "__eq__" not in methods:
        own = ", ".join(f"self.{item.name}" for item in fields if item.compare)
        other = own.replace("self.", "other.")
        tail.append(
            "def __eq__(self, other):\n    if other.__class__ is not self.__class__:\n        return NotImplemented\n"
            f"    return ({own}{',' if own else ''}) == ({other}{',' if other else ''})"
        )
    if options["eq"] and "__hash__" not in methods | plain:
        if options["frozen"]:
            hashed = "".join(f"self.{item.name}, " for item in fields if item.compare)
            tail.append(f"def __hash__(self):\n    return hash(({hashed}))")
        elif "__eq__" not in methods:
            tail.append("__hash__ = None")
    body: list[ast.stmt] = []
    for each in node.body:
        if each in made.marks:
            continue
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id in made.own:
            item = made.fields[each.target.id]
            if not options["slots"] and item.default is not None:
                body.append(ast.Assign([ast.Name(item.name, ast.Store())], item.default, lineno=each.lineno))
            continue
        body.append(each)
    start = 1 if body and ast.get_docstring(node, clean=False) is not None else 0
    body[start:start] = [made_ for text in head for made_ in ast.parse(text).body]
    body += [made_ for text in tail for made_ in _located(text, made.fields)]
    node.body = body or [ast.Pass()]


def _init(fields: list[Field], *, post: bool) -> str:
    """The text of `__init__`; a default is named `_default_FIELD` and filled in by `_located`."""
    given = [item for item in fields if item.init]
    words = ["self", *(_parameter(item) for item in given if not item.kw_only)]
    keywords = [item for item in given if item.kw_only]
    if keywords:
        words += ["*", *(_parameter(item) for item in keywords)]
    lines = []
    for item in fields:
        if not item.init and item.factory is not None:
            lines.append(f"self.{item.name} = _factory_{item.name}()")
        elif not item.init:
            if item.default is not None:
                lines.append(f"self.{item.name} = _default_{item.name}")
        elif item.factory is not None:
            lines.append(f"self.{item.name} = _factory_{item.name}() if {item.name} is {UNSET} else {item.name}")
        else:
            lines.append(f"self.{item.name} = {item.name}")
    if post:
        lines.append("self.__post_init__()")
    body = "".join(f"\n    {line}" for line in lines or ["pass"])
    return f"def __init__({', '.join(words)}):{body}"


def _parameter(item: Field) -> str:
    if item.factory is not None:
        return f"{item.name}={UNSET}"
    return item.name if item.default is None else f"{item.name}=_default_{item.name}"


def _located(text: str, fields: dict[str, Field]) -> list[ast.stmt]:
    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            for prefix, attribute in (("_default_", "default"), ("_factory_", "factory")):
                if node.id.startswith(prefix) and node.id.removeprefix(prefix) in fields:
                    value = getattr(fields[node.id.removeprefix(prefix)], attribute)
                    if value is not None:
                        return value  # type: ignore[no-any-return]
            return node

    return [Filled().visit(each) for each in ast.parse(text).body]

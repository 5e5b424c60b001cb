"""Dataclasses written out: what the decorator makes at each start, made once.

Nothing refuses to change a frozen one: mypy does.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field, replace

from bundling.sources import Source, Sources, chain_of, imported_names, origin, read_names, resolve, walk

_OPTIONS = {
    "init": True, "repr": True, "eq": True, "order": False, "unsafe_hash": False, "frozen": False, "kw_only": False,
    "slots": False, "match_args": True, "weakref_slot": False,
}  # fmt: skip
_FIELD_OPTIONS = {"default", "default_factory", "init", "repr", "compare", "hash", "kw_only"}
#: what looks for the fields of a dataclass
_ASKING = {f"dataclasses.{name}" for name in ("asdict", "astuple", "fields", "is_dataclass", "replace")}
#: what makes an annotation something else than that of a field
_MARKS = {"typing.ClassVar", "dataclasses.InitVar", "dataclasses.KW_ONLY"}
_FIELDS = {"dataclasses.field", *_MARKS}
#: what a parameter has that its default factory fills
UNSET = "_unset_field"


@dataclass
class Field:
    """A field of a dataclass, as the module `holder` declares it; `default` and `factory` are expressions."""

    name: str
    holder: Source
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
    #: whether it has `__post_init__`, or a base has it
    post: bool = False
    #: whether instances have a place for other attributes, from it or from a base with fields
    open: bool = False


class _UnknownError(Exception):
    """A class does what is not known here."""


def write_out(sources: Sources, left: tuple[str, ...] = ()) -> None:
    """Replace the decorators of dataclasses by methods, in place.

    Those that do what is not known here stay, and so do their bases, whose fields the decorator looks for; those of
    modules in `left`; and those whose names a module has that asks for fields. ValueError where fields may hide.
    """
    reader = _Reader(sources)
    classes = {name: _dataclasses(source) for name, source in sources.items()}
    stays: list[tuple[Source, ast.ClassDef]] = []
    for name, source in sources.items():
        asks = _asks(source)
        if asks:
            found = [resolve(sources, source, ast.Name(each, ast.Load())) for each in source.bound]
            stays += [each for each in found if each]
        for node in classes[name]:
            if asks or name in left or node not in source.tree.body or not reader.read(source, node):
                stays.append((source, node))
    kept: set[ast.ClassDef] = set()
    while stays:
        source, node = stays.pop()
        if node not in kept:
            kept.add(node)
            stays += [each for base in node.bases if (each := resolve(sources, source, base))]
    for name, source in sources.items():
        written = [(node, made) for node in classes[name] if node not in kept and (made := reader.read(source, node))]
        if any(item.factory for _, made in written for item in made.fields.values()):
            first = min(source.tree.body.index(node) for node, _ in written)
            source.tree.body[first:first] = ast.parse(f"{UNSET} = object()").body
        for node, made in written:
            _write(node, made, source)


def _dataclasses(source: Source) -> list[ast.ClassDef]:
    if "dataclass" not in source.text:
        return []
    found: list[ast.ClassDef] = []
    known: set[ast.AST | None] = set()
    hidden: dict[str, int] = {}
    own = set()
    for node in walk(source.tree):
        if isinstance(node, ast.ClassDef) and _decorator(node, source):
            found.append(node)
        elif isinstance(node, ast.AnnAssign):
            known |= {getattr(node.value, "func", None), *walk(node.annotation)}
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.Name | ast.Attribute) and node not in known and _meaning(node, source) in _FIELDS:
            hidden[ast.unparse(node)] = node.lineno
    for name in hidden.keys() - own:
        raise ValueError(f"{source.path}:{hidden[name]}: fields may hide in another use of `{name}`")
    return found


def _meaning(value: ast.expr, source: Source) -> str:
    """What a name or a dotted one means, in full."""
    first, *rest = chain_of(value) or ("",)
    return ".".join((source.bound.get(first, first), *rest))


def _decorator(node: ast.ClassDef, source: Source) -> ast.expr | None:
    """The decorator that makes a class a dataclass."""
    for each in node.decorator_list:
        if _meaning(each.func if isinstance(each, ast.Call) else each, source) == "dataclasses.dataclass":
            return each
    return None


def _asks(source: Source) -> bool:
    """Whether a module uses what looks for the fields of a dataclass."""
    return "dataclasses" in source.text and any(
        _meaning(node, source) in _ASKING for node in walk(source.tree) if isinstance(node, ast.Name | ast.Attribute)
    )


def _bound(node: ast.ClassDef) -> set[str]:
    """The names that the body of a class binds."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(each.name)
        elif isinstance(each, ast.Import | ast.ImportFrom):
            found |= {bound for *_, bound in imported_names(each)}
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            found.add(each.id)
        elif not isinstance(each, ast.AnnAssign) or each.value:
            waiting += ast.iter_child_nodes(each)
    return found


class _Reader:
    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[ast.ClassDef, Class | None] = {}

    def read(self, source: Source, node: ast.ClassDef) -> Class | None:
        """The fields of a dataclass; None where it does what is not known here."""
        if node not in self._known:
            try:
                self._known[node] = self._class(source, node)
            except _UnknownError:
                self._known[node] = None
        return self._known[node]

    def _class(self, source: Source, node: ast.ClassDef) -> Class:
        decorator = _decorator(node, source)
        made = Class(options=dict(_OPTIONS))
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg not in _OPTIONS or not isinstance(keyword.value, ast.Constant):
                raise _UnknownError
            made.options[keyword.arg] = bool(keyword.value.value)
        if made.options["order"] or made.options["unsafe_hash"] or made.options["weakref_slot"]:
            raise _UnknownError
        if decorator is not node.decorator_list[-1]:
            raise _UnknownError
        self._inherit(source, node, made)
        if made.options["slots"] and made.open:
            raise _UnknownError
        made.open |= not made.options["slots"]
        self._own(source, node, made)
        for item in made.fields.values():
            self._check(source, item, made)
        return made

    def _inherit(self, source: Source, node: ast.ClassDef, made: Class) -> None:
        """Add what the bases have."""
        if node.keywords:
            raise _UnknownError
        for base in node.bases:
            found = resolve(self._sources, source, base)
            if found is None:
                raise _UnknownError
            holder, parent = found
            inherited: Class | None = Class()
            if _decorator(parent, holder) is not None:
                inherited = self.read(holder, parent)
            elif parent.decorator_list:
                raise _UnknownError
            elif inherited:
                self._inherit(holder, parent, inherited)
            if inherited is None or (made.fields and inherited.fields):
                raise _UnknownError
            for item in inherited.fields.values():
                given = item.default
                if given is not None and not isinstance(given, ast.Constant):
                    if not inherited.open:
                        raise _UnknownError
                    given = ast.Attribute(base, item.name, ast.Load())
                made.fields[item.name] = replace(item, default=given)
            made.post |= inherited.post
            made.open |= inherited.open
        made.post |= "__post_init__" in _bound(node)

    def _own(self, source: Source, node: ast.ClassDef, made: Class) -> None:
        """Add what the class itself declares."""
        bound = _bound(node)
        kw_only = made.options["kw_only"]
        inherited = set(made.fields)
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign):
                if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and any(
                    isinstance(each, ast.AnnAssign) for each in walk(statement)
                ):
                    raise _UnknownError
                continue
            mark = _mark(statement.annotation, source)
            if not isinstance(statement.target, ast.Name) or mark == "dataclasses.InitVar":
                raise _UnknownError
            if mark == "typing.ClassVar":
                if statement.target.id in inherited:
                    raise _UnknownError
                continue
            if mark == "dataclasses.KW_ONLY":
                kw_only = True
                made.marks.append(statement)
                continue
            item = _field(source, statement.target.id, statement.value, kw_only=kw_only)
            given = [each for each in (item.factory, item.default if made.options["slots"] else None) if each]
            later = not item.init and made.options["slots"] and item.default
            if read_names(*given) & bound or (later and not isinstance(later, ast.Constant)):
                raise _UnknownError
            made.fields[item.name] = item
            if item.name not in inherited:
                made.own.append(item.name)

    def _check(self, source: Source, item: Field, made: Class) -> None:
        """Whether the expressions of a field mean the same in `__init__` of a class in another module."""
        if item.name.startswith("__") or item.name == "self":
            raise _UnknownError
        for name in read_names(item.factory) if item.factory else ():
            means = [origin(self._sources, each, name) for each in (source, item.holder)]
            if name in made.fields or name == "self" or means[0] != means[1]:
                raise _UnknownError


def _mark(annotation: ast.expr, source: Source) -> str:
    """What an annotation means that marks no field, or ""."""
    found = _meaning(annotation.value if isinstance(annotation, ast.Subscript) else annotation, source)
    name = found.rpartition(".")[2]
    # Dataclasses read no string in a string; and what another import gives may be a mark.
    if isinstance(annotation, ast.Constant) or any(mark.endswith(f".{name}") != (mark == found) for mark in _MARKS):
        raise _UnknownError
    return found


def _field(source: Source, name: str, value: ast.expr | None, *, kw_only: bool) -> Field:
    item = Field(name, source, kw_only=kw_only)
    if not isinstance(value, ast.Call) or _meaning(value.func, source) != "dataclasses.field":
        item.default = value
        return item
    for keyword in value.keywords:
        if keyword.arg not in _FIELD_OPTIONS:
            raise _UnknownError
        if keyword.arg == "default":
            item.default = keyword.value
        elif keyword.arg == "default_factory":
            item.factory = keyword.value
        elif not isinstance(keyword.value, ast.Constant) or keyword.arg == "hash":
            raise _UnknownError
        else:
            setattr(item, keyword.arg, bool(keyword.value.value))
    return item


def _write(node: ast.ClassDef, made: Class, source: Source) -> None:
    decorator = _decorator(node, source)
    node.decorator_list = [each for each in node.decorator_list if each is not decorator]
    fields_of_class = {each.target for each in node.body if isinstance(each, ast.AnnAssign)}
    defined = _bound(node) - {each.id for each in fields_of_class if isinstance(each, ast.Name)}
    options, fields = made.options, list(made.fields.values())
    head: list[str] = []
    if options["slots"]:
        head.append(f"__slots__ = {tuple(made.own)!r}")
    tail: list[str] = []
    if options["init"] and "__init__" not in defined:
        tail.append(_init(fields, post=made.post, slots=options["slots"]))
    if options["repr"] and "__repr__" not in defined:
        shown = ", ".join(f"{item.name}={{self.{item.name}!r}}" for item in fields if item.repr)
        tail.append(f'def __repr__(self):\n    return f"{{self.__class__.__qualname__}}({shown})"')
    if options["eq"] and "__eq__" not in defined:
        own = "".join(f"self.{item.name}, " for item in fields if item.compare)
        other = own.replace("self.", "other.")
        tail.append(
            "def __eq__(self, other):\n    if other.__class__ is not self.__class__:\n        return NotImplemented\n"
            f"    return ({own}) == ({other})"
        )
    if options["eq"] and "__hash__" not in defined:
        if options["frozen"]:
            hashed = "".join(f"self.{item.name}, " for item in fields if item.compare)
            tail.append(f"def __hash__(self):\n    return hash(({hashed}))")
        elif "__eq__" not in defined:
            tail.append("__hash__ = None")
    if options["match_args"] and "__match_args__" not in defined:
        tail.append(f"__match_args__ = {tuple(item.name for item in fields if item.init and not item.kw_only)!r}")
    body: list[ast.stmt] = []
    given: dict[str, ast.expr] = {f"_factory_{item.name}": item.factory for item in fields if item.factory}
    given |= {f"_default_{item.name}": item.default for item in fields if item.default}
    for each in node.body:
        if each in made.marks:
            continue
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id in made.fields:
            item = made.fields[each.target.id]
            if not options["slots"] and item.default is not None:
                body.append(ast.Assign([ast.Name(item.name, ast.Store())], item.default, lineno=each.lineno))
                if not isinstance(item.default, ast.Constant):
                    # Made once, for the class and for what calls it.
                    given[f"_default_{item.name}"] = ast.Name(item.name, ast.Load())
            continue
        body.append(each)
    start = 1 if body and ast.get_docstring(node, clean=False) is not None else 0
    body[start:start] = [made_ for text in head for made_ in ast.parse(text).body]
    body += [made_ for text in tail for made_ in _filled(text, given, node)]
    node.body = body or [ast.Pass()]


def _init(fields: list[Field], *, post: bool, slots: bool) -> str:
    """The text of `__init__`; `_filled` puts expressions where `_default_FIELD` and `_factory_FIELD` stand."""
    given = [item for item in fields if item.init]
    words = ["self", *(_parameter(item) for item in given if not item.kw_only)]
    keywords = [item for item in given if item.kw_only]
    if keywords:
        words += ["*", *(_parameter(item) for item in keywords)]
    lines = []
    for item in fields:
        if item.init and item.factory is not None:
            lines.append(f"self.{item.name} = _factory_{item.name}() if {item.name} is {UNSET} else {item.name}")
        elif item.init:
            lines.append(f"self.{item.name} = {item.name}")
        elif item.factory is not None:
            lines.append(f"self.{item.name} = _factory_{item.name}()")
        elif item.default is not None and slots:
            lines.append(f"self.{item.name} = _default_{item.name}")
    if post:
        lines.append("self.__post_init__()")
    body = "".join(f"\n    {line}" for line in lines or ["pass"])
    return f"def __init__({', '.join(words)}):{body}"


def _parameter(item: Field) -> str:
    if item.factory is not None:
        return f"{item.name}={UNSET}"
    return item.name if item.default is None else f"{item.name}=_default_{item.name}"


def _filled(text: str, given: dict[str, ast.expr], place: ast.ClassDef) -> list[ast.stmt]:
    """Statements that stand where their class does: Python takes functions that are the same on one line for one."""

    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return copy.deepcopy(given.get(node.id, node))

    body = ast.parse(text).body
    for each in (found for statement in body for found in walk(statement)):
        ast.copy_location(each, place)
    return [Filled().visit(each) for each in body]

"""Trees as Go decodes and encodes them.

A minimal tree says what a Go value says and nothing else: no nulls, no unknown fields, no zero values but those behind
a pointer, quantities as Go prints them. Conversions work on minimal trees, where two values are the same for the
operator if they are equal, and where a field is set if it is there. `Type.read` makes one of plain data, `Type.print`
adds what encoding/json prints for zero values, with fields in Go's order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from dynamoc.kube.go_scalars import SCALARS, STRUCT_SCALARS, Mismatch
from dynamoc.kube.go_types import Field, Tables
from dynamoc.kube.merge import Tree, copy_tree

Read = Callable[[Any], Any]

# Zero values that are worth keeping without a pointer: raw JSON is passed on, and "" is a port's name, not no port.
_KEPT = ("JSON", "IntOrString")
_PRINTED = tuple(name for name in STRUCT_SCALARS if name != "JSON")
# A map that the operator compares by reflection, where an empty one and none differ.
_KEPT_FIELDS = {"dynamo/v1alpha1.ResourceItem": frozenset(("custom",))}


@dataclass(eq=False, slots=True)
class Type:
    """One Go type.

    read       plain data, not null, to a minimal value; raises Mismatch
    write      a minimal value to what Go prints; None where that is the same
    zero       what Go prints for the zero value, and for null as an element of a list or a map
    keeps_zero whether a zero value says more than a missing one
    is_struct  whether it prints as a map with fields of its own
    """

    read: Read
    zero: Any
    write: Read | None = None
    _: KW_ONLY
    keeps_zero: bool = False
    is_struct: bool = False

    def print(self, value: Any) -> Any:
        return value if self.write is None or value is None else self.write(value)


class Codec:
    """Types by name, made of their tables when they are first needed.

    With `strip`, structs that print as {} are dropped where they are not behind a pointer, and fields keep their order:
    v1beta1 objects go through a map (api/v1beta1/marshal.go of release 1.4).
    """

    def __init__(self, tables: Tables, *, strip: bool) -> None:
        self._tables = tables
        self._strip = strip
        self._types: dict[str, Type] = {}

    def type(self, name: str) -> Type:
        found = self._types.get(name)
        if found is None:
            found = self._types[name] = self._make(name)
        return found

    def _make(self, name: str) -> Type:
        if name[0] == "*":
            target = self.type(name[1:])
            return Type(target.read, None, target.write, keeps_zero=True)
        if name.startswith("[]"):
            return _list(self.type(name[2:]))
        if name.startswith("map["):
            return _map(self.type(name[11:]))
        if name in SCALARS:
            return Type(*SCALARS[name], keeps_zero=name in _KEPT)
        return Struct(self, name, self._tables.declared(name, []), strip=self._strip)


def _is_printed(field: Field) -> bool:
    """Whether Go prints the field's zero value."""
    _, flags, kind = field
    return "!" not in flags and (
        not flags or kind in _PRINTED or (kind[0] not in "*[" and kind[:4] != "map[" and "/" in kind)
    )


def _at(key: str, mismatch: Mismatch) -> Mismatch:
    mismatch.path.append(key)
    return mismatch


class Struct(Type):
    """A struct. Its fields' types are made when they are first met: structs may contain themselves."""

    def __init__(self, codec: Codec, name: str, fields: list[Field], *, strip: bool) -> None:
        super().__init__(self._read, {}, self._write, is_struct=True)
        self._codec = codec
        self._strip = strip
        self._fields = fields
        self._kinds = {field: kind for field, _, kind in fields}
        self._order: dict[str, int] = {}
        self._types: dict[str, Type | None] = {}
        self._missing: Tree | None = None
        # Where Go prints an empty list, it prints none as null.
        kept = {field for field, flags, kind in fields if not flags and (kind[0] == "[" or kind[:4] == "map[")}
        self._unprinted = _KEPT_FIELDS.get(name, frozenset())
        self._kept = kept | self._unprinted

    def _field(self, key: str) -> Type | None:
        kind = self._kinds.get(key)
        found = self._types[key] = None if kind is None else self._codec.type(kind)
        return found

    def _read(self, value: Any) -> Any:
        if value.__class__ is not dict:
            raise Mismatch("a map", value)
        types = self._types
        out = {}
        for key, given in value.items():
            if given is None:
                if self._kinds.get(key) == "Duration":
                    # Its own reader takes null for an empty text, which is no duration.
                    raise _at(key, Mismatch("a duration such as 1h30m", None))
                continue
            kind = types[key] if key in types else self._field(key)
            if kind is None:
                continue
            try:
                item = kind.read(given)
            except Mismatch as error:
                error.path.append(key)
                raise
            if kind.keeps_zero or (item and item != kind.zero) or key in self._kept:
                out[key] = item
        return out

    def _zeros(self) -> Tree:
        """What Go prints of the fields that are not there."""
        zeros = {}
        for key in [field[0] for field in self._fields if _is_printed(field)]:
            kind = self._types.get(key) or self._field(key)
            assert kind is not None
            zero = kind.print(kind.zero)
            if not (self._strip and kind.is_struct and not zero):
                zeros[key] = zero
        return zeros

    def _write(self, value: Any) -> Any:
        types, zeros = self._types, self._missing
        if zeros is None:
            zeros = self._missing = self._zeros()
            self._order = {field[0]: place for place, field in enumerate(self._fields)}
        out = {}
        for key in value if self._strip else sorted({**zeros, **value}, key=self._order.__getitem__):
            kind = types[key] if key in types else self._field(key)
            assert kind is not None
            if key not in value:
                out[key] = copy_tree(zeros[key])
                continue
            item = value[key]
            if kind.write is not None and item is not None:
                item = kind.write(item)
                if not item and ((kind.is_struct and self._strip) or key in self._unprinted):
                    continue
            out[key] = item
        return {**copy_tree(zeros), **out} if self._strip else out


def _list(item: Type) -> Type:
    read, write, null = item.read, item.write, item.zero

    def read_list(value: Any) -> Any:
        if value.__class__ is not list:
            raise Mismatch("a list", value)
        out: list[Any] = []
        try:
            for element in value:
                out.append(null if element is None else read(element))  # noqa: PERF401 - its length is the failing index
        except Mismatch as error:
            error.path.append(len(out))
            raise
        return out

    def write_list(value: Any) -> Any:
        assert write is not None
        return [None if element is None else write(element) for element in value]

    return Type(read_list, None, None if write is None else write_list)


def _map(item: Type) -> Type:
    read, write, null = item.read, item.write, item.zero

    def read_map(value: Any) -> Any:
        if value.__class__ is not dict:
            raise Mismatch("a map", value)
        out = {}
        key = ""
        try:
            for key, element in value.items():
                out[key] = null if element is None else read(element)
        except Mismatch as error:
            error.path.append(key)
            raise
        return out

    def write_map(value: Any) -> Any:
        if write is None:
            return {key: value[key] for key in sorted(value)}
        return {key: None if value[key] is None else write(value[key]) for key in sorted(value)}

    return Type(read_map, None, write_map)

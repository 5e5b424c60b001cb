"""Go's typed JSON: what json.Marshal prints after json.Unmarshal of a value into a Go struct.

Reading into a struct and writing it again is what every API object goes through in the operator. It orders fields as
the struct declares them, sorts map keys, drops unknown fields, drops empty values where the field says `omitempty`,
adds zero values where it does not, and prints quantities, times and durations their own way. The worker hash is made of
this form.

The tables (`data/gotypes-<release>.txt`, one struct a line) are those of `schemas/`; a struct becomes a reader the
first time it is needed. A Go pointer keeps what is set, even to zero; only absence leaves it out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.kube.go_scalars import SCALARS, STRUCT_SCALARS, Mismatch, string
from dynamoc.reference.releases import ORDER

Reader = Callable[[Any], Any]

# Name; flags; type.
Field = tuple[str, str, str]

# index; name; reader; whether an absent or null field prints the reader's answer to null; whether empty answers
# stay out
Planned = tuple[int, str, Reader, bool, bool]

PRINTED, BARE, STRIPPED, MINIMAL = "printed", "bare", "stripped", "minimal"

# Zero values that are worth keeping without a pointer: raw JSON is passed on, and "" is a port's name, not no port.
_KEPT = ("JSON", "IntOrString")
# A map that the operator compares by reflection, where an empty one and none differ.
_KEPT_FIELDS = (("dynamo/v1alpha1.ResourceItem", "custom"),)

_GROUPS = {
    "": "core",
    "apps": "apps",
    "autoscaling": "autoscaling",
    "batch": "batch",
    "grove.io": "grove",
    "leaderworkerset.x-k8s.io": "lws",
    "networking.k8s.io": "networking",
    "nvidia.com": "dynamo",
    "policy": "policy",
    "rbac.authorization.k8s.io": "rbac",
    "resource.k8s.io": "resource",
}


@dataclass(eq=False, slots=True)
class Tables:
    """The Go structs of one operator release, and the readers made of them so far.

    lines   the lines of the generated table, by the names of the structs
    fields  those of the lines that were needed so far
    form    what becomes of zero values, see above
    """

    lines: dict[str, str]
    fields: dict[str, list[Field]] = field(default_factory=dict)
    _: KW_ONLY
    form: str = PRINTED
    _readers: dict[str, Reader] = field(default_factory=dict, init=False)

    def __contains__(self, name: str) -> bool:
        return name in self.lines

    def reader(self, text: str) -> Reader:
        """The reader of a type such as `[]core/v1.EnvVar`. KeyError for a struct that is not in the tables."""
        reader = self._readers.get(text)
        if reader is None:
            reader = self._readers[text] = self._make(text)
        return reader

    def _make(self, text: str) -> Reader:
        if text in SCALARS:
            return SCALARS[text][0]
        if text[0] == "*":
            return _pointer(self.reader(text[1:]))
        if text.startswith("[]"):
            return _list(self.reader(text[2:]))
        if text.startswith("map[string]"):
            return _map(self.reader(text[11:]), in_order=self.form != MINIMAL)
        if text not in self.lines:
            raise KeyError(text)
        return _struct(text, self)

    def declared(self, name: str, embedded: list[frozenset[str]]) -> list[Field]:
        """Name, flags and type of each field, in Go's order.

        An inlined struct stands where it is declared; an outer field of its name wins. `embedded` gets the names of
        those fields that are printed only where one of them is set.
        """
        line = self.lines[name]
        fields = self.fields.get(name)
        if fields is None:
            fields = self.fields[name] = [_split(text) for text in line.split("\t")[1:]]
        if "\t<:" not in line:
            return fields
        own = {name for name, _, _ in fields}
        found = []
        for each in fields:
            if each[0] != "<":
                found.append(each)
                continue
            inner = [item for item in self.declared(each[2].lstrip("*"), embedded) if item[0] not in own]
            found += inner
            if each[2][0] == "*":
                # Go allocates the embedded struct when it meets one of its keys, and only then prints its zero values.
                embedded.append(frozenset(name for name, _, _ in inner))
        return found

    def prints_zero(self, flags: str, text: str) -> bool:
        """Whether a field that is absent or null prints its reader's answer to null."""
        if self.form == MINIMAL:
            return False
        if text in self.lines or text in STRUCT_SCALARS:
            # A struct that is not set is left out with its zero values, such as LeaderWorkerSet's rolloutStrategy.
            is_bare = self.form == BARE and (text in self.lines or text in ("Time", "MicroTime"))
            return not is_bare and "!" not in flags
        return not (flags or (self.form == BARE and _is_nullable(text)))

    def omits_empty(self, flags: str, text: str) -> bool:
        """Whether a field stays out where its answer is empty."""
        if "!" in flags:
            return True
        if self.form == MINIMAL:
            return text not in _KEPT and text[0] != "*" and (flags != "" or (text[0] != "[" and text[:4] != "map["))
        if text in self.lines or text in STRUCT_SCALARS:
            return not self.prints_zero(flags, text) or (self.form == STRIPPED and text in self.lines)
        return "?" in flags and text[0] != "*"

    def field_reader(self, text: str) -> Reader:
        """The reader of a field of a struct. The minimal form has no zeros, which some types print as texts."""
        reader, zero = self.reader(text), SCALARS.get(text, ((), None))[1]
        if self.form != MINIMAL or not zero:
            return reader

        def read(value: Any) -> Any:
            if value is None:
                # Its own reader takes null for an empty text, which is no duration.
                raise Mismatch("a duration such as 1h30m", None)
            item = reader(value)
            return None if item == zero else item

        return read


def _is_nullable(text: str) -> bool:
    return text[0] in "*[" or text.startswith("map[") or text == "bytes"


_loaded: dict[tuple[str, str], Tables] = {}
_read: dict[str, tuple[dict[str, str], dict[str, list[Field]]]] = {}
#: sets of keys that are remembered for a struct; more of them are hostile input
_MOST_PLANS = 256


def load(release: str, form: str = PRINTED) -> Tables:
    """The tables of an operator release. KeyError for an unknown one."""
    tables = _loaded.get((release, form))
    if tables is None:
        if release not in _read:
            _read[release] = lines_of(table_text(release)), {}
        tables = _loaded[release, form] = Tables(*_read[release], form=form)
    return tables


def lines_of(table: str) -> dict[str, str]:
    """The lines of a table by the names of the structs."""
    return {line.partition("\t")[0]: line for line in table.split("\n")}


def table_text(release: str) -> str:
    """The table of a release; KeyError for an unknown one."""
    if release not in ORDER:
        raise KeyError(release)
    path = os.path.join(os.path.dirname(__file__), "data", f"gotypes-{release}.txt")
    with open(path, encoding="utf-8") as file:
        return file.read()


class Unreadable(ValueError):
    """A value that Go cannot read into its type, with the path of the field."""

    def __init__(self, mismatch: Mismatch) -> None:
        super().__init__(mismatch.describe())
        self.path = tuple(reversed(mismatch.path))
        self.wanted = mismatch.wanted
        self.value = mismatch.value


def typed(value: Any, type_name: str, tables: Tables) -> Any:
    """The value as Go prints it after reading it into the type, keys in Go's order.

    Type names are as in the tables: `core/v1.PodSpec`, `[]core/v1.EnvVar`, `map[string]string`.
    Unreadable where Go could not read the value. The input is left as it is.
    """
    try:
        return tables.reader(type_name)(value)
    except Mismatch as mismatch:
        raise Unreadable(mismatch) from None


def type_of(api_version: str, kind: str) -> str:
    """The type name of a Kubernetes object, which may or may not be in the tables: `apps/v1.Deployment`."""
    group, _, version = api_version.rpartition("/")
    return f"{_GROUPS.get(group, group)}/{version}.{kind}"


def typed_object(value: Any, tables: Tables) -> Any:
    """An object by its apiVersion and kind; kinds outside the tables, such as Istio's, come back as they are."""
    name = type_of(value.get("apiVersion") or "", value.get("kind") or "")
    return typed(value, name, tables) if name in tables else value


def _split(text: str) -> Field:
    name, _, kind = text.partition(":")
    bare = name.rstrip("?!")
    return bare, name[len(bare) :], kind


def _pointer(element: Reader) -> Reader:
    def read(value: Any) -> Any:
        return None if value is None else element(value)

    return read


def _list(element: Reader) -> Reader:
    def read(value: Any) -> Any:
        if value is None:
            return None
        if value.__class__ is not list:
            raise Mismatch("a list", value)
        try:
            return [element(item) for item in value]
        except Mismatch as mismatch:
            mismatch.find(value, element)
            raise

    return read


def _map(element: Reader, *, in_order: bool) -> Reader:
    def read(value: Any) -> Any:
        if value is None:
            return None
        if value.__class__ is not dict:
            raise Mismatch("a map", value)
        key = ""
        try:
            out = {}
            for key in sorted(value) if in_order else value:
                out[key] = element(value[key])
        except Mismatch as mismatch:
            mismatch.path.append(key)
            raise
        return out

    return read


def _struct(name: str, tables: Tables) -> Reader:
    """A reader that learns its fields on first use: most structs never occur, and some contain themselves.

    It knows the readers of those fields that occur: values set few of the fields that a struct has.
    """
    embedded: list[frozenset[str]] = []
    # The key of a value may know its origin, and is not to be kept.
    fields: list[Field] = []
    places: dict[str, int] = {}
    known: dict[str, Planned] = {}
    printed_anyway: list[str] = []
    # The fields to read, in Go's order, by the keys that a value has: values of a type have few sets of keys.
    plans: dict[tuple[str, ...], list[Planned]] = {}

    def learn() -> None:
        fields.extend(tables.declared(name, embedded))
        places.update({key: index for index, (key, _, _) in enumerate(fields)})
        printed_anyway.extend(
            key
            for key, flags, text in fields
            if (not flags or text in tables.lines or text in STRUCT_SCALARS) and tables.prints_zero(flags, text)
        )

    def planned(key: str) -> Planned:
        found = known.get(key)
        if found is None:
            index = places[key]
            key, flags, text = fields[index]
            zero, omit = tables.prints_zero(flags, text), tables.omits_empty(flags, text)
            if tables.form == MINIMAL:
                zero, omit = text == "Duration", omit and (name, key) not in _KEPT_FIELDS
            found = known[key] = (index, key, tables.field_reader(text), zero, omit)
        return found

    def make_plan(keys: tuple[str, ...]) -> list[Planned]:
        given = frozenset(keys)
        missing = [key for key in printed_anyway if key not in given]
        for names in embedded:
            if names.isdisjoint(given):
                missing = [key for key in missing if key not in names]
        plan = [planned(key) for key in (*keys, *missing) if key in places]
        return plan if tables.form == MINIMAL else sorted(plan)

    def read(value: Any) -> Any:
        if not places:
            learn()
        if value is None:
            value = {}
        elif value.__class__ is not dict:
            raise Mismatch("a map" if tables.form == MINIMAL else f"a {name.rpartition('.')[2]}", value)
        keys = tuple(value)
        plan = plans.get(keys)
        if plan is None:
            if len(plans) == _MOST_PLANS:
                plans.clear()
            plan = plans[keys] = make_plan(keys)
        out = {}
        key = ""
        try:
            for _, key, reader, zero, omit in plan:
                item = value.get(key)
                if item is None and not zero:
                    continue
                # Most values are texts, whose reader has nothing to do.
                if item.__class__ is not str or reader is not string:
                    item = reader(item)
                if item or not omit:
                    out[key] = item
        except Mismatch as mismatch:
            mismatch.path.append(key)
            raise
        return out

    return read

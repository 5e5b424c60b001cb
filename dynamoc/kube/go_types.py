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
from dynamoc.kube.text import loads
from dynamoc.reference.releases import ORDER

Reader = Callable[[Any], Any]

# Reader; whether an absent or null field prints the reader's answer to null; whether empty answers stay out.
Handling = tuple[Reader, bool, bool]

# Name; and how the field is handled.
Planned = tuple[str, Reader, bool, bool]

PRINTED, BARE, STRIPPED, MINIMAL, HUB = "printed", "bare", "stripped", "minimal", "hub"

# Zero values that are worth keeping without a pointer: raw JSON is passed on, and "" is a port's name, not no port.
_KEPT = ("JSON", "IntOrString")
# Fields that go into ConfigMaps and Grove's objects with all that Go prints, null included.
_PRINTED_WHOLE = ("eppConfig", "providerOverride")
#: in front of a type: omitempty and omitzero
FLAGS = "?!"
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

    lines     the lines of the generated table, by the names of the structs
    fields    of the structs that were needed so far, flags and type by name, in Go's order: `{"replicas": "?*int32"}`
    embedded  of these, the names of those fields that are printed only where one of them is set: Go allocates an
              embedded struct when it meets one of its keys, and only then prints its zero values
    form      what becomes of zero values, see above
    """

    lines: dict[str, str]
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    embedded: dict[str, list[list[str]]] = field(default_factory=dict)
    _: KW_ONLY
    form: str = PRINTED
    _readers: dict[str, Reader] = field(default_factory=dict, init=False)
    _handled: dict[str, Handling] = field(default_factory=dict, init=False)

    def __contains__(self, name: str) -> bool:
        return name in self.lines

    def printing(self, form: str) -> Tables:
        """The same structs in another form."""
        return Tables(self.lines, self.fields, self.embedded, form=form)

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

    def declared(self, name: str) -> dict[str, str]:
        """The fields of a struct, with those of inlined structs."""
        fields = self.fields.get(name)
        if fields is None:
            _, own, *embedded = self.lines[name].split("\t")
            fields = self.fields[name] = loads(own)
            self.embedded[name] = [names.split(" ") for names in embedded]
        return fields

    def handling(self, field: str) -> Handling:
        """How a field of a struct is read and printed; fields of the same flags and type are handled alike."""
        found = self._handled.get(field)
        if found is None:
            text = field.lstrip(FLAGS)
            zero = text == "Duration" if self.form == MINIMAL else self.prints_zero(field)
            # Where null is left out, a pointer is not asked for it.
            reader = self._field_reader(text) if zero or text[0] != "*" else self.reader(text[1:])
            found = self._handled[field] = reader, zero, self._omits_empty(field)
        return found

    def prints_zero(self, field: str) -> bool:
        """Whether a field that is absent or null prints its reader's answer to null."""
        text = field.lstrip(FLAGS)
        if self.form == MINIMAL:
            return False
        if text in self.lines or text in STRUCT_SCALARS:
            # A struct that is not set is left out with its zero values, such as LeaderWorkerSet's rolloutStrategy.
            is_bare = self.form == BARE and (text in self.lines or text in ("Time", "MicroTime"))
            return not is_bare and "!" not in field
        return not (text != field or (self.form in (BARE, HUB) and _is_nullable(text)))

    def _omits_empty(self, field: str) -> bool:
        """Whether a field stays out where its answer is empty."""
        text = field.lstrip(FLAGS)
        if "!" in field:
            return True
        if self.form == MINIMAL:
            return text not in _KEPT and text[0] != "*" and (text != field or (text[0] != "[" and text[:4] != "map["))
        if text in self.lines or text in STRUCT_SCALARS:
            return not self.prints_zero(field) or (self.form == STRIPPED and text in self.lines)
        return "?" in field and text[0] != "*"

    def _field_reader(self, text: str) -> Reader:
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
_read: dict[str, Tables] = {}
#: the table that conversions read: that of the newest release, with statuses
CONVERSIONS = "conversions"
#: sets of keys that are remembered for a struct; more of them are hostile input
_MOST_PLANS = 256


def load(release: str, form: str = PRINTED) -> Tables:
    """The tables of an operator release, or of CONVERSIONS. KeyError for an unknown one."""
    tables = _loaded.get((release, form))
    if tables is None:
        if release not in _read:
            lines = table_text(release).split("\n")
            _read[release] = Tables({line.partition("\t")[0]: line for line in lines})
        tables = _loaded[release, form] = _read[release].printing(form)
    return tables


def table_text(release: str) -> str:
    """The table of a release, or of CONVERSIONS; KeyError for an unknown one."""
    if release not in ORDER and release != CONVERSIONS:
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

    It knows how to read those fields that occur: values set few of the fields that a struct has.
    """
    printed_anyway: set[str] = set()
    # The fields to read, in Go's order, by the keys that a value has: values of a type have few sets of keys.
    plans: dict[tuple[str, ...], list[Planned]] = {}

    def make_plan(keys: tuple[str, ...]) -> list[Planned]:
        fields = tables.declared(name)
        form = tables.form
        if not plans and form != MINIMAL:
            for key, each in fields.items():
                text = each.lstrip(FLAGS)
                if (text == each or text in tables.lines or text in STRUCT_SCALARS) and tables.prints_zero(each):
                    printed_anyway.add(key)
        given = {*keys}
        wanted = given | printed_anyway
        for names in tables.embedded[name]:
            if given.isdisjoint(names):
                wanted.difference_update(names)
        plan = []
        for key in filter(wanted.__contains__, fields):
            reader, zero, omit = tables.handling(fields[key])
            if form == HUB and key in _PRINTED_WHOLE:
                reader = tables.printing(PRINTED).handling(fields[key])[0]
            keeps = form == MINIMAL and (name, key) in _KEPT_FIELDS
            plan.append((key, reader, zero, omit and not keeps))
        return plan

    def read(value: Any) -> Any:
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
            for key, reader, zero, omit in plan:
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

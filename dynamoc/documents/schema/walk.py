"""Prunes, defaults and validates a value in one walk over it, and judges whole objects.

Follows what the API server does with a custom resource, in its order of effects (kubernetes/apiextensions-apiserver):
unknown fields are pruned (pkg/apiserver/schema/pruning), nulls of fields that are neither nullable nor defaulted are
dropped and defaults filled in (pkg/apiserver/schema/defaulting), then types and bounds, list keys, and at last the
CEL rules are checked, those only where everything below is well-formed. Ranges of integer formats:
kubernetes/kube-openapi, pkg/validation/validate/values.go, `IsValueValidAgainstRange`.
A path is kept as a chain of `(parent, step)` pairs and only unrolled for a problem.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.documents.schema import metadata
from dynamoc.documents.schema.cel import RULES, TRANSITIONS, slug
from dynamoc.documents.schema.messages import (
    broken_limit,
    duplicate,
    missing,
    renaming,
    unknown_field,
    variable_hint,
    wrong_type,
)
from dynamoc.documents.schema.problem import Problem, is_quantity, matches
from dynamoc.documents.schema.schemas import Node, Nodes
from dynamoc.kube.merge import Chain, copy_tree, unrolled
from dynamoc.kube.quantity import canonical_as_read
from dynamoc.reference.slugs import Severity

_INT32 = 0x8000_0000
_INT64 = 0x8000_0000_0000_0000


def check_bounds(value: Any, node: Node, at: Chain, walk: Walk) -> None:
    """Check a value of the right type; each limit that it breaks is a separate problem."""
    cls = value.__class__
    if cls is str:
        if "quantity" in node:
            if not is_quantity(value) or not _is_readable(value):
                _broken("pattern", value, node, at, walk)
        else:
            _check_string(value, node, at, walk)
    elif cls is int:
        limit = _INT32 if node.get("format") == "int32" else _INT64
        if not -limit <= value < limit:
            _broken("format", value, node, at, walk)
    elif cls is list:
        _check_size(len(value), "Items", value, node, at, walk)
    elif cls is dict:
        _check_size(len(value), "Properties", value, node, at, walk)
    if (cls is int or cls is float) and ("minimum" in node or "maximum" in node):
        if value < node.get("minimum", value):
            _broken("minimum", value, node, at, walk)
        if value > node.get("maximum", value):
            _broken("maximum", value, node, at, walk)
    if "enum" in node and value not in node["enum"]:
        _broken("enum", value, node, at, walk)


def _is_readable(value: str) -> bool:
    """Whether Go reads the quantity, as the webhooks do next: the pattern takes `1e1.5`, and numbers without end."""
    try:
        canonical_as_read(value)
    except ValueError:
        return False
    return True


def _check_string(value: str, node: Node, at: Chain, walk: Walk) -> None:
    if "minLength" in node or "maxLength" in node:
        _check_size(len(value), "Length", value, node, at, walk)
    if "pattern" in node and not matches(node["pattern"], value):
        _broken("pattern", value, node, at, walk)


def _check_size(size: int, noun: str, value: Any, node: Node, at: Chain, walk: Walk) -> None:
    if size < node.get("min" + noun, size):
        _broken("min" + noun, value, node, at, walk)
    if size > node.get("max" + noun, size):
        _broken("max" + noun, value, node, at, walk)


def _broken(limit: str, value: Any, node: Node, at: Chain, walk: Walk) -> None:
    walk.errors.append(broken_limit(limit, value, node, unrolled(at)))


_PYTHON_TYPES = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list}
_NOTHING: dict[str, Any] = {}
#: what Go's types make of a null among the items of a list, by the type of the items
_ZEROS: dict[Any, Any] = {"string": "", "integer": 0, "boolean": False, "object": _NOTHING}


def _without_zeros(value: dict[str, Any], zeros: dict[str, Any]) -> dict[str, Any]:
    """The value without fields that hold their zero; itself where none does."""
    found = {
        key
        for key, zero in zeros.items()
        if key in value and value[key].__class__ is zero.__class__ and value[key] == zero
    }
    return {key: item for key, item in value.items() if key not in found} if found else value


@dataclass(eq=False, slots=True)
class Walk:
    """One check of one document: the nodes of a release, and the problems found so far.

    `typed`: the operator's mutating webhook reads the object into Go types and writes it back before the API server
    validates it. So a required field that is absent may be there by then, as an empty string or 0, so may an item of
    a list that is null, and a quantity is a string.

    `converted`: it is converted for that webhook and back, whole. So a field with `omitempty` that holds its zero is
    gone. Without a conversion it stays: the webhook takes back what only its types removed (controller-runtime,
    pkg/webhook/admission/defaulter_custom.go, dropSchemeRemovals).
    """

    nodes: Nodes | list[Node]
    severity_of_unknown: Severity | None
    _: KW_ONLY
    typed: bool
    converted: bool = False
    errors: list[Problem] = field(default_factory=list, init=False)
    unknown: list[Problem] = field(default_factory=list, init=False)

    def document(self, value: dict[str, Any], node: Node) -> dict[str, Any]:
        """Check a whole object. ObjectMeta is not a part of the CRD's schema, and creation ignores the status."""
        props = node.get("props", _NOTHING)
        apart = ("metadata", "status") if "status" in props else ("metadata",)
        meta = metadata.check(value.get("metadata"), self.errors, self._unknown_metadata)
        out: dict[str, Any] = self.value({key: item for key, item in value.items() if key not in apart}, node, None)
        out["metadata"] = meta
        if "status" in apart and value.get("status") is not None:
            before = len(self.errors)
            self.value(value["status"], self.nodes[props["status"]], (None, "status"))
            del self.errors[before:]
        return out

    @property
    def problems(self) -> list[Problem]:
        return self.unknown + self.errors

    def value(self, value: Any, node: Node, at: Chain) -> Any:
        """The clean copy of a value; problems are added on the way."""
        kind = node.get("type")
        if kind == "object":
            return self._object(value, node, at)
        if kind == "array":
            return self._array(value, node, at)
        if kind is None:
            return self._untyped(value, node, at)
        cls = value.__class__
        if cls is not _PYTHON_TYPES.get(kind) and not (kind == "number" and (cls is int or cls is float)):
            self._wrong_type(value, node, at)
        elif "rules" in node:
            self._ruled(value, node, at)
        elif len(node) > 1 or cls is int:
            check_bounds(value, node, at, self)
        return value

    def _ruled(self, value: Any, node: Node, at: Chain) -> None:
        """A text or number with validation rules, which run where it is within its bounds."""
        before = len(self.errors)
        check_bounds(value, node, at, self)
        if len(self.errors) == before:
            self._rules(value, node, at)

    def _object(self, value: Any, node: Node, at: Chain) -> Any:
        if value.__class__ is not dict:
            self._wrong_type(value, node, at)
            return value
        before = len(self.errors)
        if self.converted and "omits" in node:
            value = _without_zeros(value, node["omits"])
        out = self._fields(value, node, at)
        if "defaults" in node:
            self._fill(out, node["defaults"], node, at)
        if self.typed and "fills" in node:
            self._fill(out, node["fills"], node, at)
        for key in node.get("required", ()):
            if key not in out:
                self._missing(key, value, at)
        if len(node) > 2:
            self._object_rules(value, out, node, at)
            if "rules" in node and len(self.errors) == before:
                self._rules(out, node, at)
        return out

    def _fields(self, value: dict[str, Any], node: Node, at: Chain) -> dict[str, Any]:
        nodes = self.nodes
        props = node.get("props", _NOTHING)
        extra = node.get("extra")
        out: dict[str, Any] = {}
        for key, item in value.items():
            index = props.get(key, extra)
            if index is None:
                if "keep" in node:
                    out[key] = copy_tree(item)
                elif "embedded" not in node or key not in ("apiVersion", "kind", "metadata"):
                    self.unknown_field(key, node, at, item)
            elif index == 0 and item.__class__ is str:
                out[key] = item
            elif item is not None:
                out[key] = self.value(item, nodes[index], (at, key))
            elif "nullable" in nodes[index]:
                out[key] = None
        return out

    def _fill(self, out: dict[str, Any], absent: dict[str, Any], node: Node, at: Chain) -> None:
        for key, item in absent.items():
            if key not in out:
                out[key] = self.value(item, self.nodes[node["props"][key]], (at, key))

    def _object_rules(self, value: dict[str, Any], out: dict[str, Any], node: Node, at: Chain) -> None:
        """What few objects have beside their fields."""
        if self.typed and "nulls" in node:
            for key in node["nulls"]:
                if key not in out:
                    self._missing(key, value, at)
        if "embedded" in node:
            out |= metadata.check_embedded(value, self.errors, self._unknown_metadata, at)
        if "minProperties" in node or "maxProperties" in node:
            check_bounds(out, node, at, self)

    def _array(self, value: Any, node: Node, at: Chain) -> Any:
        if value.__class__ is not list:
            self._wrong_type(value, node, at)
            return value
        before = len(self.errors)
        child = self.nodes[node["items"]]
        if self.typed and None in value and "nullable" not in child:
            value = [_ZEROS.get(child.get("type")) if item is None else item for item in value]
        out = [
            None if item is None and "nullable" in child else self.value(item, child, (at, index))
            for index, item in enumerate(value)
        ]
        if len(node) > 2:
            check_bounds(out, node, at, self)
            if len(out) > 1 and ("keys" in node or "set" in node):
                self._unique(out, node, at)
            if "rules" in node and len(self.errors) == before:
                self._rules(out, node, at)
        return out

    def _untyped(self, value: Any, node: Node, at: Chain) -> Any:
        if "quantity" in node or "mixed" in node:
            if value.__class__ is str:
                check_bounds(value, node, at, self)
            elif value.__class__ is not int:
                self._wrong_type(value, node, at)
            elif self.typed and "quantity" in node:
                return str(value)
            return value
        return copy_tree(value)

    def _unique(self, value: list[Any], node: Node, at: Chain) -> None:
        keys = node.get("keys")
        seen: dict[str, int] = {}
        for index, item in enumerate(value):
            if keys and item.__class__ is not dict:
                continue
            mark = repr([item.get(key) for key in keys]) if keys else repr(item)
            if mark in seen:
                self.errors.append(duplicate(item, keys, unrolled((at, index)), seen[mark], value[seen[mark]]))
            else:
                seen[mark] = index

    def _rules(self, value: Any, node: Node, at: Chain) -> None:
        for text, message in node["rules"]:
            if text not in TRANSITIONS and not RULES[text](value):
                self.errors.append(Problem(slug(RULES[text]), unrolled(at), message))

    def unknown_field(self, key: str, node: Node, at: Chain, item: Any) -> None:
        if self.severity_of_unknown is not None:
            path = (*unrolled(at), key)
            found = unknown_field(key, node, self.nodes, path, self.severity_of_unknown)
            if item.__class__ in (str, int, bool) and {"name", "value"} <= node.get("props", _NOTHING).keys():
                found.hint = variable_hint(key, item, found.hint)
            found.change = renaming(key, node, lambda name: self._fits(item, node["props"][name]))
            self.unknown.append(found)

    def _unknown_metadata(self, key: str, at: Chain) -> None:
        self.unknown_field(key, {"props": dict.fromkeys(metadata.FIELDS, 0)}, at, None)

    def _fits(self, item: Any, index: int) -> bool:
        """Whether a field can hold a value, but for words that it does not know."""
        walk = Walk(self.nodes, None, typed=True)
        walk.value(item, self.nodes[index], None)
        return all(problem.slug == "schema/enum" for problem in walk.errors)

    def _wrong_type(self, value: Any, node: Node, at: Chain) -> None:
        self.errors.append(wrong_type(value, node, unrolled(at), self.nodes))

    def _missing(self, key: str, value: dict[str, Any], at: Chain) -> None:
        self.errors.append(missing(key, value, (*unrolled(at), key)))

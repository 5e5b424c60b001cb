"""CRDs to the compact form that `documents/schema/` reads at run time.

Equal parts are stored once: every child is a number, its index in `nodes`. Node 0 is the plain string, which the
reader of the run-time schema relies on for its shortest path.

Keys of a node, all optional:
  type, enum, pattern, minimum, maximum, minLength, maxLength, minItems, maxItems, minProperties, maxProperties
             as in OpenAPI; `pattern` is left out where the node is an int-or-string quantity, see `quantity`
  format     int32 or int64
  props      property name to node        extra     node of additionalProperties       items   node of list items
  required   names                         defaults  name to the default the server fills in
  keep       unknown fields are preserved  nullable  null is a value
  mixed      int-or-string                 quantity  int-or-string with the pattern of a quantity
  keys       keys of a map-like list       set       list items are unique
  atomic     a mapping is merged as a whole
  embedded   an embedded resource: apiVersion, kind, metadata are checked as those of an object
  fills      name to what Go's type writes for a field that is absent      omits  name to the zero that it leaves out
  nulls      names of absent fields that it writes as null, which the API server refuses
  rules      CEL rules: [text, message]
"""

from __future__ import annotations

import json
from typing import Any

Schema = dict[str, Any]

QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

_SAME = (
    "type",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "nullable",
)
_RENAMED = {
    "x-kubernetes-preserve-unknown-fields": "keep",
    "x-kubernetes-embedded-resource": "embedded",
    "x-kubernetes-int-or-string": "mixed",
    # no other kind of map occurs
    "x-kubernetes-map-type": "atomic",
}
# Of strings, only date-time occurs, and only in the status, which creation ignores.
_CHECKED_FORMATS = frozenset({"int32", "int64"})


class Pool:
    """Stores each distinct node once and hands out its index.

    `fields` has what Go does to fields, by the end of their path: `sharedMemory.size` to

    omitempty   leaves out a zero
    pointer     leaves out what is absent, although the field is required
    always      writes the zero of an absent field, although it is optional
    null        writes null for an absent field
    """

    def __init__(self, fields: dict[str, str] | None = None) -> None:
        self.nodes: list[Schema] = []
        self._fields = fields or {}
        self._index: dict[str, int] = {}
        self.add({"type": "string"})

    def add(self, node: Schema) -> int:
        text = json.dumps(node, sort_keys=True)
        if text not in self._index:
            self._index[text] = len(self.nodes)
            self.nodes.append(node)
        return self._index[text]

    def schema(self, schema: Schema, path: tuple[str, ...] = ()) -> int:
        """Add an `openAPIV3Schema` with everything below it; `path` leads to it, by names of fields."""
        return self.add(self._node(schema, path))

    def _node(self, schema: Schema, path: tuple[str, ...]) -> Schema:
        node = {key: schema[key] for key in _SAME if key in schema}
        node |= {short: True for name, short in _RENAMED.items() if schema.get(name)}
        if schema.get("format") in _CHECKED_FORMATS:
            node["format"] = schema["format"]
        if node.get("mixed") and node.get("pattern") == QUANTITY_PATTERN:
            del node["mixed"], node["pattern"]
            node["quantity"] = True
        for part in schema.get("allOf", ()):
            _narrow(node, part)
        self._add_children(node, schema, path)
        self._add_zeros(node, schema, path)
        _add_list_rules(node, schema)
        if rules := schema.get("x-kubernetes-validations"):
            node["rules"] = [_rule(rule) for rule in rules]
        return node

    def _add_children(self, node: Schema, schema: Schema, path: tuple[str, ...]) -> None:
        if properties := schema.get("properties"):
            node["props"] = {name: self.schema(child, (*path, name)) for name, child in sorted(properties.items())}
            defaults = {name: child["default"] for name, child in sorted(properties.items()) if "default" in child}
            if defaults:
                node["defaults"] = defaults
        if isinstance(extra := schema.get("additionalProperties"), dict):
            node["extra"] = self.schema(extra, path)
        if "items" in schema:
            node["items"] = self.schema(schema["items"], path)
        if required := schema.get("required"):
            node["required"] = sorted(required)

    def _add_zeros(self, node: Schema, schema: Schema, path: tuple[str, ...]) -> None:
        """What a trip through Go's types does to fields that validation looks at.

        By the conventions of Kubernetes' types a required field has no `omitempty`, so its zero is always written,
        except for lists and maps, whose zero is null.
        """
        required = schema.get("required", ())
        fills, omits, nulls = {}, {}, []
        for name, child in sorted(schema.get("properties", {}).items()):
            written = self._written((*path, name)) or ("always" if name in required else None)
            if written == "null":
                nulls.append(name)
            elif written == "omitempty":
                omits[name] = _zero(child)
            elif written == "always" and (zero := _zero(child)) is not None:
                fills[name] = zero
        if fills:
            node["fills"] = fills
        if omits:
            node["omits"] = omits
        if nulls:
            node["nulls"] = nulls

    def _written(self, path: tuple[str, ...]) -> str | None:
        ends = (".".join(path[start:]) for start in range(len(path)))
        return next((self._fields[end] for end in ends if end in self._fields), None)


def _narrow(node: Schema, part: Schema) -> None:
    """`allOf` occurs with enums only; both must allow the value."""
    if set(part) != {"enum"}:
        raise ValueError(f"allOf with {sorted(part)} has no compact form")
    node["enum"] = [value for value in node.get("enum") or part["enum"] if value in part["enum"]]


def _zero(schema: Schema) -> Any:
    """The zero of a scalar or a struct as JSON; None for lists and maps."""
    if schema.get("pattern") == QUANTITY_PATTERN:
        return "0"
    if schema.get("x-kubernetes-int-or-string"):
        return 0
    if schema.get("type") == "object":
        return {} if "properties" in schema else None
    return {"string": "", "integer": 0, "number": 0, "boolean": False}.get(schema.get("type", ""))


def _add_list_rules(node: Schema, schema: Schema) -> None:
    kind = schema.get("x-kubernetes-list-type")
    if kind == "map":
        node["keys"] = schema["x-kubernetes-list-map-keys"]
    elif kind == "set":
        node["set"] = True


def _rule(rule: Schema) -> list[Any]:
    return [rule["rule"], rule.get("message", f"failed rule: {rule['rule']}")]


def compact(crds: list[Schema], go: Schema) -> Schema:
    """The served versions of all CRDs of a release: `{"kinds": {apiVersion: {kind: node}}, "typed": …, "nodes": […]}`.

    `go` is the content of `go-fields.yaml`. `typed` has by apiVersion the kinds that a mutating webhook passes through
    the operator's own types before the API server validates them.
    """
    pool = Pool({name: written for written, names in go["fields"].items() for name in names})
    kinds: dict[str, dict[str, int]] = {}
    typed: dict[str, list[str]] = {}
    for crd in crds:
        spec = crd["spec"]
        kind = spec["names"]["kind"]
        for version in spec["versions"]:
            api_version = f"{spec['group']}/{version['name']}"
            if version["served"]:
                node = pool.schema(version["schema"]["openAPIV3Schema"], (version["name"], kind))
                kinds.setdefault(api_version, {})[kind] = node
            if version["name"] in go["kinds"].get(kind, ()):
                typed.setdefault(api_version, []).append(kind)
    return {"kinds": kinds, "typed": typed, "nodes": pool.nodes}


def write(schema: Schema) -> str:
    """The compact form as text with one node a line, so that a change shows which node it touches."""
    nodes = ",\n".join(json.dumps(node, separators=(",", ":")) for node in schema["nodes"])
    head = json.dumps({"kinds": schema["kinds"], "typed": schema["typed"]}, separators=(",", ":"))
    return f'{head[:-1]},"nodes":[\n{nodes}\n]}}\n'

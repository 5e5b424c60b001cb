"""Structural schemas as JSON Schema for an independent judge.

What the API server does beyond JSON Schema is left to the caller: nulls that stand for "absent" must be gone, defaults
need not be there. CEL rules are not judged.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema

from dynamoc.documents.schema.schemas import definitions

Schema = dict[str, Any]

_COPIED = (
    *("type", "enum", "anyOf", "allOf", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
    *("minProperties", "maxProperties"),
)


@cache
def judge(release: str, kind: str, version: str) -> jsonschema.protocols.Validator:
    """A validator of documents of one kind; metadata and status are not judged."""
    for crd in definitions(release):
        spec = crd["spec"]
        if spec["names"]["kind"] == kind:
            (schema,) = [item["schema"] for item in spec["versions"] if item["name"] == version]
            translated = translate(schema["openAPIV3Schema"])
            translated["properties"] |= {"metadata": {}, "status": {}}
            return _Judge(translated)
    raise KeyError(kind)


def translate(schema: Schema) -> Schema:
    out = {key: schema[key] for key in _COPIED if key in schema}
    if schema.get("type") == "integer":
        limit = 2**31 if schema.get("format") == "int32" else 2**63
        out["allOf"] = [{"minimum": -limit, "maximum": limit - 1}]
    if "pattern" in schema:
        # Python's `$` also matches before a line feed at the end.
        out["pattern"] = schema["pattern"].removesuffix("$") + (r"\Z" if schema["pattern"].endswith("$") else "")
    properties = schema.get("properties", {})
    out["properties"] = {name: translate(child) for name, child in properties.items()}
    out["required"] = [name for name in schema.get("required", []) if "default" not in properties.get(name, {})]
    if "items" in schema:
        out["items"] = translate(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        out["additionalProperties"] = translate(schema["additionalProperties"])
    elif schema.get("type") == "object" and not schema.get("x-kubernetes-preserve-unknown-fields"):
        out["additionalProperties"] = False
    if schema.get("x-kubernetes-list-type") == "set":
        out["uniqueItems"] = True
    if schema.get("x-kubernetes-list-type") == "map":
        fields = schema["items"]["properties"]
        out["uniqueKeys"] = {key: fields[key].get("default") for key in schema["x-kubernetes-list-map-keys"]}
    return out


def _unique_keys(_: Any, keys: Schema, instance: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    items = [item for item in instance if isinstance(item, dict)] if isinstance(instance, list) else []
    seen = [[repr(item.get(key, default)) for key, default in keys.items()] for item in items]
    if any(mark in seen[:index] for index, mark in enumerate(seen)):
        yield jsonschema.ValidationError(f"two items have the same {', '.join(keys)}")


_Judge = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"uniqueKeys": _unique_keys})

"""Writes `dynamoc/reference/reports/`, the schemas of what dynamoc prints for programs: `python -m tools.reports`.

The classes of the answers say what there is, their docstrings what it means. A report is open: new keys can come
without notice. The schema of dynamoc.yaml comes from the tables of options.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import MISSING, field, fields, is_dataclass, make_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from dynamoc.analysis.check.selection import Baseline
from dynamoc.analysis.compare.answer import Diff, UpgradeAnswer
from dynamoc.analysis.requires.text import RequiresAnswer
from dynamoc.compiler.explain.answer import FieldsAnswer, ObjectsAnswer, RulesAnswer
from dynamoc.compiler.explain.input_line import LineAnswer
from dynamoc.documents.findings.answers import ABSENT, FindingsReport, key_of, words_of
from dynamoc.interfaces.cli.options import CHOICE, MANY, PART, SWITCH, Option
from dynamoc.interfaces.cli.schema import REPORTS
from dynamoc.interfaces.cli.setting_flags import named, split_file
from dynamoc.interfaces.cli.settings import ALLOW, OVERRIDES, SCHEMA, known

#: the class of each report; several where its keys depend on what was asked
CLASSES: dict[str, tuple[type, ...]] = {
    "baseline": (Baseline,),
    "diff": (Diff,),
    "explain": (ObjectsAnswer, FieldsAnswer, LineAnswer),
    "findings": (FindingsReport,),
    "requires": (RequiresAnswer,),
    "rules": (RulesAnswer,),
    "upgrade": (UpgradeAnswer,),
}
SETTINGS = "settings"
_EXPLAIN = "`dynamoc explain -o json`"
_REFERENCE = "x-ref"
#: classes whose shape is under way, for those that hold themselves
_under_way: list[type] = []
_DOCUMENTED = re.compile(r"^(\w+(?:, +\w+)*)  +(\S.*(?:\n {2,}\S.*)*)", re.MULTILINE)


@cache
def shape(kind: type) -> type:
    """The dataclass of what programs see of a class, which is itself where that is all."""
    if not _is_cut(kind, set()):
        return kind
    found: list[Any] = []
    _under_way.append(kind)
    for word in words_of(kind):
        name, _, path = word.strip("[]").partition("=")
        hint, text, default = _at(kind, (path or name.rstrip("?")).split("."))
        if word[0] == "[":
            hint, default = _without_none(hint), ABSENT
        if not path or "." in path:
            text = described(kind)[1].get(name.rstrip("?")) or text
        if "?" in word:
            text = (text or "null where there is none").replace('""', "null")
            hint = hint if word[0] == "[" else hint | None
        found.append((name.rstrip("?"), _shaped(hint), field(default=default, metadata={"text": text}, kw_only=True)))
    _under_way.pop()
    made = make_dataclass(kind.__name__, found)
    made.__doc__ = kind.__doc__
    return made


def _is_cut(kind: type, seen: set[type]) -> bool:
    """Whether a class, or one of those in its fields, has `KEYS`."""
    if kind in seen:
        return False
    seen.add(kind)
    hints = get_type_hints(kind).values() if not hasattr(kind, "KEYS") else ()
    return hasattr(kind, "KEYS") or any(_is_cut(each, seen) for hint in hints for each in _classes(hint))


def _classes(hint: Any) -> list[type]:
    found = [each for argument in get_args(hint) for each in _classes(argument)]
    return [hint] if is_dataclass(hint) and isinstance(hint, type) else found


def _at(kind: type, path: list[str]) -> tuple[Any, str | None, Any]:
    """Type, description and default of what stands at a path; names in objects of Kubernetes are texts."""
    hint: Any = kind
    text, default = None, MISSING
    for step in path:
        if hint == dict[str, Any] or hint is Any:
            return str, None, MISSING
        hint = _without_none(hint)
        item = inspect.getattr_static(hint, step, None)
        if isinstance(item, property):
            assert item.fget is not None
            hint, text = get_type_hints(item.fget, include_extras=True)["return"], inspect.getdoc(item)
            text = text and text[0].lower() + text[1:].rstrip(".")
        else:
            text = described(hint)[1].get(step)
            default = next((each.default for each in fields(hint) if each.name == step), MISSING)
            hint = get_type_hints(hint, include_extras=True)[step]
    return hint, text, ABSENT if default is ABSENT else MISSING


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(each for each in get_args(hint) if each is not type(None))]  # noqa: UP007
    return hint


def _shaped(hint: Any) -> Any:
    """A type with the shapes of the classes in it."""
    if isinstance(hint, type) and is_dataclass(hint):
        return Annotated[Any, _Itself(hint.__name__)] if hint in _under_way else shape(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return Annotated[(_shaped(arguments[0]), *arguments[1:])]
    if not arguments:
        return hint
    shaped = tuple(map(_shaped, arguments))
    return Union[shaped] if origin in (Union, UnionType) else origin[shaped]  # noqa: UP007


class _Itself:
    """Stands for a class in its own fields."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> JsonSchemaValue:
        return {_REFERENCE: f"#/$defs/{self._name}"}


class _Generator(GenerateJsonSchema):
    """Keys in camel case, descriptions from docstrings, and numbers from 0: all of them count something."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        kind: Any = schema["cls"]
        found = super().dataclass_schema(schema)["properties"]
        head, texts = described(kind)
        properties, required = {}, []
        for each in fields(kind):
            text = each.metadata.get("text") or texts.get(each.name)
            properties[key_of(each.name)] = _with(found[each.name], text)
            required += [key_of(each.name)] * (each.default is not ABSENT)
        return {"description": head, "type": "object", "properties": properties, "required": required}

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        return {**super().int_schema(schema), "minimum": 0}

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return _joined(super().nullable_schema(schema))

    def union_schema(self, schema: core_schema.UnionSchema) -> JsonSchemaValue:
        return _joined(super().union_schema(schema))

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


@cache
def described(kind: type) -> tuple[str, dict[str, str]]:
    """What the docstring of a class says of it, and of its fields and those of its bases by their names."""
    texts: dict[str, str] = {}
    head = ""
    for each in reversed(kind.__mro__[:-1]):
        text = inspect.cleandoc(each.__doc__ or "")
        head = " ".join(text.split("\n\n")[0].split())
        for names, said in _DOCUMENTED.findall(text.partition("\n\n")[2]):
            texts |= dict.fromkeys(re.split(", +", names), " ".join(said.split()).replace("None", "null"))
    return head, texts


def _with(schema: JsonSchemaValue, text: str | None) -> JsonSchemaValue:
    """A schema with a description, which draft 7 does not read beside a reference."""
    if text is None:
        return schema
    return {"description": text, **({"allOf": [schema]} if "$ref" in schema else schema)}


def _joined(schema: JsonSchemaValue) -> JsonSchemaValue:
    """Alternatives that differ in their types as one schema, and null as one of the values."""
    choices = schema.get("anyOf", [])
    values = [each for each in choices if "enum" in each]
    if values and len(choices) == 2:
        return {"enum": [each for each in [*values[0]["enum"], None] if each != ""]}
    if not choices or not all(isinstance(each.get("type"), str) for each in choices):
        return schema
    joined = {key: value for each in choices for key, value in each.items()}
    return {**joined, "type": [each["type"] for each in choices]}


def schema_of(report: str) -> JsonSchemaValue:
    if report == SETTINGS:
        return settings_schema()
    kinds = CLASSES[report]
    found = TypeAdapter(Union[tuple(map(shape, kinds))]).json_schema(schema_generator=_Generator)  # type: ignore[arg-type]  # noqa: UP007
    definitions = found.pop("$defs", {})
    head: JsonSchemaValue = {"$schema": SCHEMA}
    if len(kinds) == 1:
        head["title"] = found.pop("description")
        found = definitions.pop(found["$ref"].rpartition("/")[2]) if "$ref" in found else found
    else:
        # What is asked of a line has all keys that is asked of an object, and more.
        first, second, third = (definitions.pop(kind.__name__) for kind in kinds)
        head["title"] = _EXPLAIN
        found = {"oneOf": [first, {**second, "not": {"required": ["line"]}}, third]}
    return {**head, **found, **({"$defs": definitions} if definitions else {})}


def _one_of(options: list[Option]) -> dict[str, Any]:
    """The choices of commands that have options of one name."""
    if not all(option.choices for option in options):
        return {"type": "string", "minLength": 1}
    return {"enum": list(dict.fromkeys(choice for option in options for choice in option.choices))}


def settings_schema() -> dict[str, Any]:
    """The JSON Schema of dynamoc.yaml, made of the tables of options."""
    properties: dict[str, Any] = {}
    for name, option in sorted(known().items()):
        if name == ALLOW:
            kind: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}
        elif option.kind == SWITCH:
            kind = {"type": "boolean"}
        elif option.kind == MANY:
            kind = {"type": "array", "items": {"type": "string", "minLength": 1}}
        elif option.kind == CHOICE:
            kind = _one_of(named(name))
        elif option.kind == PART:
            kind = {"enum": [*option.choices, True]}
        else:
            kind = {"type": "string", "minLength": 1}
        properties[name] = {**kind, "description": option.help + " (a path)" * (split_file(option, "") is not None)}
    paths = {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Patterns of inputs."}
    part = {"type": "object", "required": ["paths"], "properties": {"paths": paths, **properties}}
    return {
        "$schema": SCHEMA,
        "title": "dynamoc.yaml",
        "type": "object",
        "properties": {
            **properties,
            OVERRIDES: {"type": "array", "items": {**part, "additionalProperties": False}},
        },
        "additionalProperties": False,
    }


def text_of(report: str) -> str:
    return json.dumps(schema_of(report), indent=2).replace(f'"{_REFERENCE}"', '"$ref"') + "\n"


if __name__ == "__main__":
    for name in (*CLASSES, SETTINGS):
        (REPORTS / f"{name}.json").write_text(text_of(name), encoding="utf-8")

"""Adds to the models what the newest definitions have and they lack: `python -m tools.models`.

A field that is not required and has a plain value. Others need a class, which is written by hand.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any, get_args

from dynamoc.reference.models import v1alpha1, v1beta1
from dynamoc.reference.models.base import Part
from dynamoc.reference.releases import ORDER
from tools.schemas.__main__ import SCHEMAS, definitions

Tree = dict[str, Any]

VERSIONS = {"v1alpha1": v1alpha1, "v1beta1": v1beta1}
TYPES = {"boolean": "bool", "integer": "int", "string": "str", "number": "float"}
BOUNDS = {"minimum": "ge", "maximum": "le", "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}


def missing() -> dict[type[Part], list[str]]:
    """The lines of the fields that each class lacks. ValueError for a field that needs a class of its own."""
    found: dict[type[Part], dict[str, str]] = {}
    for crd in definitions(SCHEMAS / ORDER[-1]):
        for version in crd["spec"]["versions"]:
            model = getattr(VERSIONS[version["name"]], crd["spec"]["names"]["kind"], None)
            if model is not None:
                _compare(model, version["schema"]["openAPIV3Schema"], found)
    lacking = {model: fields for model, fields in found.items() if fields}
    for base in {base for model in lacking for base in model.__bases__ if base.__name__.startswith("_")}:
        heirs = [fields for model, fields in found.items() if base in model.__bases__]
        shared = {name: text for name, text in heirs[0].items() if all(each.get(name) == text for each in heirs)}
        lacking[base] = shared
        for fields in heirs:
            for name in shared:
                del fields[name]
    return {model: list(fields.values()) for model, fields in lacking.items() if fields}


def _compare(model: type[Part], schema: Tree, found: dict[type[Part], dict[str, str]]) -> None:
    if model in found or model.model_config.get("extra") == "allow":
        return
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    known = schema.get("properties", {})
    found[model] = {name: _field(name, known[name], schema) for name in known if name not in fields}
    for name, field in fields.items():
        for part in _parts(field.annotation):
            below = known.get(name, {})
            while "properties" not in below and (inner := below.get("items") or below.get("additionalProperties")):
                below = inner
            if isinstance(below, dict) and "properties" in below:
                _compare(part, below, found)


def _parts(annotation: Any) -> list[type[Part]]:
    """The models in an annotation such as `list[Part] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return [annotation]
    return [part for each in get_args(annotation) for part in _parts(each)]


def _field(name: str, schema: Tree, parent: Tree) -> str:
    if name in parent.get("required", ()) or schema.get("type") not in TYPES:
        raise ValueError(f"{name}: write its class by hand")
    bounds = [f"{BOUNDS[key]}={schema[key]!r}" for key in BOUNDS if key in schema]
    choices = ", ".join(f'"{each}"' for each in schema.get("enum", ()))
    annotation = f"Literal[{choices}] | None" if choices else f"{TYPES[schema['type']]} | None"
    if bounds:
        annotation = f"Annotated[{annotation}, Field({', '.join(bounds)})]"
    snake = re.sub(r"(?=[A-Z])", "_", name).lower()
    description = f'    """{schema["description"]}"""\n' if "description" in schema else ""
    return f"    {snake}: {annotation} = None\n{description}"


def main() -> None:
    for model, fields in missing().items():
        path = Path(inspect.getsourcefile(model) or "")
        source, lines = path.read_text(), inspect.getsource(model)
        path.write_text(source.replace(lines, lines.rstrip("\n") + "\n" + "".join(fields)))
        print(f"write: {model.__module__}.{model.__name__}", file=sys.stderr)


if __name__ == "__main__":
    main()

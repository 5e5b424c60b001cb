"""The functionConfig of `dynamoc fn`: what to do, and the options of `render` as fields.

`spec` has the long options in camel case: `operatorVersion`, `target`, `context`, `strictContext`. In a ConfigMap,
which kpt prefers, `data` has them, as texts: `"true"`, and a line for each item of a list.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Tree = dict[str, Any]

RENDER = "Render"
VALIDATE = "Validate"
FILES = "files"

#: kinds of fields
TEXT, CHOICE, SWITCH, LIST, PART = "text", "choice", "switch", "list", "part"


class Field:
    """An option as a field: its name in the values of a command line, its kind, and its choices."""

    __slots__ = ("choices", "kind", "option")

    def __init__(self, option: str, kind: str, choices: tuple[str, ...] = ()) -> None:
        self.option = option
        self.kind = kind
        self.choices = choices


def kind_of(config: Tree) -> str:
    """RENDER or VALIDATE. Raises ValueError for another kind."""
    kind = config.get("kind")
    if kind == "ConfigMap":
        kind = _data(config).get("kind", RENDER)
    if kind not in (RENDER, VALIDATE):
        raise ValueError(f"The functionConfig has the kind {kind}; write {RENDER}, {VALIDATE} or ConfigMap.")
    return str(kind)


def values_of(config: Tree, fields: Mapping[str, Field]) -> dict[str, Any]:
    """What the configuration sets, by the names of options. Raises ValueError for a field or a value that is wrong."""
    if config.get("kind") == "ConfigMap":
        given = {name: value for name, value in _data(config).items() if name != "kind"}
        return {_field(name, fields).option: _from_text(name, value, fields[name]) for name, value in given.items()}
    spec = config.get("spec") or {}
    if not isinstance(spec, dict):
        raise ValueError("The spec of the functionConfig must be a mapping.")
    unknown = sorted(set(config) - {"apiVersion", "kind", "metadata", "spec"})
    if unknown:
        raise ValueError(f"The functionConfig has no field {unknown[0]}; options are in `spec`.")
    return {_field(name, fields).option: _checked(name, value, fields[name]) for name, value in spec.items()}


def _data(config: Tree) -> Tree:
    data = config.get("data") or {}
    if not isinstance(data, dict):
        raise ValueError("The data of the functionConfig must be a mapping.")
    return data


def _field(name: str, fields: Mapping[str, Field]) -> Field:
    if name in fields:
        return fields[name]
    near = [known for known in fields if known.lower() == str(name).lower().replace("-", "").replace("_", "")]
    hint = f"write {near[0]}" if near else f"known fields: {', '.join(sorted(fields))}"
    raise ValueError(f"The functionConfig has no option {name}; {hint}.")


def _checked(name: str, value: Any, field: Field) -> Any:
    if field.kind == LIST:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        raise ValueError(f"{name} of the functionConfig must be a list of strings.")
    if field.kind == SWITCH:
        if isinstance(value, bool):
            return value
        raise ValueError(f"{name} of the functionConfig must be true or false.")
    if field.kind == PART and isinstance(value, bool):
        return field.choices[-1] if value else None
    if not isinstance(value, str):
        raise ValueError(f"{name} of the functionConfig must be a string; put it in quotes.")
    if field.choices and value not in field.choices:
        raise ValueError(f"{name}: {value} in the functionConfig is not known; choices: {', '.join(field.choices)}.")
    return value


def _from_text(name: str, value: Any, field: Field) -> Any:
    """The value that a text of a ConfigMap means."""
    if not isinstance(value, str):
        raise ValueError(f"{name} in the data of the functionConfig must be a string; put it in quotes.")
    if field.kind == LIST:
        return value.split("\n") if value.strip() else []
    if field.kind in (SWITCH, PART) and value in ("true", "false"):
        return _checked(name, value == "true", field)
    return _checked(name, value, field)
